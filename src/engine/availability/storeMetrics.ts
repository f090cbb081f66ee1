import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { LabelledNumber, Metrics } from '../../base/metrics.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import type { Queryable } from '../../db/pool.ts';
import { primariesOf } from '../../redis/connection/redisClient.ts';
import { findPostgresFault, findRedisFault } from './storeFaults.ts';

/** Time over which `/metrics` estimates how fast Redis fills. */
export const REDIS_GROWTH_MS = 5 * 60_000;

/** Metrics of the stores themselves: whether they can be used, and how full Redis is. */
export function showStores(
  metrics: Metrics,
  { redis, pool, cells }: { redis: Redis; pool: Queryable; cells: Cells },
): void {
  const readiness = (fault: string | null): number => (fault === null ? 1 : 0);
  metrics.gauge('laurel_redis_ready', '1 while Redis can be used and has been restored', async () =>
    readiness(await findRedisFault(redis, cells)),
  );
  metrics.gauge('laurel_postgres_ready', '1 while PostgreSQL can be used', async () =>
    readiness(await findPostgresFault(pool)),
  );
  showMemory(metrics, redis);
}

function showMemory(metrics: Metrics, redis: Redis): void {
  const reads = new SingleFlight<string, NodeMemory[]>();
  const read = (): Promise<NodeMemory[]> => reads.run('memory', () => readMemory(redis));
  const show = (name: string, help: string, measure: (memory: NodeMemory) => number): void => {
    metrics.gauges(name, help, ['node'], async () =>
      (await read()).map(
        (memory): LabelledNumber => ({ labels: { node: memory.node }, value: measure(memory) }),
      ),
    );
  };
  show('laurel_redis_used_bytes', 'Memory that a primary of Redis uses', ({ used }) => used);
  show(
    'laurel_redis_max_bytes',
    'maxmemory of a primary of Redis, or the memory of its machine',
    ({ max }) => max,
  );
  const growth = new Map<string, Growth>();
  show(
    'laurel_redis_full_in_seconds',
    'Time until a primary of Redis is full at the growth of the last minutes; +Inf if it does not grow',
    ({ node, used, max }) => {
      const ofNode = growth.get(node) ?? new Growth();
      growth.set(node, ofNode);
      return ofNode.secondsUntil(max, used, monotonicMs());
    },
  );
}

interface NodeMemory {
  node: string;
  /** Bytes. */
  used: number;
  max: number;
}

function readMemory(redis: Redis): Promise<NodeMemory[]> {
  return Promise.all(
    primariesOf(redis).map(async (primary) => {
      const info = await primary.info('memory');
      const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)![1]);
      const { host, port, path } = primary.options;
      const max = field('maxmemory') || field('total_system_memory');
      return { node: path ?? `${host}:${port}`, used: field('used_memory'), max };
    }),
  );
}

/** The growth of a number, from its values of the last REDIS_GROWTH_MS. */
export class Growth {
  readonly #values: { ms: number; value: number }[] = [];

  /** @param ms monotonic time of `value` @returns Infinity if the number does not grow */
  secondsUntil(limit: number, value: number, ms: number): number {
    this.#values.push({ ms, value });
    while (this.#values[0]!.ms < ms - REDIS_GROWTH_MS) this.#values.shift();
    const first = this.#values[0]!;
    const grown = value - first.value;
    if (grown <= 0) return Number.POSITIVE_INFINITY;
    return (Math.max(0, limit - value) / grown) * ((ms - first.ms) / 1_000);
  }
}
