import { stepOf } from '../../rules/steps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { bulkStatement, type Columns, insert, runBulk } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT, MILLISECONDS } from '../sql.ts';
import { type UserKey, UserMap } from '../users/userMap.ts';
import type { CompletionRow, HistoryRows, RevocationRow } from './historyRows.ts';

interface NewCompletion {
  tenant: number;
  userId: string;
  achievement: number;
  completedAt: number;
  /** null if the table of users has no such user. */
  createdAt: number | null;
}

const COLUMNS = {
  tenant: ['int4', (row) => row.tenant],
  user_id: ['text', (row) => row.userId],
  achievement: ['int4', (row) => row.achievement],
  completed_at: ['instant', (row) => row.completedAt],
  local_date: ['day', (row) => row.day],
} as const satisfies Columns<CompletionRow>;

const COMPLETIONS = bulkStatement<CompletionRow>(
  COLUMNS,
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

/** The same without a look at existing rows, which takes twice as long: an existing row is an error. */
const NEW_COMPLETIONS = bulkStatement<CompletionRow>(
  COLUMNS,
  ({ insertInto }) => `${insertInto('completed_achievements')} order by 1, 2, 3`,
);

const REVOKED = bulkStatement<CompletionRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    achievement: ['int4', (row) => row.achievement],
  },
  ({ rows }) => `select tenant, user_id as "userId", achievement, ${MILLISECONDS('revoked_at')} as "revokedAt"
    from revoked_completions join ${rows} using (tenant, user_id, achievement)`,
);

const CREATED = bulkStatement<UserKey>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
  },
  ({ rows }) => `select tenant, user_id as "userId", ${MILLISECONDS('created_at')} as "createdAt"
    from users join ${rows} using (tenant, user_id)`,
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
  if (isRepeat) await writeAgain(client, rows, dailyCounts);
  else await writeNew(client, rows, dailyCounts);
}

/** @throws the error of PostgreSQL if a row exists: the batch is then written as a repeated one */
async function writeNew(client: PoolClient, rows: HistoryRows, dailyCounts: DailyCounts): Promise<void> {
  const revoked = await runBulk<CompletionRow, RevocationRow>(
    client,
    'find revocations',
    REVOKED,
    rows.completions,
  );
  const revokedAt = new Map<string, number>();
  for (const row of revoked)
    revokedAt.set(keyOf(row), Math.max(row.revokedAt, revokedAt.get(keyOf(row)) ?? 0));
  const left =
    revoked.length === 0
      ? rows.completions
      : rows.completions.filter((row) => row.completedAt > (revokedAt.get(keyOf(row)) ?? 0));
  await insert(client, 'new completions', NEW_COMPLETIONS, left, false);
  const createdAt = await findCreations(client, left);
  for (const row of left) addCompletion(rows, dailyCounts, { ...row, createdAt: createdAt.get(row)! }, 1);
}

/** When the users of rows were created, ms; null for a user whom the table of users lacks. */
async function findCreations(client: PoolClient, rows: readonly UserKey[]): Promise<UserMap<number | null>> {
  const createdAt = new UserMap<number | null>();
  const users: UserKey[] = [];
  for (const row of rows) {
    if (createdAt.has(row)) continue;
    createdAt.set(row, null);
    users.push(row);
  }
  const found = await runBulk<UserKey, UserKey & { createdAt: number }>(
    client,
    'find creations',
    CREATED,
    users,
  );
  for (const row of found) createdAt.set(row, row.createdAt);
  return createdAt;
}

async function writeAgain(client: PoolClient, rows: HistoryRows, dailyCounts: DailyCounts): Promise<void> {
  for (let waiting = rows.completions; waiting.length > 0; ) {
    const completed = await insert<CompletionRow, NewCompletion>(
      client,
      'completions',
      COMPLETIONS,
      waiting,
      true,
    );
    for (const completion of completed) addCompletion(rows, dailyCounts, completion, 1);
    const written = new Set(completed.map((row) => `${keyOf(row)} ${row.completedAt}`));
    const left = waiting.filter((row) => !written.has(`${keyOf(row)} ${row.completedAt}`));
    const earlier = await insert<CompletionRow, NewCompletion>(
      client,
      'earlier completions',
      EARLIER_COMPLETIONS,
      left,
      true,
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
