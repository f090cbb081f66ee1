import type { DaySpan } from '../../rules/activity.ts';
import type { StoredAward } from '../../rules/award.ts';
import { ADJUSTMENT_TRIGGER, type Frequency } from '../../rules/config.ts';
import type { MadeGoodBy, StreakPeriods, StreakReset } from '../../rules/streakHistory.ts';
import type { Rows, Statement } from '../rows.ts';
import { DATE, DECIMAL_SUM, ORDINAL } from '../sql.ts';
import { AWARDS_OF_USER, firstOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/*
 * Reads of one user's history. Days, weeks and months are ordinals since 1970; entities are given by their
 * numbers.
 */

const [OTHER_AWARDS, EVENT_AWARDS] = AWARDS_OF_USER as [string, string];

/**
 * Awards of events are indexed by user and time. To find a system of which the user has few awards, all
 * events are searched: the text is compared first, because unpacking it takes ten times as long.
 */
const AWARDS: Statement = {
  name: 'awards',
  text: firstOf([OTHER_AWARDS, `${EVENT_AWARDS} and strpos(packed, '[' || $3::integer || ',') > 0`], {
    columns: 'id, trigger, awarded, total, recorded_at as date, boosts, reward, sequence, n',
    condition: 'system = $3::integer',
    order: 'date desc, sequence desc, n desc',
    limit: '$4',
  }),
};

/** Awards, newest first. */
export function readAwards(
  rows: Rows,
  { tenant, userId }: UserKey,
  system: number,
  count: number,
): Promise<StoredAward[]> {
  return rows<StoredAward>(AWARDS, [tenant, userId, system, count]);
}

const ADJUSTMENT: Statement = {
  name: 'adjustment',
  text: `select awarded, total from points_awards
    where tenant = $1 and user_id = $2 and system = $3 and trigger = ${ADJUSTMENT_TRIGGER} and id = $4`,
};

/** The award of an adjustment; null if it is not in the history. */
export async function readAdjustment(
  rows: Rows,
  { tenant, userId }: UserKey,
  system: number,
  id: string,
): Promise<{ awarded: number; total: number } | null> {
  const [row] = await rows<{ awarded: number; total: number }>(ADJUSTMENT, [tenant, userId, system, id]);
  return row ?? null;
}

export interface DayRow {
  /** Number of the metric or points system. */
  no: number;
  /** Day ordinal; the day before the range stands for all earlier days. */
  day: number;
  /** Number of events or awards. */
  count: number;
  change: number;
}

/** What is summed: the values of metrics or the awards of points systems. */
export type Summed = 'metric' | 'points';

/** Their views, with the names of the columns for the number and the count. */
export const DAILY_VIEWS: Record<Summed, { view: string; no: string; count: string }> = {
  metric: { view: 'metric_totals_daily', no: 'metric_no', count: 'events' },
  points: { view: 'points_totals_daily', no: 'system_no', count: 'awards' },
};

const daysOf = (summed: Summed): Statement => {
  const { view, no, count } = DAILY_VIEWS[summed];
  return {
    name: `days of ${summed}`,
    text: `select ${no} as no, ${ORDINAL(`greatest(local_date, ${DATE('$4')} - 1)`)} as day, sum(${count})::float8 as count,
        ${DECIMAL_SUM('change')} as change
      from ${view} where tenant = $1 and user_id = $2 and ${no} = any($3) and local_date <= ${DATE('$5')}
      group by 1, 2 order by 2`,
  };
};
const DAYS = { metric: daysOf('metric'), points: daysOf('points') };

/**
 * Days with a change in a range of local days, ascending. A row for the day before the range sums all earlier
 * days of its entity.
 */
export function readDays(
  rows: Rows,
  { tenant, userId }: UserKey,
  summed: Summed,
  nos: readonly number[],
  range: DaySpan,
): Promise<DayRow[]> {
  return rows<DayRow>(DAYS[summed], [tenant, userId, nos, range.from, range.to]);
}

export interface ShownExtensionRow {
  period: number;
  /** Length after the extension. */
  length: number;
  /** What kept the streak in a missed period; null if the period extended it. */
  madeGoodBy: MadeGoodBy | null;
}

/**
 * First local day of the streak before the latest one; null if the history knows of one streak at most. A
 * streak begins in a period with the length 1.
 */
export async function readStreakBefore(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
): Promise<number | null> {
  const begun = await rows<{ day: number }>(BEGINNINGS, [tenant, userId, frequency]);
  return begun[1]?.day ?? null;
}

const BEGINNINGS: Statement = {
  name: 'beginnings of streaks',
  text: `select ${ORDINAL('local_date')} as day from streak_extensions
    where tenant = $1 and user_id = $2 and frequency = $3 and length = 1 and made_good_by is null
    order by period desc limit 2`,
};

const EXTENSIONS: Statement = {
  name: 'streak extensions',
  text: `select period, length, made_good_by as "madeGoodBy" from streak_extensions
    where tenant = $1 and user_id = $2 and frequency = $3 and period between $4 and $5`,
};

const RESETS: Statement = {
  name: 'streak resets',
  text: `select period, max(reset_at) as "resetAt" from streak_resets
    where tenant = $1 and user_id = $2 and frequency = $3 and period between $4 and $5 group by period`,
};

/**
 * The periods from `first` to `last` in which the streak was extended, kept by a freeze or a pause, or reset.
 */
export async function readStreakPeriods(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  first: number,
  last: number,
): Promise<StreakPeriods> {
  const range = [tenant, userId, frequency, first, last];
  const extensions = await rows<ShownExtensionRow>(EXTENSIONS, range);
  return { extensions, resets: await rows<StreakReset>(RESETS, range) };
}
