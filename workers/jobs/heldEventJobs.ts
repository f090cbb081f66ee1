import type { Clock } from '../../src/base/clock.ts';
import { HELD_EVENTS_KEPT_DAYS } from '../../src/base/guardLimits.ts';
import type { Log } from '../../src/base/log.ts';
import { expireHeldEvents } from '../../src/db/history/heldEventRows.ts';
import type { Pool } from '../../src/db/pool.ts';
import { type FinishDependencies, finishApprovals } from '../../src/engine/heldEvents/finishApprovals.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import type { Schedule } from './schedules.ts';

/** Lets held events expire that nobody has decided on for `days`, and deletes old ones. */
export function heldEventSchedule(pool: Pool, clock: Clock, log: Log, days: number): Schedule {
  return {
    name: 'held events',
    pattern: '41 * * * *',
    run: async () => {
      const before = (age: number): Date => new Date(clock.now() - age * DAY_MS);
      const expired = await expireHeldEvents(pool, before(days), before(HELD_EVENTS_KEPT_DAYS));
      if (expired > 0) log.info({ expired }, 'held events have expired');
    },
  };
}

/** Finishes approvals of held events whose server has ended. */
export function approvalSchedule(deps: FinishDependencies, clock: Clock): Schedule {
  return {
    name: 'approvals',
    pattern: '*/10 * * * * *',
    run: (signal) => finishApprovals(deps, clock.now(), signal),
  };
}
