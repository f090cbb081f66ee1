import type { QueryResultRow } from 'pg';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { type BulkStatement, bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { MILLISECONDS, ORDINAL } from '../sql.ts';
import type {
  EarnedFreezesRow,
  ExtensionRow,
  HistoryRows,
  LeaderboardChangeRow,
  LossRow,
  ResetRow,
} from './historyRows.ts';
import { countLoss, countPeriod } from './streakCounts.ts';
import { writeCompletions } from './writeCompletions.ts';

/*
 * Writes the progress of users. Existing rows stay unchanged, and only new rows are counted. Rows of streaks
 * are expected to be new, as events are: then PostgreSQL need not return those that it has written.
 */

const EXTENSIONS = bulkStatement<ExtensionRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    frequency: ['text', (row) => row.frequency],
    period: ['int4', (row) => row.period],
    length: ['int4', (row) => row.length],
    local_date: ['day', (row) => row.day],
    extended_at: ['instant', (row) => row.extendedAt],
    made_good_by: ['text', (row) => row.madeGoodBy],
  },
  ({ insertInto }) => `${insertInto('streak_extensions')}
    order by 1, 2, 3, 4`,
  `on conflict do nothing
    returning tenant, frequency, length, ${MILLISECONDS('extended_at')} as "extendedAt", made_good_by as "madeGoodBy"`,
);

// Two relays may hold changes of the same user and day. In whatever order they write, the first change of the
// day gives the previous place and the last one the place. Rows are written in the order of the key, so that
// the relays cannot deadlock.
const LEADERBOARD_CHANGES = bulkStatement<LeaderboardChangeRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    leaderboard: ['int4', (row) => row.leaderboard],
    run_start: ['day', (row) => row.run],
    local_date: ['day', (row) => row.day],
    ranking_group: ['text', (row) => row.group],
    rank: ['int4', (row) => row.rank],
    value: ['float8', (row) => row.value],
    previous_rank: ['int4', (row) => row.previousRank],
    previous_value: ['float8', (row) => row.previousValue],
    changed_at: ['instant', (row) => row.changedAt],
    first_sequence: ['int8', (row) => row.firstSequence],
    last_sequence: ['int8', (row) => row.lastSequence],
  },
  ({ insertInto }) => `with written as (${insertInto('leaderboard_changes as old')}
    order by 1, 2, 3, 4, 5, 6
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

const LOSSES = bulkStatement<LossRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    frequency: ['text', (row) => row.frequency],
    period: ['int4', (row) => row.period],
    length: ['int4', (row) => row.length],
    lost_at: ['instant', (row) => row.lostAt],
  },
  ({ insertInto }) => `${insertInto('streak_losses')}
    order by 1, 2, 3, 4`,
  `on conflict do nothing
    returning tenant, frequency, length, ${MILLISECONDS('lost_at')} as "lostAt"`,
);

const RESETS = bulkStatement<ResetRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    frequency: ['text', (row) => row.frequency],
    period: ['int4', (row) => row.period],
    reset_at: ['instant', (row) => row.resetAt],
  },
  ({ insertInto }) => `${insertInto('streak_resets')}
    order by 1, 2, 3, 4, 5
    on conflict do nothing`,
);

const EARNED_FREEZES = bulkStatement<EarnedFreezesRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    earned_at: ['instant', (row) => row.earnedAt],
    freezes: ['int4', (row) => row.freezes],
  },
  ({ insertInto }) => `${insertInto('earned_freezes')}
    order by 1, 2, 3
    on conflict do nothing
    returning tenant, ${MILLISECONDS('earned_at')} as "earnedAt", freezes`,
);

/** Runs in the transaction that writes the history of the same batch, after the users have been written. */
export async function writeProgress(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  await writeCompletions(client, rows, isRepeat, dailyCounts);
  await writeStreaks(client, rows, isRepeat, dailyCounts);
  const changes = await insert<
    LeaderboardChangeRow,
    { tenant: number; leaderboard: number; day: number; users: number }
  >(client, 'leaderboard changes', LEADERBOARD_CHANGES, rows.leaderboardChanges, isRepeat);
  for (const { tenant, leaderboard, day, users } of changes)
    dailyCounts.add(tenant, 'participants', day, leaderboard, '', users);
}

type CountedExtension = Omit<ExtensionRow, 'userId' | 'period' | 'day'>;
type CountedLoss = Omit<LossRow, 'userId' | 'period'>;

/** @returns the rows that did not exist */
async function insertNew<T extends R, R extends QueryResultRow>(
  client: PoolClient,
  what: string,
  statement: BulkStatement<T, void>,
  rows: readonly T[],
  isRepeat: boolean,
): Promise<readonly R[]> {
  const written = await insert<T, R>(client, what, statement, rows, isRepeat);
  return isRepeat ? written : rows;
}

async function writeStreaks(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  const extended = await insertNew<ExtensionRow, CountedExtension>(
    client,
    'extensions',
    EXTENSIONS,
    rows.extensions,
    isRepeat,
  );
  for (const row of extended) countPeriod(dailyCounts, row, rows.dayOf(row.tenant, row.extendedAt), 1);
  const lost = await insertNew<LossRow, CountedLoss>(client, 'losses', LOSSES, rows.losses, isRepeat);
  for (const row of lost) countLoss(dailyCounts, row, rows.dayOf(row.tenant, row.lostAt), 1);
  await insert(client, 'resets', RESETS, rows.resets, isRepeat);
  const earned = await insert<EarnedFreezesRow, Omit<EarnedFreezesRow, 'userId'>>(
    client,
    'earned freezes',
    EARNED_FREEZES,
    rows.earnedFreezes,
    isRepeat,
  );
  for (const { tenant, earnedAt, freezes } of earned)
    dailyCounts.add(tenant, 'freezesEarned', rows.dayOf(tenant, earnedAt), 0, '', freezes);
}
