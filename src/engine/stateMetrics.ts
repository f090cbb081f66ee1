import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../base/cells.ts';
import type { Clock } from '../base/clock.ts';
import { LEADERBOARD_OVERDUE_MS } from '../base/limits.ts';
import type { Metrics } from '../base/metrics.ts';
import { countOverdueLeaderboards } from '../db/configuration/dueLeaderboards.ts';
import { countDeadEntries } from '../db/history/deadEntries.ts';
import { countUndecided } from '../db/history/heldEventRows.ts';
import type { Pool } from '../db/pool.ts';
import { DUE } from '../redis/scripts/scriptConstants.ts';
import { keys } from '../redis/state/redisKeys.ts';
import { readRelayLag } from '../redis/state/relayLag.ts';
import { countLeftEntries } from '../redis/state/relayProgress.ts';

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
    'laurel_outbox_left_entries',
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
