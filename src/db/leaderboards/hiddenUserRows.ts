import type { Page } from '../../contract/admin.ts';
import type { Queryable } from '../pool.ts';
import { all, type Rows, some } from '../rows.ts';
import { ORDINAL, raw } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import type { Ranking } from './finalRunRows.ts';

export interface HiddenUserRow {
  userId: string;
  reason: string;
  hiddenAt: Date;
}

/** @returns false if the list has the user already; then the first reason stays */
export const insertHiddenUser = (
  db: Queryable,
  { tenant, userId }: UserKey,
  leaderboard: number,
  reason: string,
  now: number,
): Promise<boolean> =>
  some(db)`
    insert into hidden_users (tenant, leaderboard, user_id, reason, hidden_at)
    values (${tenant}, ${leaderboard}, ${userId}, ${reason}, ${new Date(now)})
    on conflict do nothing`;

/** @returns false if the list does not have the user */
export const deleteHiddenUser = (
  db: Queryable,
  { tenant, userId }: UserKey,
  leaderboard: number,
): Promise<boolean> =>
  some(db)`
    delete from hidden_users
    where tenant = ${tenant} and leaderboard = ${leaderboard} and user_id = ${userId}`;

/** The latest first. */
export const listHiddenUsers = (
  db: Queryable,
  tenant: number,
  leaderboard: number,
  { limit, skip }: Page,
): Promise<HiddenUserRow[]> =>
  all(db)`
    select user_id as "userId", reason, hidden_at as "hiddenAt" from hidden_users
    where tenant = ${tenant} and leaderboard = ${leaderboard} order by hidden_at desc, user_id limit ${limit}
    offset ${skip}`;

/** A ranking of a leaderboard, by its number. */
export interface EarlierRanking extends Ranking {
  board: number;
}

/** More than the runs that can be open at once, with room for users who changed their group. */
const OPEN_RANKINGS_MAX = 200;

/**
 * Rankings in which the history has a user, of runs that are not final, the latest first. @param leaderboard
 * null for all
 */
export const listOpenRankings = (
  rows: Rows,
  { tenant, userId }: UserKey,
  leaderboard: number | null,
): Promise<EarlierRanking[]> =>
  all(rows)`
    select distinct leaderboard as board, ${ORDINAL('run_start')} as run, ranking_group as "group"
    from leaderboard_changes change
    where tenant = ${tenant} and user_id = ${userId}
      and (${leaderboard}::integer is null or leaderboard = ${leaderboard})
      and not exists (select from leaderboard_runs run where run.tenant = change.tenant
        and run.leaderboard = change.leaderboard and run.run_start = change.run_start)
    order by run desc limit ${raw(OPEN_RANKINGS_MAX)}`;
