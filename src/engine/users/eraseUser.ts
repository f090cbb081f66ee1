import { cellOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Author, forgetUserInAudit } from '../../db/access/audit.ts';
import { shareRankings } from '../../db/leaderboards/finalRunRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import {
  deleteErasure,
  findErasure,
  insertErasure,
  listUserRankings,
  lockErasure,
  markErased,
} from '../../db/users/erasureRows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { deleteUserRows } from '../../db/users/userRows.ts';
import { pack } from '../../redis/scripts/codec.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { changeConfig } from '../configuration/changeConfig.ts';
import type { RulesStore } from '../configuration/rulesStore.ts';
import { markIfVacant } from '../leaderboards/refills.ts';
import { foldRelayedStates } from '../recovery/foldSnapshots.ts';
import type { Stores } from '../stores.ts';
import { forgetKeys } from '../usedKeys/forgetKeys.ts';

/** Tries to erase a user from Redis; each event of the user meanwhile costs one. */
const TRIES_MAX = 20;

export interface ErasureDependencies extends Stores {
  scripts: Scripts;
  rulesStore: RulesStore;
}

/**
 * Stores the order to erase a user. A worker carries it out even if this process ends.
 * @returns false for an unknown user
 */
export async function requestErasure(
  { pool, redis, cells }: Stores,
  user: UserKey,
  author: Author,
): Promise<boolean> {
  const isInRedis = await redis.exists(
    keys.user(user.tenant, cellOf(user.tenant, user.userId, cells), user.userId),
  );
  return insertErasure(pool, user, isInRedis === 1, author);
}

/**
 * Carries out an erasure that was requested, and goes on from where an earlier attempt stopped:
 * 1. Erases the user from Redis; from then on the id cannot be used.
 * 2. Waits until the relay has written everything that the user did, and erases the user from PostgreSQL.
 * 3. Frees the id: a user created with it is a new one.
 *
 * @returns false when another process carries it out, or a run of a leaderboard becomes final meanwhile: try
 * again later
 * @throws ServiceError `unavailable` when the relay is further behind than `waitMsMax`
 */
export async function carryOutErasure(
  deps: ErasureDependencies,
  user: UserKey,
  waitMsMax: number,
): Promise<boolean> {
  const { pool, redis, scripts, cells } = deps;
  const { tenant, userId } = user;
  await deleteBoosts(deps, user);
  const isMine = await transaction(pool, async (client) => {
    const erasure = await lockErasure(client, user);
    if (erasure === null) return false;
    // A process ended between the last two steps, so only the last one is left.
    if (erasure.isDone) return true;
    if (!(await shareRankings(client, tenant))) return false;
    await eraseFromRedis(deps, client, user);
    await waitForRelay(scripts, [cellOf(tenant, userId, cells)], waitMsMax);
    // Only now the history is sure to name all rankings and idempotency keys of the user.
    await eraseFromRedis(deps, client, user);
    await forgetKeys(deps, client, user);
    await foldRelayedStates(pool, { wait: true });
    await deleteUserRows(client, user, pack(userId));
    await forgetUserInAudit(client, tenant, userId);
    await markErased(client, user);
    return true;
  });
  if (!isMine) return false;
  await redis.srem(keys.erasing(tenant, cellOf(tenant, userId, cells)), userId);
  await deleteErasure(pool, user);
  return true;
}

/** Deletes the points boosts that are for this user alone. */
async function deleteBoosts(stores: Stores, user: UserKey): Promise<void> {
  const { tenant, userId } = user;
  const requestedAt = await findErasure(stores.pool, user);
  if (requestedAt === null) return;
  await changeConfig(
    { ...stores, tenant, actor: 'erasure', now: requestedAt },
    {
      edit: (draft) => {
        const boosts = draft.config.pointsBoosts.filter((boost) => boost.userId === userId);
        for (const { id } of boosts) draft.remove('pointsBoosts', id);
      },
    },
  );
}

/**
 * The user's state names the current run of each leaderboard; the history names those that the relay has
 * written.
 */
async function eraseFromRedis(
  { redis, scripts, rulesStore, cells }: ErasureDependencies,
  client: PoolClient,
  user: UserKey,
): Promise<void> {
  const { tenant, userId } = user;
  const cell = cellOf(tenant, userId, cells);
  const rules = await rulesStore.load(tenant);
  const known = await listUserRankings(client, user);
  const rankings = new Set(
    known.map(({ leaderboard, run, group }) => keys.board(tenant, cell, leaderboard, run, group)),
  );
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const state = await readUserState(redis, cells, user);
    const left: { board: Leaderboard; key: string }[] = [];
    for (const board of rules.config.leaderboards) {
      const entry =
        state && rankingEntryOf(rules, cells, board, state.boards.get(board.no)?.run ?? 0, userId, state);
      if (entry === null) continue;
      rankings.add(entry.key);
      left.push({ board, key: entry.key });
    }
    const asked = { userId, sequence: state?.sequence ?? 0 };
    if (!(await scripts.eraseUser(tenant, asked, [...rankings]))) continue;
    for (const { board, key } of left) await markIfVacant(redis, tenant, board, { key, cell });
    return;
  }
  throw new ServiceError('unavailable', 'The user is too busy to be erased now');
}
