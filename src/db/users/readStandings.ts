import type { Frequency } from '../../rules/config.ts';
import { all, type Rows } from '../rows.ts';

/** Reads over all users of a tenant. Their cost does not grow with the length of the history. */

interface RangeRow {
  /** Number of bounds reached; null for users who never got points. */
  range: number | null;
  users: number;
}

/**
 * Number of users with a total from each bound up to the next one; the first number counts totals below the
 * first bound. Bounds ascend and are above 0. Users who never got points are counted only if `attributes` is
 * given.
 *
 * @param attributes values that users must have, by attribute number; null counts all users
 */
export async function countUsersByPoints(
  rows: Rows,
  { tenant, system }: { tenant: number; system: number },
  bounds: number[],
  attributes: ReadonlyMap<number, string> | null,
): Promise<number[]> {
  const found =
    attributes === null
      ? await all(rows)<RangeRow>`
        select width_bucket(total, ${bounds}::float8[]) as range, sum(users)::float8 as users
        from points_counts where tenant = ${tenant} and system = ${system} group by 1`
      : await all(rows)<RangeRow>`
        with matching as (
          select user_id from user_attributes where tenant = ${tenant} and (attribute, value) in (
            select * from unnest(${[...attributes.keys()]}::int4[], ${[...attributes.values()]}::text[]))
          group by user_id having count(*) = ${attributes.size}
        )
        select width_bucket(total, ${bounds}::float8[]) as range, count(*)::float8 as users
        from matching left join points_totals as points
          on points.tenant = ${tenant} and points.user_id = matching.user_id and points.system = ${system}
        group by 1`;
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const { range, users } of found) counts[range ?? 0]! += users;
  return counts;
}

/** The sum of the totals of all users, by bound as countUsersByPoints. */
export async function sumPointsByBound(
  rows: Rows,
  { tenant, system }: { tenant: number; system: number },
  bounds: number[],
): Promise<number[]> {
  const found = await all(rows)<{ range: number; points: number }>`
    select width_bucket(total, ${bounds}::float8[]) as range, sum(total * users)::float8 as points
    from points_counts where tenant = ${tenant} and system = ${system} group by 1`;
  const sums = new Array<number>(bounds.length + 1).fill(0);
  for (const { range, points } of found) sums[range]! += points;
  return sums;
}

export interface StreakRow {
  userId: string;
  length: number;
}

/** The users with the longest streaks ever reached. */
export const readLongestStreaks = (
  rows: Rows,
  tenant: number,
  frequency: Frequency,
  count: number,
): Promise<StreakRow[]> =>
  all(rows)`
    select user_id as "userId", longest as length from streak_standings
    where tenant = ${tenant} and frequency = ${frequency} order by longest desc, user_id limit ${count}`;

/**
 * Streaks last extended in `sincePeriod` or later, longest first, as of their last change; `after` is the
 * last row of the previous page.
 */
export const readStandingStreaks = (
  rows: Rows,
  tenant: number,
  frequency: Frequency,
  sincePeriod: number,
  after: StreakRow | null,
  count: number,
): Promise<StreakRow[]> =>
  all(rows)`
    select user_id as "userId", length from streak_standings
    where tenant = ${tenant} and frequency = ${frequency} and length > 0 and last_period >= ${sincePeriod}
      and (- length, user_id collate "C") > (coalesce(- ${after?.length}::int4, -2147483647),
        coalesce(${after?.userId}::text, '') collate "C")
    order by - length, user_id collate "C" limit ${count}`;
