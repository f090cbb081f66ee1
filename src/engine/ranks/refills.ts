import type { Redis } from 'ioredis';
import { allCells, type Cells, cellsOf } from '../../base/cells.ts';
import { requestRefill } from '../../db/configuration/activations.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { keys, keysOfTenant, splitTenant } from '../../redis/keys/redisKeys.ts';
import { membersFrom } from '../../rules/rankingOrder.ts';
import type { Stores } from '../stores/stores.ts';
import type { GroupRanking } from './readRanking.ts';

/*
 * Redis keeps the best users of a ranking and some in reserve. lua/includes/leftOut.lua says what it knows of
 * the users outside, and when all users must fill the leaderboard again.
 */

/** The field of `keys.leftOut` that exists while all users fill the leaderboard. */
const FILLING = 'filling';

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

/** Before all users fill a leaderboard: what is known of users outside is found out anew. */
export async function beginFilling(redis: Redis, cells: Cells, tenant: number, board: number): Promise<void> {
  for (const cell of cellsOf(tenant, cells)) {
    const key = keys.leftOut(tenant, cell, board);
    await redis.del(key);
    await redis.hset(key, FILLING, 1);
  }
}

export async function endFilling(redis: Redis, cells: Cells, tenant: number, board: number): Promise<void> {
  for (const cell of cellsOf(tenant, cells)) await redis.hdel(keys.leftOut(tenant, cell, board), FILLING);
}

/** Whether users outside of the ranking may be better than some who have a place. */
export async function isFilling(
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
  tenant: number,
  { board, start, group, isOver }: GroupRanking,
): Promise<boolean> {
  if (isOver || board.league !== null) return false;
  const ofTenant = cellsOf(tenant, cells);
  const field = keysOfTenant.ranking(start, group);
  const found = await Promise.all(
    ofTenant.map((cell) => redis.hmget(keys.leftOut(tenant, cell, board.no), FILLING, field)),
  );
  if (found.some(([filling]) => filling !== null)) return true;
  const known = found.flatMap(([, best]) => (best == null ? [] : [Number(best)]));
  if (known.length === 0) return false;
  const best = Math.max(...known);
  const asGood = await runPipeline(
    redis,
    ofTenant.map((cell) => [
      'zcount',
      keys.board(tenant, cell, board.no, start, group),
      ...membersFrom(best),
    ]),
  );
  return (asGood as number[]).reduce((sum, count) => sum + count, 0) < board.maxParticipants;
}
