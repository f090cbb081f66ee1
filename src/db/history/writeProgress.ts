import { FREQUENCIES } from '../../rules/calendar.ts';
import { stepOf } from '../../rules/steps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { type BulkInsert, DATE, INSTANT, insert, MILLISECONDS, numbers, texts } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { ORDINAL } from '../users/readUserHistory.ts';
import type {
  CompletionRow,
  EarnedFreezesRow,
  ExtensionRow,
  HistoryRows,
  LeaderboardChangeRow,
  LossRow,
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

const COMPLETIONS: BulkInsert<CompletionRow> = {
  text: `insert into completed_achievements (tenant, user_id, achievement, completed_at, local_date)
    select tenant, user_id, achievement, ${INSTANT('completed_at')}, ${DATE('day')}
    from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int4[])
      as row (tenant, user_id, achievement, completed_at, day)
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
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.achievement),
    numbers((row) => row.completedAt),
    numbers((row) => row.day),
  ],
};

const DELETED_COMPLETION = `completed.tenant, completed.user_id as "userId", completed.achievement,
  ${MILLISECONDS('completed.completed_at')} as "completedAt", (
    select ${MILLISECONDS('created_at')} from users
    where users.tenant = completed.tenant and users.user_id = completed.user_id
  ) as "createdAt"`;

// A later completion follows a revocation of the earlier one, which another relay may not have written yet.
const EARLIER_COMPLETIONS: BulkInsert<CompletionRow> = {
  text: `with locked as (
      select completed.tenant, completed.user_id, completed.achievement
      from completed_achievements completed
      join unnest($1::int4[], $2::text[], $3::int4[], $4::float8[]) as row (tenant, user_id, achievement, completed_at)
        using (tenant, user_id, achievement)
      where completed.completed_at < ${INSTANT('row.completed_at')} order by 1, 2, 3 for update of completed
    )
    delete from completed_achievements completed using locked
    where completed.tenant = locked.tenant and completed.user_id = locked.user_id
      and completed.achievement = locked.achievement
    returning ${DELETED_COMPLETION}`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.achievement),
    numbers((row) => row.completedAt),
  ],
};

const EXTENSIONS: BulkInsert<ExtensionRow> = {
  text: `insert into streak_extensions (tenant, user_id, frequency, period, length, local_date, extended_at, made_good_by)
    select tenant, user_id, frequency, period, length, ${DATE('day')}, ${INSTANT('extended_at')}, made_good_by
    from unnest($1::int4[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::int4[], $7::float8[], $8::text[])
      as row (tenant, user_id, frequency, period, length, day, extended_at, made_good_by)
    order by 1, 2, 3, 4
    on conflict do nothing
    returning tenant, frequency, length, ${MILLISECONDS('extended_at')} as "extendedAt", made_good_by as "madeGoodBy"`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => row.frequency),
    numbers((row) => row.period),
    numbers((row) => row.length),
    numbers((row) => row.day),
    numbers((row) => row.extendedAt),
    texts((row) => row.madeGoodBy),
  ],
};

// Two relays may hold changes of the same user and day. In whatever order they write, the first change of the day gives the
// previous place and the last one the place. Rows are written in the order of the key, so that the relays cannot deadlock.
const LEADERBOARD_CHANGES: BulkInsert<LeaderboardChangeRow> = {
  text: `with written as (insert into leaderboard_changes as old (tenant, user_id, leaderboard, run_start, local_date, ranking_group, rank,
      value, previous_rank, previous_value, changed_at, first_sequence, last_sequence)
    select tenant, user_id, leaderboard, ${DATE('run')}, ${DATE('day')}, ranking_group, rank, value, previous_rank,
      previous_value, ${INSTANT('changed_at')}, first_sequence, last_sequence
    from unnest($1::int4[], $2::text[], $3::int4[], $4::int4[], $5::int4[], $6::text[], $7::int4[], $8::float8[],
        $9::int4[], $10::float8[], $11::float8[], $12::int8[], $13::int8[])
      as row (tenant, user_id, leaderboard, run, day, ranking_group, rank, value, previous_rank, previous_value,
        changed_at, first_sequence, last_sequence)
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
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.leaderboard),
    numbers((row) => row.run),
    numbers((row) => row.day),
    texts((row) => row.group),
    numbers((row) => row.rank),
    numbers((row) => row.value),
    numbers((row) => row.previousRank),
    numbers((row) => row.previousValue),
    numbers((row) => row.changedAt),
    numbers((row) => row.firstSequence),
    numbers((row) => row.lastSequence),
  ],
};

const REVOCATIONS: BulkInsert<RevocationRow> = {
  text: `with revoked as (
      insert into revoked_completions (tenant, user_id, achievement, revoked_at)
      select tenant, user_id, achievement, ${INSTANT('revoked_at')}
      from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[]) as row (tenant, user_id, achievement, revoked_at)
      order by 1, 2, 3
      on conflict do nothing
      returning *
    )
    delete from completed_achievements completed using revoked
    where completed.tenant = revoked.tenant and completed.user_id = revoked.user_id
      and completed.achievement = revoked.achievement and completed.completed_at <= revoked.revoked_at
    returning ${DELETED_COMPLETION}`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.achievement),
    numbers((row) => row.revokedAt),
  ],
};

const LOSSES: BulkInsert<LossRow> = {
  text: `insert into streak_losses (tenant, user_id, frequency, period, length, lost_at)
    select tenant, user_id, frequency, period, length, ${INSTANT('lost_at')}
    from unnest($1::int4[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::float8[])
      as row (tenant, user_id, frequency, period, length, lost_at)
    order by 1, 2, 3, 4
    on conflict do nothing
    returning tenant, frequency, length, ${MILLISECONDS('lost_at')} as "lostAt"`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => row.frequency),
    numbers((row) => row.period),
    numbers((row) => row.length),
    numbers((row) => row.lostAt),
  ],
};

const EARNED_FREEZES: BulkInsert<EarnedFreezesRow> = {
  text: `insert into earned_freezes (tenant, user_id, earned_at, freezes)
    select tenant, user_id, ${INSTANT('earned_at')}, freezes
    from unnest($1::int4[], $2::text[], $3::float8[], $4::int4[]) as row (tenant, user_id, earned_at, freezes)
    order by 1, 2, 3
    on conflict do nothing
    returning tenant, ${MILLISECONDS('earned_at')} as "earnedAt", freezes`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.earnedAt),
    numbers((row) => row.freezes),
  ],
};

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
    if (madeGoodBy !== null) {
      dailyCounts.add(tenant, madeGoodBy === 'freeze' ? 'freezesUsed' : 'pausesUsed', day, no);
    } else {
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
