import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../base/cells.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { LEADERBOARD_OVERDUE_MS } from '../../base/limits.ts';
import type { LabelledNumber, Metrics } from '../../base/metrics.ts';
import { countOverdueLeaderboards } from '../../db/configuration/dueLeaderboards.ts';
import { readOldestDue } from '../../db/deliveries/dueDeliveries.ts';
import { countDeadEntries } from '../../db/history/deadEntries.ts';
import { countUndecided } from '../../db/history/heldEventRows.ts';
import { countImportedRows, countImports } from '../../db/imports/importRows.ts';
import type { Pool } from '../../db/pool.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { DUE } from '../../redis/lua/scriptConstants.ts';
import { readDeliveryCounts } from '../../redis/state/deliveryCounts.ts';
import { countJobs, QUEUES, readOldestWaiting } from '../../redis/state/jobCounts.ts';
import { countLeftEntries, readRelayLag } from '../../redis/state/relayProgress.ts';

/** Metrics of the backlog in both stores: outbox entries, due users and leaderboards, dead entries. */
export function showState(
  metrics: Metrics,
  { redis, pool, cells, clock }: { redis: Redis; pool: Pool; cells: Cells; clock: Clock },
): void {
  const secondsSince = (ms: number | null): number =>
    ms === null ? 0 : Math.max(0, clock.now() - ms) / 1_000;
  const lag = () => readRelayLag(redis, cells);
  metrics.gauge(
    'laurel_outbox_entries',
    'Outbox entries not yet in PostgreSQL',
    async () => (await lag()).entries,
  );
  metrics.gauge('laurel_outbox_oldest_seconds', 'Age of the oldest outbox entry', async () =>
    secondsSince((await lag()).oldestMs),
  );
  metrics.gauges(
    'laurel_outbox_skipped_entries',
    'Outbox entries that workers leave to workers of another version, by format',
    ['format'],
    async () =>
      Array.from(await countLeftEntries(redis, cells), ([format, value]) => ({ labels: { format }, value })),
  );
  metrics.gauge('laurel_dead_entries', 'Outbox entries that could not be stored', () =>
    countDeadEntries(pool),
  );
  metrics.gauges(
    'laurel_held_events',
    'Events that guards hold, by status: held until a review, or approving',
    ['status'],
    async () =>
      Object.entries(await countUndecided(pool)).map(([status, value]) => ({ labels: { status }, value })),
  );
  metrics.gauge(
    'laurel_idempotency_cold_tenants',
    'Tenants about whose idempotency keys PostgreSQL is asked, until a worker has read them after a restore',
    () => redis.scard(keys.coldKeys),
  );
  metrics.gauge('laurel_sweep_lag_seconds', 'How long the longest due user has been due', async () =>
    secondsSince(await readOldestDueUser(redis, cells)),
  );
  metrics.gauge('laurel_leaderboards_overdue', 'Leaderboards that were due more than a minute ago', () =>
    countOverdueLeaderboards(pool, clock.now() - LEADERBOARD_OVERDUE_MS),
  );
}

/** The earliest due time of all users, past or future, milliseconds since 1970; null if no user has one. */
async function readOldestDueUser(redis: Redis, cells: Cells): Promise<number | null> {
  const first = await Promise.all(
    allCells(cells).map((cell) => redis.zrange(keys.due(cell), '0', '0', 'WITHSCORES')),
  );
  const instants = first.flatMap(([, score]) => (score === undefined ? [] : [Number(score)]));
  const oldest = Math.min(...instants, DUE.never);
  return oldest === DUE.never ? null : oldest * 1_000;
}

/** Metrics of deliveries and their queues. */
export function showDeliveries(metrics: Metrics, pool: Pool, redis: Redis, clock: Clock): void {
  metrics.gauges(
    'laurel_deliveries_total',
    'Attempts of all workers to send something, by channel, outcome and reason',
    ['channel', 'outcome', 'reason'],
    async () => (await readDeliveryCounts(redis)).map(({ count, ...labels }) => ({ labels, value: count })),
  );
  metrics.gauges('laurel_jobs', 'Jobs, by queue and state', ['queue', 'state'], async () => {
    const counts = await Promise.all(QUEUES.map((queue) => countJobs(redis, queue)));
    return QUEUES.flatMap((queue, i): LabelledNumber[] =>
      Object.entries(counts[i]!).map(([state, value]) => ({ labels: { queue, state }, value })),
    );
  });
  metrics.gauges(
    'laurel_jobs_oldest_seconds',
    'How long the first waiting job has waited',
    ['queue'],
    async () =>
      Promise.all(
        QUEUES.map(async (queue) => {
          const created = await readOldestWaiting(redis, queue);
          // BullMQ stamps jobs with the time of the machine.
          return {
            labels: { queue },
            value: created === null ? 0 : Math.max(0, systemClock.now() - created) / 1_000,
          };
        }),
      ),
  );
  metrics.gauges(
    'laurel_deliveries_oldest_seconds',
    'How long the longest due delivery of each channel has been due',
    ['channel'],
    async () =>
      (await readOldestDue(pool, clock.now())).map(({ channel, dueAt }) => ({
        labels: { channel },
        value: dueAt === null ? 0 : (clock.now() - dueAt.getTime()) / 1000,
      })),
  );
}

/** Metrics of imports, of all tenants. */
export function showImports(metrics: Metrics, pool: Pool): void {
  metrics.gauges('laurel_imports', 'Imports by state', ['state'], async () =>
    (await countImports(pool)).map(({ state, count }) => ({ labels: { state }, value: count })),
  );
  metrics.gauges(
    'laurel_import_rows',
    'Rows of imports by what has become of them; waiting: received, not yet applied or refused',
    ['kind', 'outcome'],
    async () =>
      (await countImportedRows(pool)).flatMap(({ kind, ...counts }) =>
        Object.entries(counts).map(([outcome, value]) => ({ labels: { kind, outcome }, value })),
      ),
  );
}
