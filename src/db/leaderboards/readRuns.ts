import type { Rows, Statement } from '../rows.ts';
import { DATE, ORDINAL } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';

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

const RUN = `tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')}`;
const PLACES = `select place, rank, user_id as "userId", value from leaderboard_places where ${RUN}`;

const PAGE: Statement = {
  name: 'page of a run',
  text: `with ranking as (${PLACES} and hashtextextended(ranking_group, 0) = hashtextextended($4, 0) and ranking_group = $4)
    select rank, "userId", value from ranking, (
      select $5 + case when $7::text is null then 1 else (select place from ranking where "userId" = $7) end as place) as first
    where ranking.place >= first.place and ranking.place < first.place + $6
    order by ranking.place`,
};

/**
 * Final entries of a group, counted from the top or from the place of a user (then `offset` may be negative).
 * Empty if the user has no rank, or the run is not final yet.
 */
export function readRunPage(
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  group: string,
  page: { offset: number; limit: number; userId: string | null },
): Promise<PlaceRow[]> {
  return rows<PlaceRow>(PAGE, [tenant, leaderboard, start, group, page.offset, page.limit, page.userId]);
}

const GROUP: Statement = {
  name: 'group in a run',
  text: `select ranking_group as "group" from (
      select ranking_group, last_sequence from leaderboard_changes where ${RUN} and user_id = $4
      union all
      select ranking_group, 0 from leaderboard_places where ${RUN} and user_id = $4
    ) as found order by last_sequence desc limit 1`,
};

/** The last group of a user in a run; null if the user did not take part. */
export async function readRunGroup(
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
): Promise<string | null> {
  const [row] = await rows<{ group: string }>(GROUP, [tenant, leaderboard, start, userId]);
  return row?.group ?? null;
}

const GROUPS: Statement = {
  name: 'groups in a run',
  text: `select distinct on (user_id) user_id as "userId", ranking_group as "group" from (
      select user_id, ranking_group, last_sequence from leaderboard_changes where ${RUN} and user_id = any($4)
      union all
      select user_id, ranking_group, 0 from leaderboard_places where ${RUN} and user_id = any($4)
    ) as found order by user_id, last_sequence desc`,
};

/** The last group of each of these users in a run, without users who did not take part. */
export async function readRunGroups(
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await rows<{ userId: string; group: string }>(GROUPS, [tenant, leaderboard, start, userIds]);
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

const WINNERS: Statement = {
  name: 'winners',
  text: `select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, finalized_at as "finalizedAt",
      ranking_group as "group", rank, user_id as "userId", value,
      (select name from users where users.tenant = winner.tenant and users.user_id = winner.user_id) as "userName"
    from leaderboard_winners as winner
    where tenant = $1 and leaderboard_no = $2 and ($3::integer is null or run_start = ${DATE('$3')})
    order by run_start desc, ranking_group, place limit $4 offset $5`,
};

/** Winners of one run or of all runs, the latest run first. */
export function readWinners(
  rows: Rows,
  tenant: number,
  leaderboard: number,
  run: number | null,
  { limit, skip }: { limit: number; skip: number },
): Promise<WinnerRow[]> {
  return rows<WinnerRow>(WINNERS, [tenant, leaderboard, run, limit, skip]);
}

export interface LeaderboardDayRow {
  /** Day ordinal, local to the user. */
  day: number;
  changedAt: Date;
  rank: number | null;
  value: number;
  previousRank: number | null;
  previousValue: number | null;
}

const DAYS: Statement = {
  name: 'days in a run',
  text: `select ${ORDINAL('local_date')} as day, changed_at as "changedAt", rank, value, previous_rank as "previousRank",
      previous_value as "previousValue"
    from leaderboard_changes
    where tenant = $1 and user_id = $2 and leaderboard = $3 and run_start = ${DATE('$4')}
    order by local_date desc, last_sequence desc limit $5`,
};

/** The user's rank and score before and after each day with a change, newest first. */
export function readLeaderboardDays(
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
  count: number,
): Promise<LeaderboardDayRow[]> {
  return rows<LeaderboardDayRow>(DAYS, [tenant, userId, leaderboard, start, count]);
}
