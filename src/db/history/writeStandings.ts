import { bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { HistoryRows, PointsTotalRow, StreakStandingRow, UserAttributeRow } from './historyRows.ts';

/*
 * Standings of users after a batch (src/db/migrations/001_schema.sql). Rows are written in the order of the
 * key, so that two relays cannot deadlock. Writing a batch again changes nothing, because its sequence
 * numbers are not higher than the stored ones.
 */

const POINTS_TOTALS = bulkStatement<PointsTotalRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    system: ['int4', (row) => row.system],
    total: ['float8', (row) => row.total],
    sequence: ['int8', (row) => row.sequence],
  },
  ({ insertInto }) => `${insertInto('points_totals as old')} order by 1, 2, 3
    on conflict (tenant, user_id, system) do update set total = excluded.total, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
);

const USER_ATTRIBUTES = bulkStatement<UserAttributeRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    attribute: ['int4', (row) => row.attribute],
    value: ['text', (row) => row.value],
    sequence: ['int8', (row) => row.sequence],
  },
  ({ insertInto }) => `${insertInto('user_attributes as old')} order by 1, 2, 3
    on conflict (tenant, user_id, attribute) do update set value = excluded.value, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
);

const STREAK_STANDINGS = bulkStatement<StreakStandingRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    frequency: ['text', (row) => row.frequency],
    length: ['int4', (row) => row.length],
    last_period: ['int4', (row) => row.lastPeriod],
    longest: ['int4', (row) => row.longest],
    sequence: ['int8', (row) => row.sequence],
  },
  ({ insertInto }) => `${insertInto('streak_standings as old')} order by 1, 2, 3
    on conflict (tenant, user_id, frequency) do update set
      length = case when excluded.sequence > old.sequence then excluded.length else old.length end,
      last_period = case when excluded.sequence > old.sequence then excluded.last_period else old.last_period end,
      longest = greatest(excluded.longest, old.longest),
      sequence = greatest(excluded.sequence, old.sequence)
    where excluded.sequence > old.sequence or excluded.longest > old.longest`,
);

/** Runs in the transaction that writes the history of the same batch. */
export async function writeStandings(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
): Promise<void> {
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
