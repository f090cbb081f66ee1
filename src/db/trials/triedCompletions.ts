import type { Frequency } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { INSTANT, MILLISECONDS, raw, sql } from '../sql.ts';
import { idsOf, isWithin, numbersOf, type TrialUser, type TrialWindow } from './trialSlices.ts';
import { countedEvents, type TriedCounting } from './triedCounts.ts';

/* Who would have completed an achievement within a window, and when. */

export interface TriedCompletion {
  userId: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** By a total of a metric. */
export async function completionsByMetric(
  rows: Rows,
  rules: Rules,
  { users, window, tried, target }: Asked & { tried: TriedCounting; target: number },
): Promise<TriedCompletion[]> {
  const events = countedEvents(rules, tried, numbersOf(users), window);
  const found = await all(rows)<{ no: number; at: number; isWithin: boolean }>`
    select distinct on (user_no) user_no as no, at,
      (before < ${target}::numeric and ${isWithin(raw('recorded_at'), window)}) as "isWithin"
    from (${events}) as event where greatest(before, reached) >= ${target}::numeric
    order by user_no, place`;
  const idOf = new Map(users.map(({ no, userId }) => [no, userId]));
  return found.flatMap(({ no, at, isWithin: isNew }) => (isNew ? [{ userId: idOf.get(no)!, at }] : []));
}

interface Asked {
  users: readonly TrialUser[];
  window: TrialWindow;
}

/** By the length of the streak. A streak that was so long when the window began completes nothing in it. */
export const completionsByStreak = (
  rows: Rows,
  { tenant }: Rules,
  { users, window, frequency, target }: Asked & { frequency: Frequency; target: number },
): Promise<TriedCompletion[]> => {
  const ofUser = sql`tenant = ${tenant} and frequency = ${frequency}`;
  const began = INSTANT(window.from);
  return all(rows)`
    select user_id as "userId", ${MILLISECONDS('min(extended_at)')} as at from streak_extensions
    where ${ofUser} and user_id = any(${idsOf(users)}::text[]) and length >= ${target}
      and made_good_by is null and ${isWithin(raw('extended_at'), window)}
      and user_id not in (
        select user_id from (
          select distinct on (user_id) user_id, length, period, extended_at from streak_extensions
          where ${ofUser} and user_id = any(${idsOf(users)}::text[]) and extended_at < ${began}
          order by user_id, period desc
        ) as last
        where length >= ${target} and not exists (
          select from streak_losses loss where loss.tenant = ${tenant} and loss.frequency = ${frequency}
            and loss.user_id = last.user_id and loss.period = last.period and lost_at < ${began})
          and not exists (
            select from streak_resets reset where reset.tenant = ${tenant} and reset.frequency = ${frequency}
              and reset.user_id = last.user_id and reset_at >= last.extended_at and reset_at < ${began}))
    group by user_id`;
};

/** By enough of other achievements, given by their numbers. */
export const completionsByOthers = (
  rows: Rows,
  { tenant }: Rules,
  { users, window, required, needed }: Asked & { required: readonly number[]; needed: number },
): Promise<TriedCompletion[]> =>
  all(rows)`
    select "userId", ${MILLISECONDS('at')} as at from (
      select user_id as "userId", (array_agg(completed_at order by completed_at))[${needed}::integer] as at
      from completed_achievements
      where tenant = ${tenant} and user_id = any(${idsOf(users)}::text[])
        and achievement = any(${required}::integer[]) and completed_at < ${INSTANT(window.until)}
      group by user_id having count(*) >= ${needed}
    ) as enough where ${isWithin(raw('at'), window)}`;

/** When users have really completed an achievement, also before the window. */
export const realCompletions = (
  rows: Rows,
  { tenant }: Rules,
  { users, window, achievement }: Asked & { achievement: number },
): Promise<TriedCompletion[]> =>
  all(rows)`
    select user_id as "userId", ${MILLISECONDS('completed_at')} as at from completed_achievements
    where tenant = ${tenant} and user_id = any(${idsOf(users)}::text[]) and achievement = ${achievement}
      and completed_at < ${INSTANT(window.until)}`;
