import { dropOldWindows } from '../deliveries/webhookWindows.ts';
import { type KeptHistory, readOnce, replaceFact } from '../installation.ts';
import {
  dayOf,
  ensurePartition,
  firstInstantOf,
  listPartitions,
  monthOf,
  type Partition,
  type PartitionedTable,
  periodName,
  prepareDrop,
} from '../partitions.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { execute, first, value } from '../rows.ts';
import { ARRIVED_AT, DECIMAL_PLUS, DECIMAL_SUM, raw, type Sql, sql } from '../sql.ts';

/**
 * Drops raw metric events that are older than `keepMonths` whole months. Sums for each user, metric and day
 * are kept, and the fingerprints of idempotency keys. Awards, completions, streaks and leaderboards are not
 * changed. Each month is one transaction, so the next run continues a run that ended early. A late event of a
 * dropped month creates the partition again, and the next run adds it to the sums.
 *
 * @param now ms
 * @returns the dropped months, as YYYY-MM
 */
export async function dropOldEvents(
  pool: Pool,
  { keepMonths, now, signal }: { keepMonths: number; now: number; signal?: AbortSignal },
): Promise<string[]> {
  const dropped: string[] = [];
  for (const partition of await listPartitions(pool, 'recorded_events')) {
    if (signal?.aborted || partition.period >= monthOf(now) - keepMonths) break;
    await transaction(pool, (client) => dropPartition(client, partition));
    dropped.push(periodName('month', partition.period));
  }
  return dropped;
}

async function dropPartition(client: PoolClient, { name, period }: Partition): Promise<void> {
  await prepareDrop(client);
  if ((await value(client)`select to_regclass(${name})`) === null) return;
  // This lock allows reads. It blocks writes, which would be lost between the sums and the drop.
  await execute(client)`lock table ${raw(name)} in share row exclusive mode`;
  const events = sql`${raw(name)} join user_numbers on no = user_no`;
  await keepAwards(client, period);
  await execute(client)`
    insert into metric_days as old (tenant, user_id, metric, local_date, events, change, total, last_sequence)
    select tenant, user_id, metric, local_date, count(*), ${DECIMAL_SUM('value')},
      (array_agg(total order by sequence desc))[1], max(sequence)
    from ${events} group by 1, 2, 3, 4
    on conflict (tenant, user_id, metric, local_date) do update set
      events = old.events + excluded.events,
      change = ${DECIMAL_PLUS('old.change', 'excluded.change')},
      total = case when excluded.last_sequence > old.last_sequence then excluded.total else old.total end,
      last_sequence = greatest(old.last_sequence, excluded.last_sequence)`;
  await execute(client)`
    insert into used_fingerprints (tenant, user_id, metric, fingerprints, used_at)
    select tenant, user_id, metric, array_agg(fingerprint), array_agg(${ARRIVED_AT})
    from ${events} where fingerprint is not null group by 1, 2, 3`;
  await execute(client)`drop table ${raw(name)}`;
}

/** Moves the awards of a month's events to the table of awards, which are kept. */
async function keepAwards(client: PoolClient, period: number): Promise<void> {
  const [from, to] = [firstInstantOf('month', period), firstInstantOf('month', period + 1)];
  await ensurePartition(client, 'month', Date.parse(from));
  await execute(client)`
    insert into points_awards (tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date,
      awarded, total, boosts)
    select tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts
    from event_awards join user_numbers on no = user_no where recorded_at >= ${from} and recorded_at < ${to}`;
}

/** Rows that one statement examines, besides the other rows of its last user. */
const ROWS_PER_STATEMENT = 5_000;

/** A table with a row for each day of a user, and which of its old rows may be dropped. */
const DAYS: Record<Exclude<KeptHistory, 'events'>, { table: Sql; mayBeDropped: Sql }> = {
  // Rankings, restores and erasures need the last row in each ranking that is not final or still in Redis.
  ranks: {
    table: sql`leaderboard_changes`,
    mayBeDropped: sql`(
      exists (select from leaderboard_runs run where run.tenant = old.tenant
        and run.leaderboard = old.leaderboard and run.run_start = old.run_start and not run.is_in_redis)
      or exists (select from leaderboard_changes later where later.tenant = old.tenant
        and later.user_id = old.user_id and later.leaderboard = old.leaderboard
        and later.run_start = old.run_start and later.ranking_group = old.ranking_group
        and later.last_sequence > old.last_sequence))`,
  },
  streaks: { table: sql`streak_extensions`, mayBeDropped: sql`true` },
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
  const after = sql`(tenant, user_id) > (${tenant}, ${userId})`;
  const last = await first(pool)<{ tenant: number; userId: string }>`
    select tenant, user_id as "userId" from ${table} where ${after}
    order by tenant, user_id offset ${ROWS_PER_STATEMENT - 1} limit 1`;
  const upTo = last === null ? sql`` : sql`and (tenant, user_id) <= (${last.tenant}, ${last.userId})`;
  const dropped = await execute(pool)`
    delete from ${table} old where ${after} ${upTo} and local_date < ${before}::date and ${mayBeDropped}`;
  return { dropped, progress: { ...progress, ...last, isDone: last === null } };
}

/** Longer than WEBHOOK_THROTTLE_MS and than most attempts of a delivery take. */
const WINDOWS_KEPT_MS = 24 * 3_600_000;

/** Days for which the log of deliveries is kept. */
const NOTIFICATION_DAYS = 30;
const KEPT_DAYS: [table: PartitionedTable, days: number][] = [
  ['webhook_deliveries', 7],
  ['notification_deliveries', NOTIFICATION_DAYS],
];

/**
 * Drops the partitions (days) of deliveries that are older than the log is kept. Deliveries that were never
 * sent are dropped too. Also drops what is known of throttled deliveries for the next ones, and old messages.
 * @param now ms
 * @returns the dropped days, as "table YYYY-MM-DD"
 */
export async function dropOldDeliveries(pool: Pool, now: number, signal?: AbortSignal): Promise<string[]> {
  const dropped: string[] = [];
  await dropOldWindows(pool, now - WINDOWS_KEPT_MS, signal);
  for (const [table, days] of KEPT_DAYS) {
    for (const { name, period } of await listPartitions(pool, table)) {
      if (signal?.aborted || period >= dayOf(now) - days) break;
      await transaction(pool, async (client) => {
        await prepareDrop(client);
        await execute(client)`drop table if exists ${raw(name)}`;
      });
      dropped.push(`${table} ${periodName('day', period)}`);
    }
  }
  // A message and its deliveries have one instant.
  const from = firstInstantOf('day', dayOf(now) - NOTIFICATION_DAYS);
  if (!signal?.aborted)
    await execute(pool)`delete from user_messages where created_at < ${from}::timestamptz`;
  return dropped;
}
