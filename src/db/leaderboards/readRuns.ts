import type { Page } from '../../contract/admin.ts';
import { all, first, type Rows } from '../rows.ts';
import { DATE, ORDINAL, sql } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import { ofRun } from './finalRunRows.ts';

/** Identifies a run by the number of its leaderboard and its first day, an ordinal since 1970. */
export interface RunKey {
  leaderboard: number;
  start: number;
}

export interface PlaceRow {
  rank: number;
  userId: string;
  value: number;
}

/**
 * Final entries of a group, counted from the top or from the place of a user (then `offset` may be negative).
 * Empty if the user has no rank, or the run is not final yet.
 */
export const readRunPage = (
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  group: string,
  { offset, limit, userId }: { offset: number; limit: number; userId: string | null },
): Promise<PlaceRow[]> =>
  all(rows)`
    with ranking as (
      select place, rank, user_id as "userId", value from leaderboard_places
      where ${ofRun({ tenant, leaderboard }, start)} and ranking_group = ${group}
        and hashtextextended(ranking_group, 0) = hashtextextended(${group}, 0))
    select rank, "userId", value from ranking, (
      select ${offset}::integer + case when ${userId}::text is null then 1
        else (select place from ranking where "userId" = ${userId}) end as place) as first
    where ranking.place >= first.place and ranking.place < first.place + ${limit}
    order by ranking.place`;

/** The last group of a user in a run; null if the user did not take part. */
export async function readRunGroup(
  rows: Rows,
  { tenant, userId }: UserKey,
  run: RunKey,
): Promise<string | null> {
  return (await readRunGroups(rows, tenant, run, [userId])).get(userId) ?? null;
}

/** The last group of each of these users in a run, without users who did not take part. */
export async function readRunGroups(
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const ofUsers = sql`${ofRun({ tenant, leaderboard }, start)} and user_id = any(${userIds})`;
  const found = await all(rows)<{ userId: string; group: string }>`
    select distinct on (user_id) user_id as "userId", ranking_group as "group" from (
      select user_id, ranking_group, last_sequence from leaderboard_changes where ${ofUsers}
      union all select user_id, ranking_group, 0 from leaderboard_places where ${ofUsers}
    ) as found order by user_id, last_sequence desc`;
  return new Map(found.map(({ userId, group }) => [userId, group]));
}

/** An entry of a group with a rank of 1 to 3. */
export interface WinnerRow extends PlaceRow {
  /** Day ordinals of the run. */
  start: number;
  end: number;
  finalizedAt: Date;
  group: string;
  userName: string | null;
}

/** Winners of one run or of all runs, the latest run first. */
export const readWinners = (
  rows: Rows,
  tenant: number,
  leaderboard: number,
  run: number | null,
  { limit, skip }: Page,
): Promise<WinnerRow[]> =>
  all(rows)`
    select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, finalized_at as "finalizedAt",
      ranking_group as "group", rank, user_id as "userId", value,
      (select name from users where users.tenant = winner.tenant
        and users.user_id = winner.user_id) as "userName"
    from leaderboard_winners as winner
    where tenant = ${tenant} and leaderboard_no = ${leaderboard}
      and (${run}::integer is null or run_start = ${DATE(run)})
    order by run_start desc, ranking_group, place limit ${limit} offset ${skip}`;

export interface LeaderboardDayRow {
  /** Day ordinal, local to the user. */
  day: number;
  group: string;
  changedAt: Date;
  rank: number | null;
  value: number;
  previousRank: number | null;
  previousValue: number | null;
  /** Sequence number of the user's last change of the day. */
  sequence: number;
}

/** The user's rank and score before and after each day with a change, newest first. */
export const readLeaderboardDays = (
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
  count: number,
): Promise<LeaderboardDayRow[]> =>
  all(rows)`
    select ${ORDINAL('local_date')} as day, ranking_group as "group", changed_at as "changedAt", rank, value,
      previous_rank as "previousRank", previous_value as "previousValue", last_sequence::float8 as sequence
    from leaderboard_changes
    where tenant = ${tenant} and user_id = ${userId} and leaderboard = ${leaderboard}
      and run_start = ${DATE(start)}
    order by local_date desc, last_sequence desc limit ${count}`;

/**
 * Of these users, how many have moved since a day (an ordinal), and how many came into the run since then. A
 * user moves on a day whose changes lead from one rank to another. Changes of others do not count, nor does
 * the day on which a user gets the first rank.
 */
export async function readRecentMoves(
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  userIds: readonly string[],
  since: number,
): Promise<{ moved: number; entered: number }> {
  const ofUser = sql`${ofRun({ tenant, leaderboard }, start)} and user_id = ranked.user_id`;
  const found = await first(rows)<{ moved: number; entered: number }>`
    select (count(*) filter (where moved))::integer as moved, (count(*) filter (where days > 0
        and not exists (select from leaderboard_changes where ${ofUser} and local_date < ${DATE(since)}))
      )::integer as entered
    from unnest(${userIds}::text[]) as ranked (user_id) cross join lateral (
      select bool_or(rank <> previous_rank) as moved, count(*) as days
      from leaderboard_changes where ${ofUser} and local_date >= ${DATE(since)}) as recent`;
  return found!;
}
