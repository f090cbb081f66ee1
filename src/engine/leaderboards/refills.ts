import type { Redis } from 'ioredis';
import { allCells } from '../../base/cells.ts';
import { requestRefill } from '../../db/configuration/activations.ts';
import { keys, splitTenant } from '../../redis/state/redisKeys.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Stores } from '../stores.ts';

/**
 * Marks a leaderboard from whose ranking a user has been erased if half of the reserve is used up, as the
 * scripts do.
 */
export async function markIfVacant(
  redis: Redis,
  tenant: number,
  board: Leaderboard,
  { key, cell }: { key: string; cell: number },
): Promise<void> {
  const size = await redis.zcard(key);
  if (size < board.maxParticipants || 2 * size > board.maxParticipants + keptParticipants(board)) return;
  await redis.sadd(keys.dueBoards(keys.due(cell)), keys.dueBoardMember(tenant, board.no));
}

/**
 * Requests an activation (runActivation) for every leaderboard whose reserve the scripts have found half used
 * up.
 */
export async function requestRefills({ pool, redis, cells }: Stores, now: number): Promise<void> {
  await Promise.all(
    allCells(cells).map(async (cell) => {
      for (const mark of await redis.smembers(keys.dueBoards(keys.due(cell)))) {
        const { tenant, what } = splitTenant(mark);
        await requestRefill(pool, tenant, Number(what), now);
        await redis.srem(keys.dueBoards(keys.due(cell)), mark);
      }
    }),
  );
}
