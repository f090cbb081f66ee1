import { ServiceError } from '../base/errors.ts';
import { type Author, forgetUserInAudit, writeAudit } from '../db/audit.ts';
import { changeConfig, loadLastNumbers } from '../db/configuration.ts';
import { type PoolClient, type Queryable, transaction } from '../db/pool.ts';
import { shareRankings } from '../db/rankingsLock.ts';
import type { UserKey } from '../db/readUserHistory.ts';
import { deleteUserRows } from '../db/userRows.ts';
import { pack } from '../redis/codec.ts';
import { keys } from '../redis/keys.ts';
import { placeOf } from '../redis/rankings.ts';
import { waitForRelay } from '../redis/relayProgress.ts';
import type { Scripts } from '../redis/scripts.ts';
import { decodeUserState } from '../redis/userState.ts';
import { shardOf } from '../rules/prepare.ts';
import { changeInForce, type Stores } from './publishing.ts';
import type { RulesStore } from './rulesStore.ts';
import { foldRelayedStates } from './snapshots.ts';

/** What the user does meanwhile may move the user to another ranking. */
const TRIES_MAX = 20;

export interface ErasureParts extends Stores {
  scripts: Scripts;
  store: RulesStore;
}

/**
 * Promises to erase a user: from now on it will happen, whoever dies.
 * @returns false when nobody knows the user
 */
export async function requestErasure({ pool, redis, shards }: Stores, user: UserKey, author: Author): Promise<boolean> {
  const { tenant, userId } = user;
  const isInRedis = (await redis.exists(keys.user(tenant, shardOf(userId, shards), userId))) === 1;
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ isNew: boolean }>(
      `insert into erasures (tenant, user_id, requested_at) select $1, $2, $3
       where $4 or exists (select from users where tenant = $1 and user_id = $2)
         or exists (select from erasures where tenant = $1 and user_id = $2)
         or exists (select from api_keys where tenant = $1 and user_id = $2)
         or exists (select from entities where tenant = $1 and kind = 'pointsBoosts' and body ->> 'userId' = $2)
       on conflict (tenant, user_id) do update set requested_at = erasures.requested_at
       returning xmax = 0 as "isNew"`,
      [tenant, userId, new Date(author.now), isInRedis],
    );
    if (rows[0]?.isNew) {
      await writeAudit(client, tenant, author, [
        { action: 'delete', kind: 'users', id: null, userId, before: null, after: null },
      ]);
    }
    return rows.length > 0;
  });
}

/** Users who have not been erased completely, those asked for first. */
export async function listErasures(db: Queryable): Promise<UserKey[]> {
  const { rows } = await db.query<UserKey>(
    'select tenant, user_id as "userId" from erasures order by requested_at, tenant, user_id',
  );
  return rows;
}

/**
 * Carries out an erasure that was requested, from wherever an earlier attempt got to: first in Redis, where from then on the
 * id cannot be used; then, once the relay has written all that the user had done, in PostgreSQL; then the id is free, and who
 * comes with it is somebody new. An entry that would say "erased" could not stand for this: what a user did may be in the outbox of
 * any shard, and nothing orders those.
 *
 * @returns false when somebody else is at it, or it has to wait
 * @throws ServiceError `unavailable` when the relay is further behind than `waitMsMax`
 */
export async function carryOutErasure(parts: ErasureParts, user: UserKey, waitMsMax: number): Promise<boolean> {
  const { pool, redis, scripts, shards } = parts;
  const { tenant, userId } = user;
  await deleteBoosts(parts, user);
  const isMine = await transaction(pool, async (client) => {
    const { rows } = await client.query<{ isDone: boolean }>(
      `select is_done as "isDone" from erasures where tenant = $1 and user_id = $2 for update skip locked`,
      [tenant, userId],
    );
    // Done, but for what follows: somebody died in between.
    if (rows[0] === undefined || rows[0].isDone) return rows[0] !== undefined;
    if (!(await shareRankings(client, tenant))) return false;
    await eraseFromRedis(parts, client, user);
    await waitForRelay(scripts, shards, waitMsMax);
    // The history may only now name all rankings that the user was in.
    await eraseFromRedis(parts, client, user);
    await foldRelayedStates(pool, { wait: true });
    await deleteUserRows(client, user);
    await forgetUserInAudit(client, tenant, userId);
    await client.query('update erasures set is_done = true where tenant = $1 and user_id = $2', [tenant, userId]);
    return true;
  });
  if (!isMine) return false;
  await redis.srem(keys.erasing(tenant, shardOf(userId, shards)), userId);
  await pool.query('delete from erasures where tenant = $1 and user_id = $2 and is_done', [tenant, userId]);
  return true;
}

/** Points boosts for nobody but the user. */
async function deleteBoosts(stores: Stores, { tenant, userId }: UserKey): Promise<void> {
  const { rows } = await stores.pool.query<{ requestedAt: Date }>(
    'select requested_at as "requestedAt" from erasures where tenant = $1 and user_id = $2 and not is_done',
    [tenant, userId],
  );
  if (rows[0] === undefined) return;
  const author = { actor: 'erasure', now: rows[0].requestedAt.getTime() };
  await changeInForce({ ...stores, now: author.now }, tenant, async () => {
    const { changed } = await changeConfig(stores.pool, tenant, author, ({ pointsBoosts }) => ({
      changes: pointsBoosts
        .filter((boost) => boost.userId === userId)
        .map((entity) => ({
          ...{ kind: 'pointsBoosts', id: entity.id, no: entity.no, action: 'delete', before: entity, entity },
        })),
      streak: null,
      settings: null,
    }));
    return { result: null, changed };
  });
}

/** The user's state knows the current run of each leaderboard, the history all of which it has been told. */
async function eraseFromRedis(
  { redis, scripts, store, shards }: ErasureParts,
  client: PoolClient,
  user: UserKey,
): Promise<void> {
  const { tenant, userId } = user;
  const shard = shardOf(userId, shards);
  const { metrics } = await loadLastNumbers(client, tenant);
  const rules = await store.load(tenant);
  const { rows } = await client.query<{ leaderboard: number; run: number; group: string }>(
    `select distinct leaderboard, run_start - date '1970-01-01' as run, ranking_group as "group" from leaderboard_changes
     where tenant = $1 and user_id = $2`,
    [tenant, userId],
  );
  const rankings = new Set(rows.map(({ leaderboard, run, group }) => keys.board(tenant, leaderboard, run, group)));
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [hot, cold] = await redis.hmgetBuffer(keys.user(tenant, shard, userId), 'h', 'c');
    const state = hot && cold ? decodeUserState(hot, cold) : null;
    for (const board of rules.config.leaderboards) {
      const place = state && placeOf(rules, board, state.boards.get(board.no)?.run ?? 0, userId, state);
      if (place !== null) rankings.add(place.key);
    }
    const asked = pack([shard, userId, state?.sequence ?? 0, metrics]);
    if (await scripts.eraseUser(tenant, asked, pack([...rankings]))) return;
  }
  throw new ServiceError('unavailable', 'The user is too busy to be erased now');
}
