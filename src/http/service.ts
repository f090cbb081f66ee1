import type { Redis } from 'ioredis';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { DEFAULT_TENANT } from '../db/configuration.ts';
import type { History } from '../db/history.ts';
import type { Pool } from '../db/pool.ts';
import type { EventQueue } from '../redis/eventQueue.ts';
import type { RulesStore } from '../redis/rulesStore.ts';
import type { Scripts } from '../redis/scripts.ts';
import type { SharedClock } from '../redis/sharedClock.ts';
import type { Sweep } from '../redis/sweep.ts';
import type { UserChanges } from '../redis/userChanges.ts';
import type { Rules } from '../rules/rules.ts';
import type { ApiKey, ApiKeys } from './apiKeys.ts';
import type { LiveReads } from './live/liveReads.ts';

/** What handlers work with, put together once in `main`. */
export interface Service {
  clock: Clock;
  /** null unless LAUREL_TEST_CLOCK=1. */
  testClock: SharedClock | null;
  log: Log;
  metrics: Metrics;
  apiKeys: ApiKeys;
  store: RulesStore;
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

/**
 * The rules of the tenant that a key speaks for.
 * @throws ServiceError `unavailable` while none are published; they are looked for again meanwhile
 */
export function rulesFor(service: Service, key: ApiKey): Rules {
  const tenant = key.tenant ?? DEFAULT_TENANT;
  const rules = service.store.get(tenant);
  if (rules === undefined) {
    service.store.load(tenant).catch(() => {});
    throw new ServiceError('unavailable', 'The configuration is not loaded yet');
  }
  return rules;
}
