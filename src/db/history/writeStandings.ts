import { type BulkInsert, insert, numbers, texts } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { HistoryRows, PointsTotalRow, StreakStandingRow, UserAttributeRow } from './historyRows.ts';

/*
 * Standings of users after a batch (src/db/migrations/001_schema.sql). Rows are written in the order of the key, so that two relays
 * cannot deadlock. Writing a batch again changes nothing, because its sequence numbers are not higher than the stored ones.
 */

const POINTS_TOTALS: BulkInsert<PointsTotalRow> = {
  text: `insert into points_totals as old (tenant, user_id, system, total, sequence)
    select * from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int8[]) order by 1, 2, 3
    on conflict (tenant, user_id, system) do update set total = excluded.total, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.system),
    numbers((row) => row.total),
    numbers((row) => row.sequence),
  ],
};

const USER_ATTRIBUTES: BulkInsert<UserAttributeRow> = {
  text: `insert into user_attributes as old (tenant, user_id, attribute, value, sequence)
    select * from unnest($1::int4[], $2::text[], $3::int4[], $4::text[], $5::int8[]) order by 1, 2, 3
    on conflict (tenant, user_id, attribute) do update set value = excluded.value, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.attribute),
    texts((row) => row.value),
    numbers((row) => row.sequence),
  ],
};

const STREAK_STANDINGS: BulkInsert<StreakStandingRow> = {
  text: `insert into streak_standings as old (tenant, user_id, frequency, length, last_period, longest, sequence)
    select * from unnest($1::int4[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::int4[], $7::int8[]) order by 1, 2, 3
    on conflict (tenant, user_id, frequency) do update set
      length = case when excluded.sequence > old.sequence then excluded.length else old.length end,
      last_period = case when excluded.sequence > old.sequence then excluded.last_period else old.last_period end,
      longest = greatest(excluded.longest, old.longest),
      sequence = greatest(excluded.sequence, old.sequence)
    where excluded.sequence > old.sequence or excluded.longest > old.longest`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => row.frequency),
    numbers((row) => row.length),
    numbers((row) => row.lastPeriod),
    numbers((row) => row.longest),
    numbers((row) => row.sequence),
  ],
};

/** Runs in the transaction that writes the history of the same batch. */
export async function writeStandings(client: PoolClient, rows: HistoryRows, isRepeat: boolean): Promise<void> {
  await insert(client, 'user attributes', USER_ATTRIBUTES, rows.userAttributes, isRepeat);
  await insert(client, 'streak standings', STREAK_STANDINGS, rows.streakStandings, isRepeat);
  await insert(client, 'points totals', POINTS_TOTALS, rows.pointsTotals, isRepeat);
}

/** Deletes counts that have become 0. */
export async function forgetEmptyCounts(db: Queryable): Promise<void> {
  // Rows that a relay has locked are left for the next run, so that the two cannot deadlock.
  await db.query(`delete from points_counts where ctid = any(array(
    select ctid from points_counts where users = 0 for update skip locked))`);
}
