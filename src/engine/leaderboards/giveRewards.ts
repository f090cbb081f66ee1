import { cellsOf } from '../../base/cells.ts';
import { RELAY_WAIT_MS_MAX } from '../../base/limits.ts';
import type { DueLeaderboard } from '../../db/configuration/dueLeaderboards.ts';
import {
  advanceRewards,
  finishRewards,
  listNextRewarded,
  type RewardedPlace,
  type RewardedRun,
} from '../../db/leaderboards/dueRewardRows.ts';
import { lockRankings } from '../../db/leaderboards/finalRunRows.ts';
import { transaction } from '../../db/pool.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { rewardsOfRank } from '../../rules/rewardsOfRank.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import { ignoreUnknown } from '../calls/userRefusals.ts';
import type { Stores } from '../stores/stores.ts';
import type { UserChanges } from '../users/userChanges.ts';

/** Places after which progress is noted. */
const PLACES_PER_BATCH = 200;

export interface RewardDependencies extends Stores {
  scripts: Scripts;
  rulesStore: RulesStore;
  users: Pick<UserChanges, 'reward'>;
}

/**
 * Gives the rewards of a final run. The last place done is stored after each batch, so that another worker
 * can go on from there after a crash. The user's state in Redis has the last run whose rewards the user got:
 * so each user gets them once, although batches may be repeated and several workers may give them at once.
 * @throws ServiceError `unavailable` when the relay is too far behind
 */
export async function giveRewards(
  deps: RewardDependencies,
  due: DueLeaderboard,
  run: RewardedRun,
  signal?: AbortSignal,
): Promise<void> {
  const { pool, scripts, cells } = deps;
  while (await giveBatch(deps, due, run)) if (signal?.aborted) return;
  // Done once PostgreSQL has the awards: otherwise a restore would lose them.
  await waitForRelay(scripts, cellsOf(due.tenant, cells), RELAY_WAIT_MS_MAX);
  await finishRewards(pool, due, run);
}

/** @returns false when no place is left */
async function giveBatch(
  { pool, rulesStore, users }: RewardDependencies,
  due: DueLeaderboard,
  run: RewardedRun,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    // Until the end, nobody with one of these ids is erased, and another user created with it.
    await lockRankings(client, due.tenant);
    const places = await listNextRewarded(client, due, run, PLACES_PER_BATCH);
    if (places.length === 0) return false;
    const rules = await rulesStore.load(due.tenant);
    // One after the other: equal totals rank by arrival, and the better rank comes first.
    for (const place of places) await giveTo(users, rules, due, run, place);
    // Users of a tenant that was archived meanwhile count as unknown.
    (await rulesStore.load(due.tenant)).assertServing();
    await advanceRewards(client, due, run, places.at(-1)!);
    return true;
  });
}

async function giveTo(
  users: Pick<UserChanges, 'reward'>,
  rules: Rules,
  { leaderboard }: DueLeaderboard,
  { start, end, finalizedAt, rewards }: RewardedRun,
  place: RewardedPlace,
): Promise<void> {
  const { userId, rank } = place;
  const given = rewardsOfRank(place, rewards, rules.config);
  if (given.points.length === 0 && given.achievements.length === 0) return;
  const reward = { ...given, board: leaderboard, run: start, lastDay: end, rank, at: finalizedAt };
  await users.reward(rules, userId, reward).catch(ignoreUnknown);
}
