import { stepOf } from '../../rules/steps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement, type Columns } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT, MILLISECONDS, sql } from '../sql.ts';
import { type UserKey, UserMap } from '../users/userMap.ts';
import type {
  CompletionRow,
  HistoryRows,
  RepeatedCompletionRow,
  RevocationRow,
  UserRow,
} from './historyRows.ts';

interface NewCompletion extends Omit<CompletionRow, 'day'> {
  /** null if the table of users has no such user. */
  createdAt: number | null;
}

const COLUMNS = {
  tenant: 'int4',
  userId: 'text',
  achievement: 'int4',
  completedAt: 'instant',
  day: ['day', 'local_date'],
} as const satisfies Columns<CompletionRow>;

const COMPLETIONS = new BulkStatement<CompletionRow, NewCompletion>(
  COLUMNS,
  ({ insertInto }) => `${insertInto('completed_achievements')}
    where not exists (
      select from revoked_completions revoked
      where revoked.tenant = row.tenant and revoked.user_id = row.user_id and revoked.achievement = row.achievement
        and revoked.revoked_at >= ${INSTANT(sql`row.completed_at`)})
    order by 1, 2, 3 on conflict do nothing
    returning tenant, user_id as "userId", achievement, ${MILLISECONDS('completed_at')} as "completedAt", (
      select ${MILLISECONDS('created_at')} from users
      where users.tenant = completed_achievements.tenant and users.user_id = completed_achievements.user_id
    ) as "createdAt"`,
);

/** The same without a look at existing rows, which takes twice as long: an existing row is an error. */
const NEW_COMPLETIONS = new BulkStatement<CompletionRow>(
  COLUMNS,
  ({ insertInto }) => `${insertInto('completed_achievements')} order by 1, 2, 3`,
);

const REVOKED = new BulkStatement<CompletionRow, RevocationRow>(
  { tenant: 'int4', userId: 'text', achievement: 'int4' },
  ({ rows }) => `select tenant, user_id as "userId", achievement, ${MILLISECONDS('revoked_at')} as "revokedAt"
    from revoked_completions join ${rows} using (tenant, user_id, achievement)`,
);

const CREATED = new BulkStatement<UserKey, Pick<UserRow, 'tenant' | 'userId' | 'createdAt'>>(
  { tenant: 'int4', userId: 'text' },
  ({ rows }) => `select tenant, user_id as "userId", ${MILLISECONDS('created_at')} as "createdAt"
    from users join ${rows} using (tenant, user_id)`,
);

const DELETED_COMPLETION = `completed.tenant, completed.user_id as "userId", completed.achievement,
  ${MILLISECONDS('completed.completed_at')} as "completedAt", (
    select ${MILLISECONDS('created_at')} from users
    where users.tenant = completed.tenant and users.user_id = completed.user_id
  ) as "createdAt"`;

// A later completion follows a revocation of the earlier one, which another relay may not have written yet.
const EARLIER_COMPLETIONS = new BulkStatement<CompletionRow, NewCompletion>(
  { tenant: 'int4', userId: 'text', achievement: 'int4', completedAt: 'float8' },
  ({ rows }) => `with locked as (
      select completed.tenant, completed.user_id, completed.achievement
      from completed_achievements completed
      join ${rows}
        using (tenant, user_id, achievement)
      where completed.completed_at < ${INSTANT(sql`row.completed_at`)} order by 1, 2, 3 for update of completed
    )
    delete from completed_achievements completed using locked
    where completed.tenant = locked.tenant and completed.user_id = locked.user_id
      and completed.achievement = locked.achievement
    returning ${DELETED_COMPLETION}`,
);

const REVOCATIONS = new BulkStatement<RevocationRow, NewCompletion>(
  { tenant: 'int4', userId: 'text', achievement: 'int4', revokedAt: 'instant' },
  ({ insertInto }) => `with revoked as (
      ${insertInto('revoked_completions')} order by 1, 2, 3 on conflict do nothing
      returning *
    )
    delete from completed_achievements completed using revoked
    where completed.tenant = revoked.tenant and completed.user_id = revoked.user_id
      and completed.achievement = revoked.achievement and completed.completed_at <= revoked.revoked_at
    returning ${DELETED_COMPLETION}`,
);

const REPEATED = new BulkStatement<RepeatedCompletionRow>(
  { ...COLUMNS, sequence: 'int8', times: 'int4', firstAt: 'instant' },
  ({ insertInto }) => `${insertInto('repeated_completions')} order by 1, 2, 3 on conflict do nothing`,
);

/** Writes completions and revocations. Existing rows stay unchanged, and only new rows are counted. */
export async function writeCompletions(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  // First, so that a completion that is revoked is out of the way of one that follows it in the same batch.
  for (const completion of await REVOCATIONS.run(client, rows.revocations, false))
    addCompletion(rows, dailyCounts, completion, -1);
  if (isRepeat) await writeAgain(client, rows, dailyCounts);
  else await writeNew(client, rows, dailyCounts);
  await REPEATED.run(client, rows.repeatedCompletions, false);
}

/** @throws the error of PostgreSQL if a row exists: the batch is then written as a repeated one */
async function writeNew(client: PoolClient, rows: HistoryRows, dailyCounts: DailyCounts): Promise<void> {
  const revoked = await REVOKED.run(client, rows.completions, false);
  const revokedAt = new Map<string, number>();
  for (const row of revoked)
    revokedAt.set(keyOf(row), Math.max(row.revokedAt, revokedAt.get(keyOf(row)) ?? 0));
  const left =
    revoked.length === 0
      ? rows.completions
      : rows.completions.filter((row) => row.completedAt > (revokedAt.get(keyOf(row)) ?? 0));
  await NEW_COMPLETIONS.run(client, left, false);
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
  for (const row of await CREATED.run(client, users, false)) createdAt.set(row, row.createdAt);
  return createdAt;
}

async function writeAgain(client: PoolClient, rows: HistoryRows, dailyCounts: DailyCounts): Promise<void> {
  for (let waiting = rows.completions; waiting.length > 0; ) {
    const completed = await COMPLETIONS.run(client, waiting, false);
    for (const completion of completed) addCompletion(rows, dailyCounts, completion, 1);
    const written = new Set(completed.map((row) => `${keyOf(row)} ${row.completedAt}`));
    const left = waiting.filter((row) => !written.has(`${keyOf(row)} ${row.completedAt}`));
    const earlier = await EARLIER_COMPLETIONS.run(client, left, false);
    for (const completion of earlier) addCompletion(rows, dailyCounts, completion, -1);
    const freed = new Set(earlier.map(keyOf));
    waiting = left.filter((row) => freed.has(keyOf(row)));
  }
}

const keyOf = ({ tenant, userId, achievement }: UserKey & { achievement: number }): string =>
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
