import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, Command, type Redis } from 'ioredis';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { SLOT_MOVE_MS_MAX } from '../../base/limits.ts';
import { keys } from '../keys/redisKeys.ts';

/**
 * Longest wait for replicas to have a change. Shorter than STORE_WAIT_MS, because Redis sends nothing
 * meanwhile.
 */
const REPLICAS_WAIT_MS_MAX = 500;

/**
 * Pause before a mark is written again to a cell that moves. The cluster's slots are read again meanwhile.
 */
const MOVING_PAUSE_MS = 25;

/**
 * Makes sure that replicas have a change before it is answered. WAIT is not sent together with the script:
 * Redis executes nothing else of a connection until WAIT is over, so the next script call would begin only
 * then.
 */
export class Replication {
  readonly #redis: Redis;
  readonly #replicas: number;

  /** @param replicas number of replicas that must have a change; 0 does not wait for any */
  constructor(redis: Redis, replicas: number) {
    this.#redis = redis;
    this.#replicas = replicas;
  }

  /**
   * Resolves when enough replicas have all changes of a cell until now. WAIT is about the last write of its
   * own connection. So a mark is written first, because a repeated event writes nothing, and another
   * connection may have recorded it.
   * @throws ServiceError `unavailable` if that takes too long; the changes stay
   */
  async confirm(cell: number): Promise<void> {
    if (this.#replicas === 0) return;
    const deadlineMs = monotonicMs() + SLOT_MOVE_MS_MAX;
    for (;;) {
      try {
        return await this.#mark(keys.replicated(cell));
      } catch (error) {
        if (!isRedirection(error) || monotonicMs() > deadlineMs) throw error;
        // The cell moves to another primary, which has all its changes when it takes the mark.
        await sleep(MOVING_PAUSE_MS);
      }
    }
  }

  async #mark(key: string): Promise<void> {
    const primary = primaryOf(this.#redis, key);
    const [, replicas] = await Promise.all([
      primary.set(key, '1'),
      primary.wait(this.#replicas, REPLICAS_WAIT_MS_MAX),
    ]);
    if (replicas >= this.#replicas) return;
    throw new ServiceError('unavailable', 'Too few replicas of Redis have the change; try again');
  }
}

function isRedirection(error: unknown): boolean {
  return /^(MOVED|ASK|TRYAGAIN) /.test((error as Error).message);
}

/** The connection on which commands for a key are sent. */
function primaryOf(redis: Redis, key: string): Redis {
  if (!redis.isCluster) return redis;
  const cluster = redis as unknown as Cluster;
  const [node] = cluster.slots[new Command('get', [key]).getSlot()] ?? [];
  const primary = cluster.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === node);
  if (primary === undefined) throw new ServiceError('unavailable', 'Redis is not available; try again');
  return primary;
}
