import { cellOf, cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import type { DueLeaderboard } from '../../db/configuration/dueLeaderboards.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import type { WebhookDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import { insertDueRewards } from '../../db/leaderboards/dueRewardRows.ts';
import {
  type EndedRun,
  type FinalEntry,
  insertFinalEntries,
  insertFinalRun,
  listRankings,
  lockRankings,
  markForgotten,
  type Ranking,
} from '../../db/leaderboards/finalRunRows.ts';
import { writeLeagueMembers } from '../../db/leaderboards/leagueRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { listNewIds } from '../../db/users/renameRows.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { keys, keysOfTenant } from '../../redis/keys/redisKeys.ts';
import { mergeMembers } from '../../redis/state/mergedMembers.ts';
import { rankedUsersOf } from '../../redis/state/rankingEntries.ts';
import { runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { firstMembers } from '../../rules/rankingOrder.ts';
import { assertRestored } from '../stores/availability.ts';
import type { Stores } from '../stores/stores.ts';
import { laterWebhookRows, writeWebhooks } from '../webhooks/webhookRows.ts';
import { leagueChangeRows, leagueResult, rewardsByTier, tierSteps } from './leagueRuns.ts';

/** Rankings that are read, or removed, at once; each has up to 1,000 entries. */
const RANKINGS_PER_BATCH = 100;

/**
 * Writes the final rankings of a run that is over everywhere, as Redis has them: only there the order of
 * equal scores is exact. The history knows which rankings the run has, so the relay must have passed
 * everything that happened in it. Concurrent callers write them once.
 * @throws ServiceError `unavailable` when Redis has been lost, or a user is between two ids
 */
export async function finalizeRun(
  { pool, redis, cells }: Stores,
  due: DueLeaderboard,
  board: Leaderboard,
  run: EndedRun,
  at: number,
): Promise<void> {
  await transaction(pool, async (client) => {
    await lockRankings(client, due.tenant);
    await assertNobodyMoves(client, { redis, cells }, due.tenant);
    if (!(await insertFinalRun(client, due, run, at))) return;
    if (board.rewards.length > 0) await insertDueRewards(client, due, run, rewardsByTier(board, run.start));
    const rankings = await listRankings(client, due, run.start);
    for (const batch of inBatches(rankings))
      await writeFinalEntries(client, { redis, cells }, due, board, batch);
    const rules = new Rules(await loadConfig(client, due.tenant));
    const webhooks = finishedRows(rules, due, rankings, at);
    if (board.league !== null) {
      const steps = tierSteps(board.league, runNumber(board, run.start)!);
      const next = run.end + 1;
      const changes = await writeLeagueMembers(client, due, { start: run.start, next }, steps);
      webhooks.push(...leagueChangeRows(rules, due, run, changes, at));
    }
    await writeWebhooks(client, webhooks);
    // If Redis was lost, its rankings are empty but not final.
    await assertRestored({ pool, redis, cells });
  });
}

/**
 * A user who has the new id in Redis only, because a process was killed, must have it in PostgreSQL first.
 * @throws ServiceError `unavailable` if there is such a user
 */
async function assertNobodyMoves(
  client: PoolClient,
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
  tenant: number,
): Promise<void> {
  for (const id of await listNewIds(client, tenant)) {
    if (await redis.exists(keys.user(tenant, cellOf(tenant, id, cells), id)))
      throw new ServiceError('unavailable', 'A user is getting another id; try again');
  }
}

/** Webhooks about a run that is over: once for each of its rankings. */
function finishedRows(
  rules: Rules,
  { leaderboard }: DueLeaderboard,
  rankings: Ranking[],
  at: number,
): WebhookDeliveryRow[] {
  return rankings.flatMap(({ run, group }) => {
    const ids = [leaderboard, run, group];
    const facts = { board: leaderboard, run, group };
    return laterWebhookRows(rules, { type: 'leaderboard.finished', at, userId: null, ids }, at, facts);
  });
}

function inBatches(rankings: Ranking[]): Ranking[][] {
  const batches: Ranking[][] = [];
  for (let at = 0; at < rankings.length; at += RANKINGS_PER_BATCH) {
    batches.push(rankings.slice(at, at + RANKINGS_PER_BATCH));
  }
  return batches;
}

async function writeFinalEntries(
  client: PoolClient,
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
  { tenant, leaderboard }: DueLeaderboard,
  board: Leaderboard,
  rankings: Ranking[],
): Promise<void> {
  const ofTenant = cellsOf(tenant, cells);
  const commands = rankings.flatMap(({ run, group }) =>
    ofTenant.map((cell) => {
      const key = keys.board(tenant, cell, leaderboard, run, group);
      return ['zrange', key, ...firstMembers(board.maxParticipants)];
    }),
  );
  const replies = ((await runPipeline(redis, commands)) as Buffer[][]).map((flat) => flat.map(String));
  const entries = rankings.flatMap(({ run, group }, i): FinalEntry[] => {
    const inCells = replies.slice(i * ofTenant.length, (i + 1) * ofTenant.length);
    // Members of a group of a league in several cells (docs/leagues.md) do not compete.
    const parts = board.league ? inCells : [mergeMembers(inCells, board.maxParticipants)];
    const results = parts.flatMap((members) =>
      rankedUsersOf(board, members).map((ranked, _, { length: size }) => ({
        ...ranked,
        ...leagueResult(board, run, group, ranked.rank, size),
      })),
    );
    return results.map((result, i) => ({ ...result, tenant, leaderboard, run, group, place: i + 1 }));
  });
  // Users of leagues who were erased after the end of the run left a rank without a user.
  const ofUsers = entries.filter(({ userId }) => userId !== '');
  await insertFinalEntries(client, ofUsers);
}

/**
 * Removes the rankings of a final run from Redis, or those of all runs of a leaderboard that is finished or
 * was deleted.
 * @param run null for all
 */
export async function forgetRankings(
  { pool, redis, cells }: Stores,
  board: DueLeaderboard,
  run: number | null,
): Promise<void> {
  const { tenant, leaderboard } = board;
  const rankings = await listRankings(pool, board, run);
  const seats = new Set(rankings.map(({ run: start }) => start));
  for (const cell of cellsOf(tenant, cells)) {
    const leftOut = keys.leftOut(tenant, cell, leaderboard);
    if (run === null) {
      await redis.hdel(keys.leagueRuns(tenant, cell), String(leaderboard));
      await redis.unlink(leftOut);
    }
    for (const start of seats) await redis.unlink(keys.league(tenant, cell, leaderboard, start));
    for (const batch of inBatches(rankings)) {
      await redis.unlink(
        batch.map((ranking) => keys.board(tenant, cell, leaderboard, ranking.run, ranking.group)),
      );
      await redis.hdel(leftOut, ...batch.map((ranking) => keysOfTenant.ranking(ranking.run, ranking.group)));
    }
  }
  await markForgotten(pool, board, run);
}
