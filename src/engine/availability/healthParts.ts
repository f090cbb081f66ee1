import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { LEADERBOARD_OVERDUE_MS } from '../../base/limits.ts';
import { countOverdueLeaderboards } from '../../db/configuration/dueLeaderboards.ts';
import { readOldestDue } from '../../db/deliveries/dueDeliveries.ts';
import { countDeadEntries } from '../../db/history/deadEntries.ts';
import type { Pool } from '../../db/pool.ts';
import { readRelayLag } from '../../redis/state/relayProgress.ts';

/** Parts of the state of the service that tell its health. */

const secondsBetween = (fromMs: number, toMs: number): number => Math.max(0, toMs - fromMs) / 1_000;

/** What is not in PostgreSQL yet. @param now ms */
export async function readBacklog(redis: Redis, cells: Cells, now: number) {
  const { entries, oldestMs } = await readRelayLag(redis, cells);
  return { entries, oldestSeconds: oldestMs === null ? 0 : secondsBetween(oldestMs, now) };
}

/** What PostgreSQL says. A part that cannot be read is null. @param now ms */
export async function readOverdue(pool: Pool, now: number) {
  const readDeliveries = async () =>
    (await readOldestDue(pool, now)).map(({ channel, dueAt }) => ({
      channel,
      oldestSeconds: dueAt === null ? null : secondsBetween(dueAt.getTime(), now),
    }));
  const [deliveries, leaderboardsOverdue, deadEntries] = await Promise.all([
    orNull(readDeliveries()),
    orNull(countOverdueLeaderboards(pool, now - LEADERBOARD_OVERDUE_MS)),
    orNull(countDeadEntries(pool)),
  ]);
  return { deliveries, leaderboardsOverdue, deadEntries };
}

/** What a store that fails answers: null. */
export const orNull = <T>(part: Promise<T>): Promise<T | null> => part.catch(() => null);
