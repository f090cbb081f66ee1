import { readOnce, replaceFact } from './installation.ts';
import type { KeptHistory } from './keptMonths.ts';
import { firstInstantOf, monthOf, periodName } from './partitions.ts';
import type { Pool } from './pool.ts';

/** Rows that one statement examines, besides the other rows of its last user. */
const ROWS_PER_STATEMENT = 5_000;

/** A table with a row for each day of a user, and which of its old rows may be dropped. */
const DAYS: Record<Exclude<KeptHistory, 'events'>, { table: string; mayBeDropped: string }> = {
  // Rankings, restores and erasures need the last row in each ranking that is not final or still in Redis.
  ranks: {
    table: 'leaderboard_changes',
    mayBeDropped: `(exists (select from leaderboard_runs run where run.tenant = old.tenant and run.leaderboard = old.leaderboard
        and run.run_start = old.run_start and not run.is_in_redis)
      or exists (select from leaderboard_changes later where later.tenant = old.tenant and later.user_id = old.user_id
        and later.leaderboard = old.leaderboard and later.run_start = old.run_start
        and later.ranking_group = old.ranking_group and later.last_sequence > old.last_sequence))`,
  },
  streaks: { table: 'streak_extensions', mayBeDropped: 'true' },
};

/** How far the rows before a day have been dropped: up to and including this user; `isDone` for all users. */
interface DropProgress {
  before: string;
  tenant: number;
  userId: string;
  isDone: boolean;
}

/**
 * Drops rows of days that are older than `keepMonths` whole months, user by user, in short statements. The
 * next call continues where this one ended. Once all users are done, calls have no effect until the next
 * month.
 *
 * @param now ms
 * @returns number of dropped rows
 */
export async function dropOldDays(
  pool: Pool,
  kept: Exclude<KeptHistory, 'events'>,
  { keepMonths, now, signal }: { keepMonths: number; now: number; signal?: AbortSignal },
): Promise<number> {
  const fact = `dropped-${kept}`;
  const before = `${periodName('month', monthOf(Date.parse(firstInstantOf('month', monthOf(now) - keepMonths))))}-01`;
  const stored = JSON.parse((await readOnce(pool, fact)) ?? 'null') as DropProgress | null;
  let progress = stored?.before === before ? stored : { before, tenant: 0, userId: '', isDone: false };
  let dropped = 0;
  while (!progress.isDone && !signal?.aborted) {
    const page = await dropPage(pool, kept, progress);
    dropped += page.dropped;
    progress = page.progress;
    await replaceFact(pool, fact, JSON.stringify(progress));
  }
  return dropped;
}

async function dropPage(
  pool: Pool,
  kept: Exclude<KeptHistory, 'events'>,
  progress: DropProgress,
): Promise<{ dropped: number; progress: DropProgress }> {
  const { table, mayBeDropped } = DAYS[kept];
  const { before, tenant, userId } = progress;
  const after = [tenant, userId];
  const { rows } = await pool.query<{ tenant: number; userId: string }>(
    `select tenant, user_id as "userId" from ${table} where (tenant, user_id) > ($1, $2)
     order by tenant, user_id offset ${ROWS_PER_STATEMENT - 1} limit 1`,
    after,
  );
  const [last] = rows;
  const upTo = last ? ' and (tenant, user_id) <= ($4, $5)' : '';
  const { rowCount } = await pool.query(
    `delete from ${table} old where (tenant, user_id) > ($1, $2)${upTo} and local_date < $3::date and ${mayBeDropped}`,
    [...after, before, ...(last ? [last.tenant, last.userId] : [])],
  );
  return { dropped: rowCount ?? 0, progress: { ...progress, ...last, isDone: last === undefined } };
}
