import { Cluster, type ClusterNode, type ClusterOptions, type Command } from 'ioredis';
import { monotonicMs } from '../../base/clock.ts';
import { SLOT_MOVE_MS_MAX } from '../../base/limits.ts';
import { writeTogether } from './writeTogether.ts';

/** Interval at which a cluster is asked which node has which slots. */
const REFRESH_MS = 2_000;
const TRY_AGAIN_MS = 25;
/** Redirections of a command without a pause: to the present owner of the slot, and to the next one. */
const REDIRECTIONS_AT_ONCE = 2;

/** What ioredis keeps of a command that it sends again. */
interface Attempts {
  /** Redirections that are left. */
  value?: number;
  startedMs?: number;
  redirections?: number;
}

type NodeOptions = NonNullable<ClusterOptions['redisOptions']>;

/**
 * A connection to a cluster. Commands to a node that is being connected, because it is new or returns, wait
 * until it is connected or cannot be. While no node is known, commands fail at once unless `waits` is set.
 *
 * ioredis has one option for both: without its queue, the first commands to each node fail.
 */
export class ClusterConnection extends Cluster {
  readonly #waits: boolean;

  constructor(
    nodes: ClusterNode[],
    {
      waits,
      retryAfterMs,
      ...ofNodes
    }: NodeOptions & { waits: boolean; retryAfterMs: (attempt: number) => number },
  ) {
    super(nodes, {
      enableOfflineQueue: true,
      clusterRetryStrategy: retryAfterMs,
      slotsRefreshInterval: REFRESH_MS,
      retryDelayOnClusterDown: 0,
      // After a lost connection it is unknown whether the command was executed.
      retryDelayOnFailover: 0,
      // While a slot moves, Redis refuses commands that need several keys of it. That has no effect, so they
      // may be sent again.
      retryDelayOnTryAgain: TRY_AGAIN_MS,
      redisOptions: { ...ofNodes, replyMapping: 'legacy' },
    });
    this.#waits = waits;
    this.on('+node', writeTogether);
  }

  /**
   * Limits the redirections of a command by time. A number would depend on the path that it takes: after each
   * refusal ioredis asks any node, which may send it on to another one. Pauses keep commands that nodes send
   * back and forth from slowing down the move itself.
   */
  override handleError(error: Error, attempts: Attempts, handlers: unknown): void {
    attempts.startedMs ??= monotonicMs();
    attempts.value = monotonicMs() - attempts.startedMs < SLOT_MOVE_MS_MAX ? Number.POSITIVE_INFINITY : 0;
    attempts.redirections = (attempts.redirections ?? 0) + 1;
    if (attempts.redirections <= REDIRECTIONS_AT_ONCE) super.handleError(error, attempts, handlers);
    else setTimeout(() => super.handleError(error, attempts, handlers), TRY_AGAIN_MS);
  }

  override sendCommand(command: Command, ...rest: [stream?: never, node?: unknown]): unknown {
    if (this.#waits || this.status === 'ready' || command.name === 'cluster')
      return super.sendCommand(command, ...rest);
    command.reject(new Error("Cluster isn't ready"));
    return command.promise;
  }
}
