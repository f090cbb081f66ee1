import { cellOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import type { RenameOrder } from '../../db/users/renameRows.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { decodeUserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { PlacedAs, PlacedRank, RenameScripts, StateParts } from '../../redis/scripts/renameScripts.ts';
import type { LeftRanking, Scripts } from '../../redis/scripts/scripts.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import type { Stores } from '../stores/stores.ts';
import { rankingsOfUser } from './userRankings.ts';

export interface NewIdDependencies extends Pick<Stores, 'redis' | 'cells'> {
  scripts: Scripts;
  renameScripts: RenameScripts;
  rulesStore: RulesStore;
}

/** Tries to move a user; only the end of a run of a league changes a held user, and costs one. */
const TRIES_MAX = 20;

/**
 * Moves a held user to the new id in Redis, or does what an earlier attempt has left undone. The history must
 * have everything that the user did.
 * @returns the state as it is once the hold has ended
 */
export async function moveToNewId(
  deps: NewIdDependencies,
  order: RenameOrder,
  options: PlacedAs,
): Promise<StateParts> {
  const { scripts, cells, rulesStore, renameScripts } = deps;
  const { tenant, userId, newId } = order;
  const rules = await rulesStore.load(tenant);
  const [from, to] = [cellOf(tenant, userId, cells), cellOf(tenant, newId, cells)];
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const parts = await renameScripts.holdUser(order);
    if (parts === null) {
      const moved = (await renameScripts.holdUser({ tenant, userId: newId }))!;
      return { ...moved, hot: await renameScripts.placeUser(order, moved, [], withKeys(moved, options)) };
    }
    const state = decodeUserState(parts.hot, parts.cold);
    const rankings = rankingsOfUser(rules, cells, userId, state);
    const ranks = await findRanks(deps, order, rankings);
    const confirm = scripts.watch(to);
    const hot = await renameScripts.placeUser(order, parts, ranks, withKeys(parts, options));
    await confirm();
    const asked = { userId, sequence: state.sequence };
    // In the same cell, the new id has taken the place.
    const vacated =
      from === to ? rankings.map((ranking) => ({ ...ranking, keep: false as const })) : rankings;
    if ((await scripts.eraseUser(tenant, asked, vacated)) !== null) return { ...parts, hot };
  }
  throw new ServiceError('unavailable', 'The user is too busy to be renamed now');
}

/** A user who has used keys under a former id has for good. */
function withKeys({ hot, cold }: StateParts, options: PlacedAs): PlacedAs {
  return { ...options, hasFormerKeys: options.hasFormerKeys || decodeUserState(hot, cold).hasFormerKeys };
}

/** The user's places, with the keys of the rankings in the cell of the new id. */
async function findRanks(
  { redis, cells }: NewIdDependencies,
  { tenant, userId, newId }: RenameOrder,
  rankings: readonly LeftRanking[],
): Promise<PlacedRank[]> {
  const to = cellOf(tenant, newId, cells);
  const scores = await runPipeline(
    redis,
    rankings.map(({ key, ticket }) => ['zscore', key, ticket + userId]),
  );
  return rankings.flatMap(({ board, run, group, ticket }, i) => {
    const score = scores[i];
    if (score === null) return [];
    return { ranking: keys.board(tenant, to, board, run, group), ticket, score: Number(score) };
  });
}
