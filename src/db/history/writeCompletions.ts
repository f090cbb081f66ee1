import { stepOf } from '../../rules/steps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT, MILLISECONDS } from '../sql.ts';
import type { CompletionRow, HistoryRows, RevocationRow } from './historyRows.ts';

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

/** Writes completions and revocations. Existing rows stay unchanged, and only new rows are counted. */
export async function writeCompletions(
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
    const completed = await insert<CompletionRow, NewCompletion>(
      client,
      'completions',
      COMPLETIONS,
      waiting,
      isRepeat,
    );
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

const keyOf = ({
  tenant,
  userId,
  achievement,
}: Pick<NewCompletion, 'tenant' | 'userId' | 'achievement'>): string => `${tenant}:${achievement}:${userId}`;

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
  dailyCounts.add(
    tenant,
    'completionDays',
    day,
    achievement,
    stepOf(seconds / 86_400),
    count,
    count * seconds,
  );
}
