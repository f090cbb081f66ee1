import type { Rows, Statement } from '../rows.ts';
import type { UserKey } from './userMap.ts';

/** Pseudo metric for events of any metric. */
export const ANY_METRIC = 0;

/**
 * SQL: the row of a user's events of any metric. ANY_METRIC is the lowest metric, so it is the first row of
 * the primary key. A condition `metric = 0` would allow PostgreSQL to read all users of the tenant from the
 * index user_activity_last: without statistics it expects them to be few.
 */
export const activityOf = (tenant: string, userId: string): string =>
  `(select first_day, days from user_activity where tenant = ${tenant} and user_id = ${userId} order by metric limit 1)`;

const LAST_ACTIVE: Statement = {
  name: 'last active day',
  text: `select first_day + length(days) - 1 as day from ${activityOf('$1', '$2')} as activity`,
};

/** Day ordinal of a user's last event, in the tenant's time zone; null if the user had no event. */
export async function readLastActive(rows: Rows, { tenant, userId }: UserKey): Promise<number | null> {
  const [row] = await rows<{ day: number }>(LAST_ACTIVE, [tenant, userId]);
  return row?.day ?? null;
}
