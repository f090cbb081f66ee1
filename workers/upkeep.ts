import type { Clock } from '../src/base/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { forgetEmptyCounts } from '../src/db/writeStandings.ts';
import { publishPending, type Stores } from '../src/engine/publishing.ts';
import { foldRelayedStates } from '../src/engine/snapshots.ts';
import type { Schedule } from './schedules.ts';

/**
 * Publishes configurations that were stored but not published: the process that changed them ended in between, or Redis was
 * away.
 */
export function publishSchedule(stores: Stores, clock: Clock): Schedule {
  return { name: 'publish', pattern: '*/5 * * * * *', run: (signal) => publishPending(stores, clock.now(), signal) };
}

/**
 * Every minute turns the states that the relay has written into the snapshots of their users. The relay has written just the users
 * who have changed, so nothing searches for them. Runs that overlap share the work.
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

/** Removes totals without users: users pass through many totals, and summaries read all rows. */
export function pointsCountsSchedule(pool: Pool): Schedule {
  return { name: 'points counts', pattern: '41 * * * *', run: () => forgetEmptyCounts(pool) };
}
