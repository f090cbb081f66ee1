import type { Redis } from 'ioredis';
import type { Cells } from '../base/cells.ts';
import type { Clock } from '../base/clock.ts';
import type { Tracing } from '../base/spans.ts';
import { Scripts } from '../redis/scripts/scripts.ts';
import { EventLatencyReporter } from '../redis/state/eventLatency.ts';
import { type KeyUses, UNKNOWN_KEY_USES } from './calls/keyUses.ts';
import { RememberedZones, Retries } from './calls/retries.ts';
import { RulesStore } from './calls/rulesStore.ts';
import { Settler } from './calls/settler.ts';
import { EventQueue } from './events/eventQueue.ts';
import { LateEvents } from './events/lateEvents.ts';
import { type LateReads, NO_LATE_READS } from './events/lateHistory.ts';
import { EventRanks } from './ranks/eventRanks.ts';
import { MergedReads } from './ranks/mergedReads.ts';
import { RankReads } from './ranks/rankReads.ts';
import { StatisticsReads } from './users/statisticsReads.ts';
import { Sweep } from './users/sweep.ts';
import { UserChanges } from './users/userChanges.ts';
import { UserReads } from './users/userReads.ts';

export interface EngineOptions {
  redis: Redis;
  /** The connection of events; they fill their own pipeline. Without it they share `redis`. */
  eventRedis?: Redis;
  clock: Clock;
  cells: Cells;
  /** null unless calls are traced. */
  tracing?: Tracing | null | undefined;
  /** Answers about idempotency keys that Redis does not know; without it, PostgreSQL counts as away. */
  keyUses?: KeyUses;
  /** The history, for late events; without it, PostgreSQL counts as away. */
  history?: LateReads;
}

/** The parts that change users, put together. */
export interface Engine {
  /** Reads; commands of one turn of the event loop may share a pipeline. */
  redis: Redis;
  clock: Clock;
  cells: Cells;
  scripts: Scripts;
  retries: Retries;
  rulesStore: RulesStore;
  settler: Settler;
  queue: EventQueue;
  /** Events that say when they happened. */
  lateEvents: LateEvents;
  users: UserChanges;
  sweep: Sweep;
  mergedReads: MergedReads;
  rankReads: RankReads;
  statistics: StatisticsReads;
}

/** Creates the engine without rules. It follows published rules after `rulesStore.follow`. */
export function createEngine(options: EngineOptions): Engine {
  const { redis, eventRedis = redis, clock, cells, tracing = null } = options;
  const scripts = new Scripts(redis, cells);
  const rulesStore = new RulesStore(redis, cells);
  const ranks = new EventRanks(scripts, cells);
  const zones = new RememberedZones();
  const settler = new Settler({
    scripts,
    retries: new Retries({ rulesStore, zones, clock, settling: null }),
    cells,
  });
  const retries = new Retries({ rulesStore, zones, clock, settling: settler });
  const keyUses = options.keyUses ?? UNKNOWN_KEY_USES;
  const queue = new EventQueue({
    scripts: new Scripts(eventRedis, cells),
    retries,
    cells,
    clock,
    ranks,
    tracing,
    latency: new EventLatencyReporter(redis),
    keyUses,
  });
  const lateEvents = new LateEvents({
    queue,
    scripts,
    retries,
    cells,
    clock,
    ranks,
    keyUses,
    reads: options.history ?? NO_LATE_READS,
  });
  const reads = new UserReads({ scripts, cells, clock });
  const users = new UserChanges({ scripts, retries, reads, cells, ranks });
  return {
    redis,
    clock,
    cells,
    scripts,
    retries,
    rulesStore,
    settler,
    queue,
    lateEvents,
    users,
    mergedReads: new MergedReads(redis),
    rankReads: new RankReads(scripts, cells),
    statistics: new StatisticsReads(redis, cells),
    sweep: new Sweep({ redis, rulesStore, settler, cells }),
  };
}
