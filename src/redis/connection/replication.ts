import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, Command, type Redis } from 'ioredis';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { groupBy } from '../../base/groupBy.ts';
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

/** Resolves when replicas have everything that was done before the call. */
export type Confirm = () => Promise<void>;

/** Which of these cells have outboxes that replicas have as they were read. */
export type ConfirmOutboxes = (read: Iterable<number>) => Promise<Set<number>>;

/** Whoever takes the commands for a key. */
interface Primary {
  node: Redis;
  /** Another connection may be to another node; null in a cluster, where each node has one connection. */
  stream: Redis['stream'] | null;
}

const AT_ONCE = async (): Promise<void> => {};

const requiredOf = new WeakMap<Redis, number>();

/** From now on, changes over this connection are answered when so many replicas have them. */
export function requireReplicas(redis: Redis, replicas: number): void {
  requiredOf.set(redis, replicas);
}

/**
 * Makes sure that replicas have a change before it is answered, if the connection requires that. WAIT is not
 * sent together with the script: Redis executes nothing else of a connection until WAIT is over, so the next
 * script call would begin only then.
 */
export class Replication {
  readonly #redis: Redis;
  readonly #replicas: number;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#replicas = requiredOf.get(redis) ?? 0;
  }

  /**
   * Call it before a change of a cell is sent, and what it returns when Redis has answered. A primary that
   * was replaced, and does not know that yet, executes what it was sent while it hung, and then loses it. So
   * the replicas that count are those of the primary to which the change was sent.
   *
   * What is returned throws ServiceError `unavailable` if that takes too long, or if the primary may have
   * been replaced meanwhile; the change may stay.
   */
  watch(cell: number): Confirm {
    if (this.#replicas === 0) return AT_ONCE;
    const key = keys.replicated(cell);
    const primary = primaryOf(this.#redis, key);
    return () => this.#confirm(key, primary);
  }

  /**
   * WAIT is about the last write of its own connection. So a mark is written first, because a repeated event
   * writes nothing, and another connection may have recorded it.
   */
  async #confirm(key: string, before: Primary | null): Promise<void> {
    const deadlineMs = monotonicMs() + SLOT_MOVE_MS_MAX;
    for (let primary = before; ; primary = null) {
      const asked = primary ?? primaryOf(this.#redis, key) ?? unknown();
      if (isOther(asked)) throw replaced();
      try {
        return await this.#mark(asked.node, key);
      } catch (error) {
        if (!isRedirection(error) || monotonicMs() > deadlineMs) throw error;
        if (await isReplica(asked.node)) throw replaced();
        // The cell moves to another primary, which has all its changes when it takes the mark.
        await sleep(MOVING_PAUSE_MS);
      }
    }
  }

  async #mark(primary: Redis, key: string): Promise<void> {
    const [, replicas] = await Promise.all([
      primary.set(key, '1'),
      primary.wait(this.#replicas, REPLICAS_WAIT_MS_MAX),
    ]);
    if (replicas >= this.#replicas) return;
    throw new ServiceError('unavailable', 'Too few replicas of Redis have the change; try again');
  }

  /**
   * Call it before XREADGROUP reads outboxes over this connection, and what it returns with the cells that
   * had entries: it answers with those whose entries replicas have, too. There is no mark, because XREADGROUP
   * writes, and a full Redis would refuse it.
   *
   * @returns null if no replica must have anything
   */
  watchOutboxes(connection: Redis, cells: readonly number[]): ConfirmOutboxes | null {
    if (this.#replicas === 0) return null;
    const primaries = new Map(cells.map((cell) => [cell, primaryOf(connection, keys.outbox(cell))]));
    return async (read) => {
      const byNode = groupBy(read, (cell) => primaries.get(cell)?.node ?? null);
      const replicated = Array.from(byNode.values(), async (ofNode) => {
        const primary = primaries.get(ofNode[0]!) ?? null;
        return primary !== null && (await this.#isReplicated(primary)) ? ofNode : [];
      });
      return new Set((await Promise.all(replicated)).flat());
    };
  }

  /** Whether replicas have all that was read and written over this connection. */
  async #isReplicated(primary: Primary): Promise<boolean> {
    const replicas = await primary.node.wait(this.#replicas, REPLICAS_WAIT_MS_MAX).catch(() => 0);
    return replicas >= this.#replicas && !isOther(primary);
  }
}

const unknown = (): never => {
  throw new ServiceError('unavailable', 'Redis is not available; try again');
};

const replaced = (): ServiceError =>
  new ServiceError('unavailable', 'The primary of Redis is being replaced; try again');

function isRedirection(error: unknown): boolean {
  return /^(MOVED|ASK|TRYAGAIN) /.test((error as Error).message);
}

/** Whether the connection is another one by now. */
const isOther = ({ node, stream }: Primary): boolean => stream !== null && stream !== node.stream;

async function isReplica(node: Redis): Promise<boolean> {
  const [role] = await node.role();
  return role === 'slave';
}

/** The primary of a key, as far as it is known; null while it is not. */
function primaryOf(redis: Redis, key: string): Primary | null {
  if (!redis.isCluster) return { node: redis, stream: redis.stream };
  const cluster = redis as unknown as Cluster;
  const [address] = cluster.slots[new Command('get', [key]).getSlot()] ?? [];
  const node = cluster.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === address);
  return node === undefined ? null : { node, stream: null };
}
