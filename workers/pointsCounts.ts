import { forgetEmptyCounts } from '../src/db/pointsCounts.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Schedule } from './schedules.ts';

/** Users pass through many totals, and summaries read all that are there. */
export function pointsCountsSchedule(pool: Pool): Schedule {
  return { name: 'points counts', pattern: '41 * * * *', run: () => forgetEmptyCounts(pool) };
}
