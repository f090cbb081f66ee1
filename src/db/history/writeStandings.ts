import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { execute } from '../rows.ts';
import { ORDINAL } from '../sql.ts';
import type {
  HistoryRows,
  LeaderboardChangeRow,
  PointsTotalRow,
  StreakStandingRow,
  UserAttributeRow,
} from './historyRows.ts';

/*
 * Standings of users after a batch (src/db/migrations/001_schema.sql). Rows are written in the order of the
 * key, so that two relays cannot deadlock. Writing a batch again changes nothing, because its sequence
 * numbers are not higher than the stored ones.
 */

/** Users whose first change of a day on a leaderboard was written. */
type Participants = Pick<LeaderboardChangeRow, 'tenant' | 'leaderboard' | 'day'> & { users: number };

// Two relays may hold changes of the same user and day. In whatever order they write, the first change of the
// day gives the previous place and the last one the place. Rows are written in the order of the key, so that
// the relays cannot deadlock.
const LEADERBOARD_CHANGES = new BulkStatement<LeaderboardChangeRow, Participants>(
  {
    tenant: 'int4',
    userId: 'text',
    leaderboard: 'int4',
    run: ['day', 'run_start'],
    day: ['day', 'local_date'],
    group: ['text', 'ranking_group'],
    rank: 'int4',
    value: 'float8',
    previousRank: 'int4',
    previousValue: 'float8',
    changedAt: 'instant',
    firstSequence: 'int8',
    lastSequence: 'int8',
  },
  ({ insertInto }) => `with written as (${insertInto('leaderboard_changes as old')} order by 1, 2, 3, 4, 5, 6
    on conflict (tenant, user_id, leaderboard, run_start, local_date, hashtextextended(ranking_group, 0)) do update set
      rank = case when excluded.last_sequence > old.last_sequence then excluded.rank else old.rank end,
      value = case when excluded.last_sequence > old.last_sequence then excluded.value else old.value end,
      changed_at = case when excluded.last_sequence > old.last_sequence then excluded.changed_at else old.changed_at end,
      last_sequence = greatest(excluded.last_sequence, old.last_sequence),
      previous_rank = case when excluded.first_sequence < old.first_sequence
        then excluded.previous_rank else old.previous_rank end,
      previous_value = case when excluded.first_sequence < old.first_sequence
        then excluded.previous_value else old.previous_value end,
      first_sequence = least(excluded.first_sequence, old.first_sequence)
    where excluded.last_sequence > old.last_sequence or excluded.first_sequence < old.first_sequence
    returning tenant, leaderboard, local_date, xmax = 0 as is_first)
    select tenant, leaderboard, ${ORDINAL('local_date')} as day, count(*)::integer as users
    from written where is_first group by 1, 2, 3`,
);

const POINTS_TOTALS = new BulkStatement<PointsTotalRow>(
  { tenant: 'int4', userId: 'text', system: 'int4', total: 'float8', sequence: 'int8' },
  ({ insertInto }) => `${insertInto('points_totals as old')} order by 1, 2, 3
    on conflict (tenant, user_id, system) do update set total = excluded.total, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
);

const USER_ATTRIBUTES = new BulkStatement<UserAttributeRow>(
  { tenant: 'int4', userId: 'text', attribute: 'int4', value: 'text', sequence: 'int8' },
  ({ insertInto }) => `${insertInto('user_attributes as old')} order by 1, 2, 3
    on conflict (tenant, user_id, attribute) do update set value = excluded.value, sequence = excluded.sequence
    where excluded.sequence > old.sequence`,
);

const STREAK_STANDINGS = new BulkStatement<StreakStandingRow>(
  {
    tenant: 'int4',
    userId: 'text',
    frequency: 'text',
    length: 'int4',
    lastPeriod: 'int4',
    longest: 'int4',
    sequence: 'int8',
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
  dailyCounts: DailyCounts,
): Promise<void> {
  const changes = await LEADERBOARD_CHANGES.run(client, rows.leaderboardChanges, false);
  for (const { tenant, leaderboard, day, users } of changes)
    dailyCounts.add(tenant, 'participants', day, leaderboard, '', users);
  await USER_ATTRIBUTES.run(client, rows.userAttributes, false);
  await STREAK_STANDINGS.run(client, rows.streakStandings, false);
  await POINTS_TOTALS.run(client, rows.pointsTotals, false);
}

/** Deletes counts that have become 0. */
export async function forgetEmptyCounts(db: Queryable): Promise<void> {
  // Rows that a relay has locked are left for the next run, so that the two cannot deadlock.
  await execute(db)`
    delete from points_counts where ctid = any(array(
    select ctid from points_counts where users = 0 for update skip locked))`;
}
