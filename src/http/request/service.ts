import type { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Pool } from '../../db/pool.ts';
import type { EventQueue } from '../../engine/eventQueue.ts';
import type { History } from '../../engine/history.ts';
import type { RulesStore } from '../../engine/rulesStore.ts';
import type { Sweep } from '../../engine/sweep.ts';
import type { UserChanges } from '../../engine/userChanges.ts';
import type { Scripts } from '../../redis/scripts.ts';
import type { SharedClock } from '../../redis/sharedClock.ts';
import type { LiveReads } from '../live/liveReads.ts';
import type { ApiKeys } from './apiKeys.ts';
import type { Cors } from './cors.ts';
import type { FollowedKeys } from './followedKeys.ts';
import type { Tenants } from './tenants.ts';

/** What handlers work with, put together once in `main`. */
export interface Service {
  clock: Clock;
  /** null unless LAUREL_TEST_CLOCK=1. */
  testClock: SharedClock | null;
  log: Log;
  metrics: Metrics;
  apiKeys: ApiKeys;
  cors: Cors;
  followedKeys: FollowedKeys;
  store: RulesStore;
  tenants: Tenants;
  history: History;
  /** For configuration and keys; what has happened is read through `history`. */
  pool: Pool;
  queue: EventQueue;
  live: LiveReads;
  users: UserChanges;
  sweep: Sweep;
  /** Reads; commands of one turn of the loop share a pipeline. */
  redis: Redis;
  scripts: Scripts;
  shards: number;
}
