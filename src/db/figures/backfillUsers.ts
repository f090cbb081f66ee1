import type { ActivityRow } from '../history/historyRows.ts';
import { writeActivity } from '../history/writeActivity.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { ORDINAL, type UserKey } from '../users/readUserHistory.ts';
import { addFigures, Figures } from './figures.ts';

/** Backfills of users from before the roll-ups existed. Each step may be repeated; existing rows are not counted again. */

/** Number of tenants whose earlier history is being counted. */
export async function countBackfills(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from figure_backfills');
  return rows[0]!.count;
}

/** Ids of the next `count` users of a tenant after `after`, in the order of ids. */
export async function nextUsers(client: PoolClient, tenant: number, after: string, count: number): Promise<string[]> {
  const { rows } = await client.query<{ userId: string }>(
    `select user_id as "userId" from users where tenant = $1 and user_id > $2 order by user_id limit $3`,
    [tenant, after, count],
  );
  return rows.map(({ userId }) => userId);
}

/** Adds the days on which the users had events, in the tenant's time zone. For dropped events it is the user's local day. */
export async function backfillActivity(
  client: PoolClient,
  tenant: number,
  userIds: string[],
  zone: string,
): Promise<void> {
  const { rows } = await client.query<ActivityRow>(
    `select $1::integer as tenant, user_id as "userId", metric, ${ORDINAL('day')} as day from (
       select user_id, metric, (recorded_at at time zone $3)::date as day from event_history
       where tenant = $1 and user_id = any($2)
       union select user_id, metric, local_date from metric_days where tenant = $1 and user_id = any($2)
     ) as active`,
    [tenant, userIds, zone],
  );
  const figures = new Figures();
  const waiting = [...rows].sort((a, b) => a.day - b.day);
  await writeActivity(client, waiting, figures);
  await addFigures(client, figures.rows);
}

/** Adds lost streaks: those followed by a new streak, and those that are over. The time of the loss is the end (UTC) of the period after the last one. */
export async function backfillLosses(client: PoolClient, tenant: number, userIds: string[]): Promise<void> {
  await client.query(
    `insert into streak_losses (tenant, user_id, frequency, period, length, lost_at)
     select tenant, user_id, frequency, period, extension.length, case frequency
         when 'daily' then timestamptz '1970-01-01 00:00:00Z' + (period + 2) * interval '1 day'
         when 'weekly' then timestamptz '1969-12-29 00:00:00Z' + (period + 2) * interval '7 days'
         else timestamptz '1970-01-01 00:00:00Z' + (period + 2) * interval '1 month' end
     from (
       select *, lead(length) over streak as next_length from streak_extensions
       where tenant = $1 and user_id = any($2) window streak as (partition by user_id, frequency order by period)
     ) as extension
     left join streak_standings standing using (tenant, user_id, frequency)
     where next_length = 1 or (next_length is null and standing.length = 0)
     on conflict do nothing`,
    [tenant, userIds],
  );
}

/** Marks users for a count of their cohorts. */
export async function noteUsers(client: PoolClient, users: UserKey[]): Promise<void> {
  await client.query(
    `insert into cohort_changes (tenant, user_id) select * from unnest($1::int4[], $2::text[]) order by 1, 2
     on conflict do nothing`,
    [users.map(({ tenant }) => tenant), users.map(({ userId }) => userId)],
  );
}

export interface StoredUser {
  userId: string;
  hot: Buffer;
  cold: Buffer;
}

/** Snapshots of those users whose name, email and group have not been filled in. */
export async function readUnknownUsers(client: PoolClient, tenant: number, userIds: string[]): Promise<StoredUser[]> {
  const { rows } = await client.query<StoredUser>(
    `select user_id as "userId", hot, cold from user_snapshots join users using (tenant, user_id)
     where tenant = $1 and user_id = any($2) and control is null`,
    [tenant, userIds],
  );
  return rows;
}

export async function setUserFields(
  client: PoolClient,
  tenant: number,
  users: { userId: string; name: string | null; email: string | null; control: boolean }[],
): Promise<void> {
  await client.query(
    `update users set control = row.control,
       name = case when name_sequence = 0 then row.name else users.name end,
       email = case when email_sequence = 0 then row.email else users.email end
     from unnest($2::text[], $3::text[], $4::text[], $5::bool[]) as row (user_id, name, email, control)
     where users.tenant = $1 and users.user_id = row.user_id`,
    [
      tenant,
      users.map(({ userId }) => userId),
      users.map(({ name }) => name),
      users.map(({ email }) => email),
      users.map(({ control }) => control),
    ],
  );
}
