import type { Frequency } from '../../rules/config.ts';
import type { Rows, Statement } from '../rows.ts';

/** Reads over all users of a tenant. Their cost does not grow with the length of the history. */

interface SystemKey {
  tenant: number;
  system: number;
}

interface RangeRow {
  /** Number of bounds reached; null for users who never got points. */
  range: number | null;
  users: number;
}

const COUNTS: Statement = {
  name: 'counts of users by points',
  text: `select width_bucket(total, $3::float8[]) as range, sum(users)::float8 as users
    from points_counts where tenant = $1 and system = $2 group by 1`,
};

const MATCHING_COUNTS: Statement = {
  name: 'counts of users with attributes by points',
  text: `with matching as (
      select user_id from user_attributes
      where tenant = $1 and (attribute, value) in (select * from unnest($4::int4[], $5::text[]))
      group by user_id having count(*) = cardinality($4::int4[])
    )
    select width_bucket(total, $3::float8[]) as range, count(*)::float8 as users
    from matching left join points_totals as points
      on points.tenant = $1 and points.user_id = matching.user_id and points.system = $2
    group by 1`,
};

/**
 * Number of users with a total from each bound up to the next one; the first number counts totals below the
 * first bound. Bounds ascend and are above 0. Users who never got points are counted only if `attributes` is
 * given.
 *
 * @param attributes values that users must have, by attribute number; null counts all users
 */
export async function countUsersByPoints(
  rows: Rows,
  { tenant, system }: SystemKey,
  bounds: number[],
  attributes: ReadonlyMap<number, string> | null,
): Promise<number[]> {
  const found =
    attributes === null
      ? await rows<RangeRow>(COUNTS, [tenant, system, bounds])
      : await rows<RangeRow>(MATCHING_COUNTS, [
          tenant,
          system,
          bounds,
          [...attributes.keys()],
          [...attributes.values()],
        ]);
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const { range, users } of found) counts[range ?? 0]! += users;
  return counts;
}

export interface StreakRow {
  userId: string;
  length: number;
}

const LONGEST: Statement = {
  name: 'longest streaks',
  text: `select user_id as "userId", longest as length from streak_standings
    where tenant = $1 and frequency = $2 order by longest desc, user_id limit $3`,
};

/** The users with the longest streaks ever reached. */
export function readLongestStreaks(
  rows: Rows,
  tenant: number,
  frequency: Frequency,
  count: number,
): Promise<StreakRow[]> {
  return rows<StreakRow>(LONGEST, [tenant, frequency, count]);
}

const STANDING: Statement = {
  name: 'standing streaks',
  text: `select user_id as "userId", length from streak_standings
    where tenant = $1 and frequency = $2 and length > 0 and last_period >= $3
      and (- length, user_id collate "C") > (coalesce(- $4::int4, -2147483647), coalesce($5::text, '') collate "C")
    order by - length, user_id collate "C" limit $6`,
};

/**
 * Streaks last extended in `sincePeriod` or later, longest first, as of their last change; `after` is the
 * last row of the previous page.
 */
export function readStandingStreaks(
  rows: Rows,
  tenant: number,
  frequency: Frequency,
  sincePeriod: number,
  after: StreakRow | null,
  count: number,
): Promise<StreakRow[]> {
  return rows<StreakRow>(STANDING, [tenant, frequency, sincePeriod, after?.length, after?.userId, count]);
}
