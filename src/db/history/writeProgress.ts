import { FREQUENCIES } from '../../rules/calendar.ts';
import { stepOf } from '../../rules/steps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT, MILLISECONDS, ORDINAL } from '../sql.ts';
import type {
  CompletionRow,
  EarnedFreezesRow,
  ExtensionRow,
  HistoryRows,
  LeaderboardChangeRow,
  LossRow,
  ResetRow,
  RevocationRow,
} from './historyRows.ts';

/* Writes the progress of users. Existing rows stay unchanged, and only new rows are counted in the dailyCounts. */

interface NewCompletion {
  tenant: number;
  userId: string;
  achievement: number;
  completedAt: number;
  /** null if the table of users has no such user. */
  createdAt: number | null;
}

const COMPLETIONS = bulkStatement<CompletionRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    achievement: ['int4', (row) => row.achievement],
    completed_at: ['instant', (row) => row.completedAt],
    local_date: ['day', (row) => row.day],
  },
  ({ insertInto }) => `${insertInto('completed_achievements')}
    where not exists (
      select from revoked_completions revoked
      where revoked.tenant = row.tenant and revoked.user_id = row.user_id and revoked.achievement = row.achievement
        and revoked.revoked_at >= ${INSTANT('row.completed_at')})
    order by 1, 2, 3
    on conflict do nothing
    returning tenant, user_id as "userId", achievement, ${MILLISECONDS('completed_at')} as "completedAt", (
      select ${MILLISECONDS('created_at')} from users
      where users.tenant = completed_achievements.tenant and users.user_id = completed_achievements.user_id
    ) as "createdAt"`,
);

const DELETED_COMPLETION = `completed.tenant, completed.user_id as "userId", completed.achievement,
  ${MILLISECONDS('completed.completed_at')} as "completedAt", (
    select ${MILLISECONDS('created_at')} from users
    where users.tenant = completed.tenant and users.user_id = completed.user_id
  ) as "createdAt"`;

// A later completion follows a revocation of the earlier one, which another relay may not have written yet.
const EARLIER_COMPLETIONS = bulkStatement<CompletionRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    achievement: ['int4', (row) => row.achievement],
    completed_at: ['float8', (row) => row.completedAt],
  },
  ({ rows }) => `with locked as (
      select completed.tenant, completed.user_id, completed.achievement
      from completed_achievements completed
      join ${rows}
        using (tenant, user_id, achievement)
      where completed.completed_at < ${INSTANT('row.completed_at')} order by 1, 2, 3 for update of completed
    )
    delete from completed_achievements completed using locked
    where completed.tenant = locked.tenant and completed.user_id = locked.user_id
      and completed.achievement = locked.achievement
    returning ${DELETED_COMPLETION}`,
);

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
    order by 1, 2, 3, 4
    on conflict do nothing
    returning tenant, frequency, length, ${MILLISECONDS('extended_at')} as "extendedAt", made_good_by as "madeGoodBy"`,
);

// Two relays may hold changes of the same user and day. In whatever order they write, the first change of the day gives the
// previous place and the last one the place. Rows are written in the order of the key, so that the relays cannot deadlock.
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

const REVOCATIONS = bulkStatement<RevocationRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    achievement: ['int4', (row) => row.achievement],
    revoked_at: ['instant', (row) => row.revokedAt],
  },
  ({ insertInto }) => `with revoked as (
      ${insertInto('revoked_completions')}
      order by 1, 2, 3
      on conflict do nothing
      returning *
    )
    delete from completed_achievements completed using revoked
    where completed.tenant = revoked.tenant and completed.user_id = revoked.user_id
      and completed.achievement = revoked.achievement and completed.completed_at <= revoked.revoked_at
    returning ${DELETED_COMPLETION}`,
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
    order by 1, 2, 3, 4
    on conflict do nothing
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

async function writeCompletions(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  // First, so that a completion that is revoked is out of the way of one that follows it in the same batch.
  const revoked = await insert<RevocationRow, NewCompletion>(
    client,
    'revocations',
    REVOCATIONS,
    rows.revocations,
    isRepeat,
  );
  for (const completion of revoked) addCompletion(rows, dailyCounts, completion, -1);
  for (let waiting = rows.completions; waiting.length > 0; ) {
    const completed = await insert<CompletionRow, NewCompletion>(client, 'completions', COMPLETIONS, waiting, isRepeat);
    for (const completion of completed) addCompletion(rows, dailyCounts, completion, 1);
    const written = new Set(completed.map((row) => `${keyOf(row)} ${row.completedAt}`));
    const left = waiting.filter((row) => !written.has(`${keyOf(row)} ${row.completedAt}`));
    const earlier = await insert<CompletionRow, NewCompletion>(
      client,
      'earlier completions',
      EARLIER_COMPLETIONS,
      left,
      isRepeat,
    );
    for (const completion of earlier) addCompletion(rows, dailyCounts, completion, -1);
    const freed = new Set(earlier.map(keyOf));
    waiting = left.filter((row) => freed.has(keyOf(row)));
  }
}

const keyOf = ({ tenant, userId, achievement }: Pick<NewCompletion, 'tenant' | 'userId' | 'achievement'>): string =>
  `${tenant}:${achievement}:${userId}`;

/** @param count 1 adds the completion to the dailyCounts of its day, -1 subtracts it */
function addCompletion(
  { dayOf }: HistoryRows,
  dailyCounts: DailyCounts,
  { tenant, achievement, completedAt, createdAt }: NewCompletion,
  count: 1 | -1,
): void {
  const day = dayOf(tenant, completedAt);
  dailyCounts.add(tenant, 'completions', day, achievement, '', count);
  if (createdAt === null) return;
  const seconds = Math.max(0, completedAt - createdAt) / 1000;
  dailyCounts.add(tenant, 'completionDays', day, achievement, stepOf(seconds / 86_400), count, count * seconds);
}

async function writeStreaks(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  const extended = await insert<ExtensionRow, Omit<ExtensionRow, 'userId' | 'period' | 'day'>>(
    client,
    'extensions',
    EXTENSIONS,
    rows.extensions,
    isRepeat,
  );
  for (const { tenant, frequency, length, extendedAt, madeGoodBy } of extended) {
    const day = rows.dayOf(tenant, extendedAt);
    const no = FREQUENCIES.indexOf(frequency) + 1;
    if (madeGoodBy === 'freeze') dailyCounts.add(tenant, 'freezesUsed', day, no);
    else if (madeGoodBy === 'pause') dailyCounts.add(tenant, 'pausesUsed', day, no);
    else if (madeGoodBy === null) {
      dailyCounts.add(tenant, 'streaksExtended', day, no);
      if (length === 1) dailyCounts.add(tenant, 'streaksStarted', day, no);
    }
  }
  const lost = await insert<LossRow, Omit<LossRow, 'userId' | 'period'>>(
    client,
    'losses',
    LOSSES,
    rows.losses,
    isRepeat,
  );
  for (const { tenant, frequency, length, lostAt } of lost) {
    dailyCounts.add(tenant, 'streaksLost', rows.dayOf(tenant, lostAt), FREQUENCIES.indexOf(frequency) + 1, length);
  }
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
