import { type Rows, value } from '../rows.ts';
import { type Sql, sql } from '../sql.ts';
import type { UserKey } from './userMap.ts';

/** Pseudo metric for events of any metric. */
export const ANY_METRIC = 0;

/**
 * SQL: the row of a user's events of any metric. ANY_METRIC is the lowest metric, so it is the first row of
 * the primary key. A condition `metric = 0` would allow PostgreSQL to read all users of the tenant from the
 * index user_activity_last: without statistics it expects them to be few.
 */
export const activityOf = (tenant: number | Sql, userId: string | Sql): Sql =>
  sql`(select first_day, days from user_activity where tenant = ${tenant} and user_id = ${userId} order by metric limit 1)`;

/** Day ordinal of a user's last event, in the tenant's time zone; null if the user had no event. */
export const readLastActive = (rows: Rows, { tenant, userId }: UserKey): Promise<number | null> =>
  value(rows)`select first_day + length(days) - 1 as day from ${activityOf(tenant, userId)} as activity`;
