import type { Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import { ORDINAL } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import type { Ranking } from './finalRunRows.ts';

export interface HiddenUserRow {
  userId: string;
  reason: string;
  hiddenAt: Date;
}

/** @returns false if the list has the user already; then the first reason stays */
export async function insertHiddenUser(
  db: Queryable,
  { tenant, userId }: UserKey,
  leaderboard: number,
  reason: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into hidden_users (tenant, leaderboard, user_id, reason, hidden_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [tenant, leaderboard, userId, reason, new Date(now)],
  );
  return rowCount !== 0;
}

/** @returns false if the list does not have the user */
export async function deleteHiddenUser(
  db: Queryable,
  { tenant, userId }: UserKey,
  leaderboard: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from hidden_users where tenant = $1 and leaderboard = $2 and user_id = $3',
    [tenant, leaderboard, userId],
  );
  return rowCount !== 0;
}

/** The latest first. */
export async function listHiddenUsers(
  db: Queryable,
  tenant: number,
  leaderboard: number,
  { limit, skip }: { limit: number; skip: number },
): Promise<HiddenUserRow[]> {
  const { rows } = await db.query<HiddenUserRow>(
    `select user_id as "userId", reason, hidden_at as "hiddenAt" from hidden_users
     where tenant = $1 and leaderboard = $2 order by hidden_at desc, user_id limit $3 offset $4`,
    [tenant, leaderboard, limit, skip],
  );
  return rows;
}

/** A ranking of a leaderboard, by its number. */
export interface EarlierRanking extends Ranking {
  board: number;
}

/** More than the runs that can be open at once, with room for users who changed their group. */
const OPEN_RANKINGS_MAX = 200;

const OPEN_RANKINGS: Statement = {
  name: 'open rankings of a user',
  text: `select distinct leaderboard as board, ${ORDINAL('run_start')} as run, ranking_group as "group"
    from leaderboard_changes change
    where tenant = $1 and user_id = $2 and ($3::integer is null or leaderboard = $3)
      and not exists (select from leaderboard_runs run where run.tenant = change.tenant
        and run.leaderboard = change.leaderboard and run.run_start = change.run_start)
    order by run desc limit ${OPEN_RANKINGS_MAX}`,
};

/**
 * Rankings in which the history has a user, of runs that are not final, the latest first. @param leaderboard
 * null for all
 */
export function listOpenRankings(
  rows: Rows,
  { tenant, userId }: UserKey,
  leaderboard: number | null,
): Promise<EarlierRanking[]> {
  return rows<EarlierRanking>(OPEN_RANKINGS, [tenant, userId, leaderboard]);
}
