import type { Clock } from '../../src/base/clock.ts';
import { forgetEmptyCounts } from '../../src/db/history/writeStandings.ts';
import type { Pool } from '../../src/db/pool.ts';
import { publishPending } from '../../src/engine/configuration/publishing.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import type { Stores } from '../../src/engine/stores.ts';
import { type KeepKeysDependencies, keepKeys } from '../../src/engine/usedKeys/keepKeys.ts';
import type { Schedule } from './schedules.ts';

/**
 * Publishes configurations that were stored but not published, because the process that stored them stopped
 * or Redis was unavailable.
 */
export function publishSchedule(stores: Stores, clock: Clock): Schedule {
  return {
    name: 'publish',
    pattern: '*/5 * * * * *',
    run: (signal) => publishPending(stores, clock.now(), signal),
  };
}

/**
 * Merges the states that the relay has written into snapshots, once a minute. Only states of changed users
 * have to be read. Overlapping runs share the work.
 */
export function snapshotSchedule(pool: Pool): Schedule {
  return {
    name: 'snapshots',
    pattern: '* * * * *',
    run: async (signal) => {
      await foldRelayedStates(pool, { wait: false, signal });
    },
  };
}

/** Removes idempotency keys from Redis that have run out or are in PostgreSQL only from now on. */
export function keysSchedule(deps: KeepKeysDependencies): Schedule {
  return { name: 'keys', pattern: '*/20 * * * * *', run: (signal) => keepKeys(deps, signal) };
}

/** Deletes counts of totals that no user has any more, because summaries read all rows of the table. */
export function pointsCountsSchedule(pool: Pool): Schedule {
  return { name: 'points counts', pattern: '41 * * * *', run: () => forgetEmptyCounts(pool) };
}
