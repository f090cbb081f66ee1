import type { Page } from '../../contract/admin.ts';
import type { Queryable } from '../pool.ts';
import { all, some } from '../rows.ts';
import type { UserKey } from '../users/userMap.ts';

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
