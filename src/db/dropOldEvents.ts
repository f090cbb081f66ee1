import {
  ensurePartition,
  firstInstantOf,
  listPartitions,
  lockPartitions,
  monthOf,
  type Partition,
  periodName,
} from './partitions.ts';
import { type Pool, type PoolClient, transaction } from './pool.ts';
import { ARRIVED_AT, DECIMAL_PLUS, DECIMAL_SUM } from './sql.ts';

/**
 * Longest wait for a lock. Dropping a partition locks the whole table for a moment; while it waits for that
 * lock behind a long read, all other statements wait behind it. After this time the run fails without a
 * change and the next run tries again.
 */
const LOCK_MS_MAX = 2_000;

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
  await client.query(`set local lock_timeout = ${LOCK_MS_MAX}`);
  await lockPartitions(client);
  const { rows } = await client.query<{ gone: boolean }>('select to_regclass($1) is null as gone', [name]);
  if (rows[0]!.gone) return;
  // This lock allows reads. It blocks writes, which would be lost between the sums and the drop.
  await client.query(`lock table ${name} in share row exclusive mode`);
  const events = `${name} join user_numbers on no = user_no`;
  await keepAwards(client, period);
  await client.query(
    `insert into metric_days as old (tenant, user_id, metric, local_date, events, change, total, last_sequence)
     select tenant, user_id, metric, local_date, count(*), ${DECIMAL_SUM('value')}, (array_agg(total order by sequence desc))[1], max(sequence)
     from ${events} group by 1, 2, 3, 4
     on conflict (tenant, user_id, metric, local_date) do update set
       events = old.events + excluded.events,
       change = ${DECIMAL_PLUS('old.change', 'excluded.change')},
       total = case when excluded.last_sequence > old.last_sequence then excluded.total else old.total end,
       last_sequence = greatest(old.last_sequence, excluded.last_sequence)`,
  );
  await client.query(
    `insert into used_fingerprints (tenant, user_id, metric, fingerprints, used_at)
     select tenant, user_id, metric, array_agg(fingerprint), array_agg(${ARRIVED_AT})
     from ${events} where fingerprint is not null group by 1, 2, 3`,
  );
  await client.query(`drop table ${name}`);
}

/** Moves the awards of a month's events to the table of awards, which are kept. */
async function keepAwards(client: PoolClient, period: number): Promise<void> {
  const [from, to] = [firstInstantOf('month', period), firstInstantOf('month', period + 1)];
  await ensurePartition(client, 'month', Date.parse(from));
  await client.query(
    `insert into points_awards (tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts)
     select tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts
     from event_awards join user_numbers on no = user_no where recorded_at >= $1 and recorded_at < $2`,
    [from, to],
  );
}
