import type { Frequency } from '../../rules/config.ts';
import type { RecordedLoss, RecordedPeriod, ReplacedHistory } from '../../rules/followStreak.ts';
import { all, type Rows, value } from '../rows.ts';
import { INSTANT, MILLISECONDS, ORDINAL, sql } from '../sql.ts';
import type { UserKey } from './userMap.ts';

/**
 * Reads what came of an imported streak, until an event extended it.
 * @param imported its last period, and the instant at which that was extended, ms
 */
export async function readImportedStreak(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  { lastPeriod, extendedAt }: { lastPeriod: number; extendedAt: number },
): Promise<ReplacedHistory> {
  const ofStreak = sql`tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency}`;
  const isOfImport = sql`(made_good_by is not null or period = ${lastPeriod} and extended_at = ${INSTANT(extendedAt)})`;
  const next = await value(rows)<number | null>`
    select min(period) from streak_extensions where ${ofStreak} and period >= ${lastPeriod} and not ${isOfImport}`;
  const isIn = sql`period >= ${lastPeriod} and (${next}::integer is null or period < ${next}::integer)`;
  const periods = await all(rows)<RecordedPeriod>`
    select period, length, ${ORDINAL('local_date')} as day, ${MILLISECONDS('extended_at')} as at,
      made_good_by as "madeGoodBy"
    from streak_extensions where ${ofStreak} and ${isIn} order by period`;
  const losses = await all(rows)<RecordedLoss>`
    select period, length, ${MILLISECONDS('lost_at')} as "lostAt" from streak_losses
    where ${ofStreak} and ${isIn} order by period`;
  const longest = await value(rows)<number>`
    select coalesce(max(length), 0) from streak_extensions where ${ofStreak} and not (${isIn})`;
  return { periods, losses, longest };
}
