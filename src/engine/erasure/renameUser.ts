import { cellOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import { RENAMES_AT_ONCE_MAX, RENAMES_WAITING_MAX } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { refused } from '../../contract/refusal.ts';
import { listKeyIdsOfUser } from '../../db/access/apiKeyRows.ts';
import { type Author, writeAudit } from '../../db/access/audit.ts';
import { activateLast } from '../../db/configuration/activations.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { type RenamedSubject, renameSubjects } from '../../db/deliveries/webhookWindows.ts';
import { deleteSnapshot, writeSnapshots } from '../../db/history/snapshotRows.ts';
import { hasUsedKeys } from '../../db/history/usedKeyRows.ts';
import { isInImports } from '../../db/imports/forgetUserInImports.ts';
import { hasFinalRunsInRedis, shareRankings } from '../../db/leaderboards/finalRunRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { findErasure } from '../../db/users/erasureRows.ts';
import {
  addFormerId,
  deleteRename,
  findRename,
  hasFormerId,
  insertRename,
  isIdTaken,
  lockOrders,
  lockRename,
  markRenamed,
  type RenameOrder,
  readFormerIds,
  type StoredRename,
} from '../../db/users/renameRows.ts';
import { isInDeadEntries, renameUserRows } from '../../db/users/userRows.ts';
import { pack } from '../../redis/decoding/codec.ts';
import { markersOf } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { RenameScripts } from '../../redis/scripts/renameScripts.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import type { Config } from '../../rules/config.ts';
import { erasing, renaming, unknownUser } from '../calls/userRefusals.ts';
import { changeConfig } from '../configuration/changeConfig.ts';
import { bodyOf } from '../configuration/configDraft.ts';
import { foldRelayedStates } from '../recovery/foldSnapshots.ts';
import type { Stores } from '../stores/stores.ts';
import { pointsSubject, webhookSubject } from '../webhooks/webhookRows.ts';
import { type ErasureDependencies, tellOfKeys } from './eraseUser.ts';
import { moveToNewId, type NewIdDependencies } from './moveToNewId.ts';

/** Ids that a user may have had before; under each of them, an idempotency key may have been used. */
const FORMER_IDS_MAX = 10;

/** What carrying out an order needs. */
type RenameWork = ErasureDependencies & NewIdDependencies;

/**
 * Stores the order to give a user another id. A worker carries it out even if this process ends. The same
 * order may be given again, also after it has been carried out.
 * @returns whether it has been carried out
 * @throws ServiceError `notFound` for an unknown user; `invalid` if the new id is taken, or the user has had
 * too many ids; `unavailable` while the user is in an import that has not ended, is being erased or gets yet
 * another id
 */
export async function requestRename(
  { pool, redis, cells }: Stores,
  order: RenameOrder,
  reason: string | null,
  author: Author,
): Promise<boolean> {
  const { tenant, userId, newId } = order;
  const isKnown = (id: string) => redis.exists(keys.user(tenant, cellOf(tenant, id, cells), id));
  return transaction(pool, async (client) => {
    await lockOrders(client, tenant);
    const known = await findRename(client, order);
    if (known !== null && known.userId === userId && known.newId === newId) return false;
    if (known !== null) throw renaming(userId);
    if ((await findErasure(client, order)) !== null) throw erasing(userId);
    if (!(await isKnown(userId))) {
      if (await hasFormerId(client, order)) return true;
      throw unknownUser(userId);
    }
    const wanted = { tenant, userId: newId };
    if ((await isKnown(newId)) || (await isIdTaken(client, wanted)) || (await findRename(client, wanted)))
      throw idTaken(newId);
    const former = (await readFormerIds(client, tenant, [userId])).get(userId) ?? [];
    if (former.length >= FORMER_IDS_MAX)
      throw new ServiceError('invalid', `User ${userId} has had ${FORMER_IDS_MAX} other ids already`);
    for (const id of [userId, newId]) {
      if (await isInImports(client, { tenant, userId: id }))
        throw new ServiceError(
          'unavailable',
          `Rows of the user ${id} wait in an import; try again once it has ended`,
        );
    }
    if (await isInDeadEntries(client, tenant, pack(userId)))
      throw new ServiceError(
        'unavailable',
        `Changes of the user ${userId} are among the dead entries; put them right first`,
      );
    await insertRename(client, order, reason, author);
    return false;
  });
}

export const idTaken = (userId: string): ServiceError =>
  refused(
    'invalid',
    'idTaken',
    `The id ${userId} is taken: a user, held events or an application key have it`,
  );

/** Each takes two connections of PostgreSQL at a time. */
const underWay = new Semaphore(RENAMES_AT_ONCE_MAX, RENAMES_WAITING_MAX);

/**
 * Stores an order and carries it out. If that takes too long or fails, it is `later`: a worker completes it.
 * @param report gets the error
 * @throws ServiceError as requestRename, and `unavailable` if too many orders wait
 */
export function giveNewId(
  deps: ErasureDependencies,
  order: RenameOrder,
  { reason, author, waitMsMax }: { reason: string | null; author: Author; waitMsMax: number },
  report: (error: Error) => void,
): Promise<RenameResult> {
  return underWay.run(async () => {
    if (await requestRename(deps, order, reason, author)) return 'renamed';
    return carryOut(deps, order, author.now, waitMsMax).catch((error): RenameResult => {
      report(error);
      return 'later';
    });
  });
}

export type RenameResult = 'renamed' | 'later' | 'impossible';

/**
 * Carries out an order, and goes on from where an earlier attempt stopped:
 * 1. Reserves the new id, and holds the user: calls for both ids wait.
 * 2. Waits until the relay has written everything that the user did.
 * 3. Moves the user in Redis, and renames all rows in PostgreSQL in one transaction.
 * 4. Ends the hold, and frees the former id: a user created with it is a new one.
 *
 * @returns `later` when another process carries it out, or a run of a leaderboard becomes final meanwhile:
 * try again; `impossible` when the new id was taken before it was reserved: then nothing has changed
 * @throws ServiceError `unavailable` when the relay is further behind than `waitMsMax`, or too many orders
 * wait
 */
export function carryOutRename(
  deps: ErasureDependencies,
  order: RenameOrder,
  now: number,
  waitMsMax: number,
): Promise<RenameResult> {
  return underWay.run(() => carryOut(deps, order, now, waitMsMax));
}

async function carryOut(
  deps: ErasureDependencies,
  order: RenameOrder,
  now: number,
  waitMsMax: number,
): Promise<RenameResult> {
  const { pool, redis, scripts, cells } = deps;
  const renameScripts = new RenameScripts(redis, cells);
  const seconds = Math.floor(now / 1_000);
  const { tenant, userId, newId } = order;
  const [from, to] = [cellOf(tenant, userId, cells), cellOf(tenant, newId, cells)];
  // What is left to wait for is then short, and so is the hold.
  await waitForRelay(scripts, [from], waitMsMax);
  const result = await transaction(pool, async (client) => {
    const stored = await lockRename(client, order);
    if (stored === null) return 'later';
    if (stored.isDone) return 'renamed';
    if (!(await shareRankings(client, tenant))) return 'later';
    // Users may be about to get rewards and tiers under their former id, also one who is held already.
    if (await hasFinalRunsInRedis(client, tenant)) {
      await renameScripts.releaseUser(order, seconds);
      return 'later';
    }
    const how = { now, seconds, waitMsMax };
    const confirm = scripts.watch(from, to);
    const done = await renameLocked({ ...deps, renameScripts }, client, { ...order, ...stored }, how);
    await confirm();
    return done;
  });
  if (result === 'later') return result;
  const confirm = scripts.watch(from, to);
  await renameScripts.releaseUser({ tenant, userId: newId }, seconds);
  if (result === 'impossible') await renameScripts.releaseUser({ tenant, userId }, seconds);
  for (const cell of new Set([from, to])) await redis.incr(keys.erasures(tenant, cell));
  await redis.srem(keys.erasing(tenant, from), userId);
  await tellOfKeys(redis, await listKeyIdsOfUser(pool, tenant, newId));
  await confirm();
  await deleteRename(pool, order);
  return result;
}

async function renameLocked(
  deps: RenameWork,
  client: PoolClient,
  order: RenameOrder & StoredRename,
  { now, seconds, waitMsMax }: { now: number; seconds: number; waitMsMax: number },
): Promise<'renamed' | 'impossible'> {
  const { tenant, userId, newId, author, reason } = order;
  if (!(await holdBoth(deps, order))) return 'impossible';
  await catchUp(deps, order, { seconds, waitMsMax });
  const config = await loadConfig(client, tenant);
  await renameInConfig(deps, config, order, now);
  const hasFormerKeys = await hasUsedKeys(client, order);
  const placed = await moveToNewId(deps, order, { hasFormerKeys, seconds });
  await renameUserRows(client, order);
  await addFormerId(client, order, now);
  await renameSubjects(client, order, subjectsOf(config, order));
  await activateLast(client, tenant, [newId]);
  const { sequence } = markersOf(placed.hot);
  await deleteSnapshot(client, { tenant, userId: newId });
  await writeSnapshots(client, [{ tenant, userId: newId, sequence, takenAt: now, ...placed }]);
  const change = { action: 'update', kind: 'users', id: null, userId: newId } as const;
  const after = { id: newId, ...(reason !== null && { reason }) };
  await writeAudit(client, tenant, author, [{ ...change, before: { id: userId }, after }]);
  await markRenamed(client, order);
  return 'renamed';
}

/** Reserves the new id, and holds the user. @returns false if the id is taken, or the user is gone */
async function holdBoth({ redis, cells, renameScripts }: RenameWork, order: RenameOrder): Promise<boolean> {
  const { tenant, newId } = order;
  if (!(await renameScripts.reserveId({ tenant, userId: newId }))) return false;
  if ((await renameScripts.holdUser(order)) !== null) return true;
  // An earlier attempt has moved the user.
  return (await redis.exists(keys.user(tenant, cellOf(tenant, newId, cells), newId))) === 1;
}

/** Waits until PostgreSQL has everything that the held user did. If that takes too long, the hold ends. */
async function catchUp(
  { pool, scripts, cells, renameScripts }: RenameWork,
  order: RenameOrder,
  { seconds, waitMsMax }: { seconds: number; waitMsMax: number },
): Promise<void> {
  try {
    await waitForRelay(scripts, [cellOf(order.tenant, order.userId, cells)], waitMsMax);
    await foldRelayedStates(pool, { wait: true });
  } catch (error) {
    await renameScripts.releaseUser(order, seconds);
    throw error;
  }
}

/** The subjects of deliveries that list what a user got since the delivery before. */
function subjectsOf({ pointsSystems }: Config, { userId, newId }: RenameOrder): RenamedSubject[] {
  const subject = (no: number, id: string) => webhookSubject('points.changed', pointsSubject(no, id));
  return pointsSystems.map(({ no }) => ({ before: subject(no, userId), after: subject(no, newId) }));
}

/** Gives the points boosts that are for this user alone the new id. */
async function renameInConfig(
  deps: RenameWork,
  { pointsBoosts }: Config,
  { tenant, userId, newId }: RenameOrder,
  now: number,
): Promise<void> {
  if (!pointsBoosts.some((boost) => boost.userId === userId)) return;
  await changeConfig(
    { ...deps, tenant, actor: 'rename', now },
    {
      edit: (draft) => {
        for (const boost of draft.config.pointsBoosts.filter((one) => one.userId === userId))
          draft.put('pointsBoosts', boost.id, { ...bodyOf(boost), userId: newId });
      },
    },
  );
}
