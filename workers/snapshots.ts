import type { Pool } from '../src/db/pool.ts';
import { foldRelayedStates } from '../src/engine/snapshots.ts';
import type { Schedule } from './schedules.ts';

/**
 * Every minute the states that the relay has seen become the snapshots of their users. Which users have changed is known without
 * looking for them: the relay has written just those. Runs that overlap share the work.
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
