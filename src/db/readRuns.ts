import type { Rows, Statement } from './history.ts';
import { DATE, ORDINAL, type UserKey } from './readUserHistory.ts';

/** Reads of the runs of leaderboards. A run is named by its leaderboard's number and its first day, an ordinal since 1970. */
export interface RunKey {
  leaderboard: number;
  start: number;
}

export interface PlaceRow {
  rank: number;
  userId: string;
  value: number;
}

const RUN = `tenant = $1 and leaderboard_no = $2 and run_start = ${DATE('$3')}`;

const PAGE: Statement = {
  name: 'page of a run',
  text: `with ranking as (select rank, user_id, value from leaderboard_rankings where ${RUN} and ranking_group = $4)
    select ranking.rank::integer, user_id as "userId", value from ranking, (
      select $5 + case when $7::text is null then 1 else (select rank from ranking where user_id = $7) end as rank) as first
    where ranking.rank >= first.rank and ranking.rank < first.rank + $6
    order by ranking.rank`,
};

/** Places of a group from the top, or counted from that of a user (then `offset` may be negative); none when the user has no place. */
export function readRunPage(
  rows: Rows,
  tenant: number,
  { leaderboard, start }: RunKey,
  group: string,
  page: { offset: number; limit: number; userId: string | null },
): Promise<PlaceRow[]> {
  return rows<PlaceRow>(PAGE, [tenant, leaderboard, start, group, page.offset, page.limit, page.userId]);
}

const PLACE: Statement = {
  name: 'place in a run',
  text: `select rank::integer, user_id as "userId", value from leaderboard_rankings where ${RUN} and user_id = $4`,
};

/** Null for who took no part, or was pushed out. */
export async function readRunPlace(
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
): Promise<PlaceRow | null> {
  const [place] = await rows<PlaceRow>(PLACE, [tenant, leaderboard, start, userId]);
  return place ?? null;
}

export interface LeaderboardDayRow {
  /** Day ordinal, local to the user. */
  day: number;
  changedAt: Date;
  rank: number | null;
  value: number;
  previousRank: number | null;
  previousValue: number;
}

const DAYS: Statement = {
  name: 'days in a run',
  text: `select ${ORDINAL('local_date')} as day, changed_at as "changedAt", rank, value, previous_rank as "previousRank",
      previous_value as "previousValue"
    from leaderboard_changes
    where tenant = $1 and user_id = $2 and leaderboard = $3 and run_start = ${DATE('$4')}
    order by local_date desc, last_sequence desc limit $5`,
};

/** Where the user began and came to on each day with a change, newest first. */
export function readLeaderboardDays(
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
  count: number,
): Promise<LeaderboardDayRow[]> {
  return rows<LeaderboardDayRow>(DAYS, [tenant, userId, leaderboard, start, count]);
}
