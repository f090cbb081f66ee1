import { dayOfDate } from '../../rules/calendar.ts';
import type { PointsBoost, PointsTrigger } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { DATE, raw, type Sql, sql } from '../sql.ts';
import {
  hasAttributes,
  idsOf,
  isWithin,
  numbersOf,
  type TrialUser,
  type TrialWindow,
} from './trialSlices.ts';
import { countedEvents, type TriedCounting } from './triedCounts.ts';

interface Asked {
  users: readonly TrialUser[];
  window: TrialWindow;
}

/** Points of a user within the window. */
export interface TriedPoints {
  userId: string;
  gained: number;
  taken: number;
}

/**
 * How often a trigger would have fired, as a table: user_id, local_date, times.
 * @param tried of a trigger by a metric
 */
export function firings(
  rules: Rules,
  trigger: PointsTrigger,
  { users, window }: Asked,
  tried: TriedCounting | null,
): Sql {
  const meant = users.filter(({ isMeant }) => isMeant);
  const ofUser = sql`tenant = ${rules.tenant} and user_id = any(${idsOf(meant)}::text[])`;
  switch (trigger.type) {
    case 'metric':
      return metricFirings(rules, trigger, { users: meant, window }, tried!);
    case 'streak':
      return sql`select user_id, local_date, 1 as times from streak_extensions
        where ${ofUser} and frequency = ${rules.config.streak.frequency} and made_good_by is null
          and length % ${trigger.streakLength} = 0 and ${isWithin(raw('extended_at'), window)}`;
    case 'achievement':
      return sql`select user_id, local_date, 1 as times from (
          select tenant, user_id, achievement, completed_at, local_date from completed_achievements
          union all select tenant, user_id, achievement_no, completed_at, local_date from achievement_repeats
        ) as completion
        where ${ofUser} and achievement = ${rules.byId('achievements', trigger.achievementId!).no}
          and ${isWithin(raw('completed_at'), window)}`;
    case 'user_creation':
      return sql`select user_id, (created_at at time zone ${rules.config.settings.defaultTimeZone})::date
          as local_date, 1 as times
        from users where ${ofUser} and ${isWithin(raw('created_at'), window)}`;
    case 'time':
      throw new Error('points given by time are not tried');
  }
}

/** Crossings of multiples of the threshold: by the peak, or by the total if points are taken. */
function metricFirings(
  rules: Rules,
  trigger: PointsTrigger,
  { users, window }: Asked,
  tried: TriedCounting,
): Sql {
  const events = countedEvents(rules, tried, numbersOf(users), window);
  const multiples = (total: Sql): Sql => sql`floor(${total} / ${trigger.metricThreshold}::numeric)`;
  const earlier = raw('order by place rows between unbounded preceding and 1 preceding');
  const times =
    trigger.points < 0
      ? sql`case when added > 0 then ${multiples(raw('reached'))} - ${multiples(raw('before'))} else 0 end`
      : sql`${multiples(raw('greatest(peak, reached)'))} - ${multiples(raw('peak'))}`;
  return sql`
    select user_id, local_date, times::float8 as times from (
      select user_no, local_date, recorded_at, ${times} as times from (
        select *, greatest(0, first_value(before) over (partition by user_no order by place),
          max(reached) over (partition by user_no ${earlier})) as peak
        from (${events}) as event
      ) as risen
    ) as fired join user_numbers on no = user_no
    where times > 0 and ${isWithin(raw('recorded_at'), window)}`;
}

/** Whether a boost applies to a row with `user_id` and `local_date`. */
function applies(rules: Rules, { start, end, userId, userAttributes }: PointsBoost): Sql {
  const ends = end === null ? raw('true') : sql`local_date <= ${DATE(dayOfDate(end))}`;
  const isFor = userId === null ? raw('true') : sql`user_id = ${userId}`;
  const has = hasAttributes(rules, userAttributes, 'fired.user_id');
  return sql`(local_date >= ${DATE(dayOfDate(start))} and ${ends} and ${isFor} and ${has})`;
}

/** The product is rounded once, as in lua/includes/awardPoints.lua. */
export const roundedSql = (exact: Sql, rounding: Sql): Sql => sql`
  (select case
      when abs(exact - nearest) < noise or rounding = 'nearest' then nearest
      when rounding = 'down' then floor(exact) else ceil(exact) end
    from (
      select exact, rounding, noise, floor(exact + 0.5 + noise) as nearest from (
        select exact, rounding, greatest(1e-6, exact * 2 ^ -51) as noise
        from (select (${exact})::float8 as exact, (${rounding})::text as rounding) as given
      ) as noisy
    ) as near)`;

/** What a trigger would have given users, with the boosts of the system, or taken. */
export async function triedPoints(
  rows: Rows,
  rules: Rules,
  trigger: PointsTrigger,
  asked: Asked & { tried: TriedCounting | null },
): Promise<TriedPoints[]> {
  const boosts = trigger.points < 0 ? [] : boostsWithin(rules, trigger.systemId, asked.window);
  const amount = sql`times * ${trigger.points}::float8`;
  const product = boosts.reduce(
    (product, boost) => sql`${product} * case when ${applies(rules, boost)} then ${boost.multiplier}::float8
      else 1 end`,
    raw('1::float8'),
  );
  const by = (rounding: PointsBoost['rounding']): Sql =>
    boosts
      .filter((boost) => boost.rounding === rounding)
      .reduce((any, boost) => sql`${any} or ${applies(rules, boost)}`, raw('false'));
  const rounding = sql`case when ${by('down')} then 'down' when ${by('nearest')} then 'nearest' else 'up' end`;
  const points = boosts.length === 0 ? amount : roundedSql(sql`${amount} * ${product}`, rounding);
  const found = await all(rows)<{ userId: string; points: number }>`
    select user_id as "userId", sum(${points})::float8 as points
    from (${firings(rules, trigger, asked, asked.tried)}) as fired group by user_id`;
  return found.map(({ userId, points: sum }) => ({
    userId,
    gained: Math.max(0, sum),
    taken: Math.max(0, -sum),
  }));
}

const DAY_SLACK = 2;

/** Boosts of the system with a day in the window, in any time zone. */
const boostsWithin = (rules: Rules, systemId: string, { from, until }: TrialWindow): PointsBoost[] =>
  rules.config.pointsBoosts.filter(
    (boost) =>
      boost.systemId === systemId &&
      dayOfDate(boost.start) <= dayOf(until) + DAY_SLACK &&
      (boost.end === null || dayOfDate(boost.end) >= dayOf(from) - DAY_SLACK),
  );
const DAY_MS = 86_400_000;
const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/**
 * Awards of a system that users really had within the window, as a table: user_id, awarded, trigger, boosts.
 */
export function realAwards(rules: Rules, system: number, { users, window }: Asked): Sql {
  const within = isWithin(raw('recorded_at'), window);
  return sql`
    select user_id, awarded, trigger, boosts from points_awards
    where tenant = ${rules.tenant} and user_id = any(${idsOf(users)}::text[]) and system = ${system} and ${within}
    union all
    select user_id, awarded, trigger, boosts from event_awards join user_numbers on no = user_no
    where user_no = any(${numbersOf(users)}::integer[]) and system = ${system} and ${within}
      and strpos(packed, '[' || ${system}::integer || ',') > 0`;
}

/** What users really gained and lost, and what of it came from the given triggers. */
export const realPoints = (
  rows: Rows,
  rules: Rules,
  { system, triggers, ...asked }: Asked & { system: number; triggers: readonly number[] },
): Promise<(TriedPoints & { gainedByTriggers: number; takenByTriggers: number })[]> => {
  const ofTriggers = sql`trigger = any(${triggers}::integer[])`;
  return all(rows)`
    select user_id as "userId",
      coalesce(sum(awarded) filter (where awarded > 0), 0) as gained,
      coalesce(- sum(awarded) filter (where awarded < 0), 0) as taken,
      coalesce(sum(awarded) filter (where awarded > 0 and ${ofTriggers}), 0) as "gainedByTriggers",
      coalesce(- sum(awarded) filter (where awarded < 0 and ${ofTriggers}), 0) as "takenByTriggers"
    from (${realAwards(rules, system, asked)}) as award group by user_id`;
};

/** Numbers by which awards name a trigger or boost as it was before its changes. */
export const pastNumbers = async (
  rows: Rows,
  { tenant }: Rules,
  kind: 'pointsTriggers' | 'pointsBoosts',
  id: string,
): Promise<number[]> =>
  (
    await all(rows)<{ no: number }>`
      select no from past_causes where tenant = ${tenant} and kind = ${kind} and view ->> 'id' = ${id}`
  ).map(({ no }) => no);
