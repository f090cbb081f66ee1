import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import { listKeyIdsOfUser } from '../../db/access/apiKeyRows.ts';
import { type Author, forgetUserInAudit } from '../../db/access/audit.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { forgetSubjects } from '../../db/deliveries/webhookWindows.ts';
import { forgetUserInImports, isInImports } from '../../db/imports/forgetUserInImports.ts';
import { readFinalRuns, shareRankings } from '../../db/leaderboards/finalRunRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import {
  deleteErasure,
  findErasure,
  insertErasure,
  lockErasure,
  markErased,
} from '../../db/users/erasureRows.ts';
import { findRename, lockOrders } from '../../db/users/renameRows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { deleteUserRows } from '../../db/users/userRows.ts';
import { publish } from '../../redis/connection/redisClient.ts';
import { pack } from '../../redis/decoding/codec.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { LeftRanking, Scripts } from '../../redis/scripts/scripts.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import { localTime, runHolding } from '../../rules/calendar.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import { renaming } from '../calls/userRefusals.ts';
import { changeConfig } from '../configuration/changeConfig.ts';
import { foldRelayedStates } from '../recovery/foldSnapshots.ts';
import type { Stores } from '../stores/stores.ts';
import { forgetKeys } from '../usedKeys/keepKeys.ts';
import { laterWebhookRows, writeWebhooks } from '../webhooks/webhookRows.ts';
import { rankingsOfUser } from './userRankings.ts';

/** Tries to erase a user from Redis; each event of the user meanwhile costs one. */
const TRIES_MAX = 20;

export interface ErasureDependencies extends Stores {
  scripts: Scripts;
  rulesStore: RulesStore;
}

/**
 * Stores the order to erase a user. A worker carries it out even if this process ends.
 * @returns false for an unknown user
 * @throws ServiceError `unavailable` while the user is getting another id
 */
export async function requestErasure(
  { pool, redis, cells }: Stores,
  user: UserKey,
  author: Author,
): Promise<boolean> {
  const isInRedis = await redis.exists(
    keys.user(user.tenant, cellOf(user.tenant, user.userId, cells), user.userId),
  );
  const isKnown = isInRedis === 1 || (await isInImports(pool, user));
  return transaction(pool, async (client) => {
    await lockOrders(client, user.tenant);
    if ((await findRename(client, user)) !== null) throw renaming(user.userId);
    return insertErasure(client, user, isKnown, author);
  });
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
  const cell = cellOf(tenant, userId, cells);
  const erasures = keys.erasures(tenant, cell);
  await deleteBoosts(deps, user);
  let keyIds: string[] = [];
  const isMine = await transaction(pool, async (client) => {
    const erasure = await lockErasure(client, user);
    if (erasure === null) return false;
    // A process ended between the last two steps, so only the last one is left.
    if (erasure.isDone) return true;
    if (!(await shareRankings(client, tenant))) return false;
    const confirm = scripts.watch(cell);
    const left = await eraseFromRedis(deps, user, erasure.requestedAt);
    await waitForRelay(scripts, [cell], waitMsMax);
    // Only now the history is sure to name all idempotency keys of the user.
    await forgetKeys(deps, client, user);
    await reportLeft(client, user, left, erasure.requestedAt);
    await foldRelayedStates(pool, { wait: true });
    await forgetUserInImports(client, user);
    await redis.incr(erasures);
    keyIds = await listKeyIdsOfUser(client, tenant, userId);
    await forgetSubjects(client, user);
    await deleteUserRows(client, user, pack(userId));
    await forgetUserInAudit(client, tenant, userId);
    // Else a replica that takes over might bring the user back.
    await confirm();
    await markErased(client, user);
    return true;
  });
  if (!isMine) return false;
  const confirm = scripts.watch(cell);
  await tellOfKeys(redis, keyIds);
  // Imports that read rows of the user before the commit read them again, also after the id is free.
  await redis.incr(erasures);
  await redis.srem(keys.erasing(tenant, cell), userId);
  await confirm();
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

/** Removes the user from Redis. @returns the rankings that the user was in */
async function eraseFromRedis(
  { redis, scripts, rulesStore, cells }: ErasureDependencies,
  user: UserKey,
  at: number,
): Promise<LeftRanking[]> {
  const { tenant, userId } = user;
  const rules = await rulesStore.load(tenant);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const state = await readUserState(redis, cells, user);
    const rankings = rankingsOfUser(rules, cells, userId, state);
    const asked = { userId, sequence: state?.sequence ?? 0 };
    const withStays = rankings.map((ranking) => ({ ...ranking, stays: isEndedLeague(rules, ranking, at) }));
    const left = await scripts.eraseUser(tenant, asked, withStays);
    if (left !== null) return left;
  }
  throw new ServiceError('unavailable', 'The user is too busy to be erased now');
}

/** Whether the ranking is that of a run of a league that has ended: its ranks no longer change. */
function isEndedLeague({ config }: Rules, { board: no, run }: LeftRanking, at: number): boolean {
  const board = config.leaderboards.find((one) => one.no === no);
  const end = board?.league ? runHolding(board, run)?.end : null;
  return end != null && end < localTime(config.settings.defaultTimeZone, at).day;
}

/** Tells webhooks of the rankings that have lost the user, in the transaction of the erasure. */
async function reportLeft(
  client: PoolClient,
  { tenant, userId }: UserKey,
  left: LeftRanking[],
  at: number,
): Promise<void> {
  const rules = new Rules(await loadConfig(client, tenant));
  const isFinal = await readFinalRuns(client, tenant);
  const rows = left
    .filter(({ board, run }) => rules.findByNo('leaderboards', board) !== null && !isFinal(board, run))
    .flatMap(({ board, run, group }) => {
      const [facts, ids] = [{ board, run, group }, [board, run, group, userId]];
      return laterWebhookRows(rules, { type: 'leaderboard.changed', at, userId: null, ids }, at, facts);
    });
  await writeWebhooks(client, rows);
}

/**
 * Has all servers read application keys again that were deleted with their user, or belong to a new id. A
 * server that misses the message reads all keys when its connection is back.
 */
export async function tellOfKeys(redis: Redis, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await publish(redis, keys.keyChanges, ids.join(','));
}
