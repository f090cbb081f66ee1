import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { readBenchConfig } from '../benchConfig.ts';
import { userBody } from '../workload.ts';

const EVENTS_AT_ONCE = 10_000;

/** One Redis or a cluster with the rules of all tenants, and the event path without a server. */
export interface EventStore {
  redis: Redis;
  /** A connection to each primary. */
  nodes: readonly Redis[];
  cells: Cells;
  queue: Engine['queue'];
  rules: Rules[];
}

/** CPU time that an event costs. */
export interface RedisCost {
  /** All nodes together. */
  all_us: number;
  busiest_us: number;
}

/** Opens an empty store, with the rules of the benchmarks for tenants 1 to `tenants`. */
export async function openEventStore(
  url: string,
  nodes: readonly Redis[],
  cells: Cells,
  tenants: number,
): Promise<EventStore> {
  const redis = connectRedis(url, createLog('bench', 'warn'));
  await whenReady(redis);
  const { rulesStore, queue } = createEngine({ redis, clock: systemClock, cells });
  const file = await readBenchConfig();
  const rules: Rules[] = [];
  for (let tenant = 1; tenant <= tenants; tenant++) {
    const { config } = planConfig(emptyConfig(tenant), file, systemClock.now());
    await publishRules(redis, { ...config, version: 1 }, cells, systemClock.now());
    rules.push(await rulesStore.load(tenant));
  }
  return { redis, nodes, cells, queue, rules };
}

/** Records events and measures what they cost. `user` numbers the user of event i, in the tenants in turn. */
export async function recordRound(
  store: EventStore,
  events: number,
  user: (i: number) => number,
): Promise<RedisCost> {
  const before = await readCpu(store.nodes);
  for (let from = 0; from < events; from += EVENTS_AT_ONCE) {
    const length = Math.min(EVENTS_AT_ONCE, events - from);
    await Promise.all(Array.from({ length }, (_, i) => recordEvent(store, from + i, user(from + i))));
    await dropOutboxes(store);
  }
  const after = await readCpu(store.nodes);
  const perEvent = after.map((us, i) => (us - before[i]!) / events);
  return { all_us: perEvent.reduce((sum, us) => sum + us, 0), busiest_us: Math.max(...perEvent) };
}

/** No relay empties the outboxes. */
async function dropOutboxes({ redis, cells }: EventStore): Promise<void> {
  await Promise.all(allCells(cells).map((cell) => redis.xtrim(keys.outbox(cell), 'MAXLEN', 0)));
}

/** Records event `i` of a round. Neighbours belong to different tenants. */
export function recordEvent({ queue, rules }: EventStore, i: number, user: number): Promise<void> {
  return new Promise((resolve, reject) => {
    queue.add(rules[i % rules.length]!, {
      metricKey: 'lessons',
      request: { user: userBody(user) as { id: string }, value: 1 },
      idempotencyKey: null,
      done: ({ status }) => (status === 'recorded' ? resolve() : reject(new Error(`an event was ${status}`))),
      fail: reject,
    });
  });
}

/** CPU time of each node since its start, in microseconds. */
export function readCpu(nodes: readonly Redis[]): Promise<number[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const info = await node.info('cpu');
      const seconds = (name: string): number =>
        Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)![1]);
      return (seconds('sys') + seconds('user')) * 1e6;
    }),
  );
}
