import { allCells, cellsOf, homeCellOf } from '../../base/cells.ts';
import { listTenantNumbers } from '../../db/access/tenantRows.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import {
  countUnknownReceipts,
  forgetNotes,
  readLatestReceipts,
  type StoredReceipt,
} from '../../db/history/receiptRows.ts';
import { readFence } from '../../db/history/relayFence.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { type CellReceipts, RECEIPTS_PER_CELL, replaceReceipts } from '../../redis/scripts/redisReceipts.ts';
import type { Stores } from '../stores/stores.ts';

/*
 * Each transaction of a relay has a receipt. It is written to PostgreSQL with the history, then recorded in
 * Redis when the entries leave the outboxes, and the relay's next transaction writes that it has been
 * recorded. So each store knows what the other one must have:
 *
 * - If PostgreSQL lacks a receipt that Redis has recorded, PostgreSQL was restored from an older copy:
 *   history is missing.
 * - If Redis lacks a receipt that was recorded, Redis was restored from an older copy: users would begin
 *   again where they were then.
 */

/** Receipts of PostgreSQL that Redis is asked for. */
const COMPARED_MAX = 1_000;
/**
 * A Redis that fails over without LAUREL_REDIS_WAIT_REPLICAS may lose its last changes. More than this is an
 * older copy.
 */
const LOST_MS_MAX = 10_000;
const LOST_MAX = 500;

/** A store was restored from an older copy. The message says what to do. */
class StoresDifferError extends Error {}

/**
 * Compares the receipts in both stores.
 * @param read reads the receipts in Redis, of the cells to compare
 * @returns the number of receipts that a failover of Redis has lost
 * @throws StoresDifferError if a store is an older copy; if that is Redis, no script changes anything until
 * it is restored
 */
export async function compareStores(
  stores: Stores,
  read: () => Promise<ReadonlyMap<number, CellReceipts>>,
): Promise<number> {
  const { pool } = stores;
  const fence = await readFence(pool);
  const { missing, lost } = await findMissingReceipts(pool, read);
  if (missing > 0) {
    await assertNotRestoring(stores, fence);
    throw new StoresDifferError(
      `PostgreSQL is older than Redis: it is missing ${missing} relay transactions. Recover PostgreSQL to a later point, or run "laurel restore ` +
        '--replace" to take Redis back, or "laurel accept-gap" to go on without that history (docs/backup.md)',
    );
  }
  if (lost.length === 0) return 0;
  await assertNotRestoring(stores, fence);
  if (lost.length < LOST_MAX && lost[0]!.writtenAt - lost.at(-1)!.writtenAt <= LOST_MS_MAX) {
    await forgetNotes(
      pool,
      lost.map(({ token }) => token),
    );
    return lost.length;
  }
  await requireRestore(stores);
  throw new StoresDifferError(
    `Redis is older than PostgreSQL: it is missing ${lost.length} relay transactions. Restore a newer Redis, or run "laurel restore" ` +
      'to rebuild it from PostgreSQL; until then requests are answered 503 (docs/backup.md)',
  );
}

/**
 * The receipts that a store lacks: how many PostgreSQL does, and those that Redis does, the newest first.
 * Relays may write meanwhile, so Redis is read between two reads of PostgreSQL.
 */
export async function findMissingReceipts(
  pool: Pool,
  read: () => Promise<ReadonlyMap<number, CellReceipts>>,
): Promise<{ missing: number; lost: StoredReceipt[] }> {
  const latest = await readLatestReceipts(pool, COMPARED_MAX);
  const inRedis = await read();
  const receipts = new Map([...inRedis.values()].flatMap((ofCell) => [...ofCell]));
  const missing = await countUnknownReceipts(
    pool,
    Array.from(receipts, ([token, no]) => ({ token, no })),
  );
  return { missing, lost: latest.filter((receipt) => isMissing(receipt, inRedis)) };
}

/**
 * During a restore, receipts are missing. It raises the fence before it says that it is complete.
 * @param fence from before the receipts were read
 */
async function assertNotRestoring({ pool, redis }: Stores, fence: string): Promise<void> {
  if ((await redis.exists(keys.restoring)) === 1) throw new StoresDifferError('Redis waits to be restored');
  if ((await readFence(pool)) !== fence)
    throw new StoresDifferError('Redis was restored during the comparison');
}

/** Whether Redis should have the receipt. A cell drops the oldest ones. */
function isMissing(
  { token, no, isRecorded, cells }: StoredReceipt,
  inRedis: ReadonlyMap<number, CellReceipts>,
): boolean {
  if (!isRecorded) return false;
  return cells.some((cell) => {
    const receipts = inRedis.get(cell);
    if (receipts === undefined || receipts.has(token)) return false;
    return receipts.size < RECEIPTS_PER_CELL || no > Math.min(...receipts.values());
  });
}

/** From now on no script changes anything, until a restore is complete: scripts need the rules. */
export async function requireRestore({ pool, redis, cells }: Stores): Promise<void> {
  await redis.set(keys.restoring, '1');
  const tenants = await listTenantNumbers(pool);
  await runPipeline(
    redis,
    tenants.flatMap((tenant) =>
      cellsOf(tenant, cells).flatMap((cell) => [
        ['unlink', keys.rules(tenant, cell)],
        ['unlink', keys.version(tenant, cell)],
      ]),
    ),
  );
}

/** Copies the receipts of PostgreSQL to Redis, after a restore of Redis or if history is lost for good. */
export async function takeReceipts(
  db: Queryable,
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
): Promise<void> {
  const receipts = allCells(cells).map((): CellReceipts => new Map());
  for (const { token, no, cells: touched } of await readLatestReceipts(db, COMPARED_MAX)) {
    for (const cell of touched) {
      if (cell < cells.count && receipts[cell]!.size < RECEIPTS_PER_CELL) receipts[cell]!.set(token, no);
    }
  }
  await replaceReceipts(redis, receipts);
}

/**
 * Lets relays go on although PostgreSQL lacks history that has left Redis. Users keep what they have in
 * Redis; the missing history and its daily counts stay missing.
 * @throws Error if PostgreSQL lacks changes of the configuration, too: numbers of entities would be given
 * twice
 */
export async function acceptGap(stores: Stores): Promise<void> {
  const { pool, redis, cells } = stores;
  const tenants = await listTenantNumbers(pool);
  const published = Object.values(await redis.hgetall(keys.tenants)).map(Number);
  if (published.some((tenant) => !tenants.includes(tenant))) throw refusal('tenants');
  for (const tenant of tenants) {
    const { version } = await loadConfig(pool, tenant);
    if (Number(await redis.get(keys.version(tenant, homeCellOf(tenant, cells)))) > version) {
      throw refusal('changes of the configuration');
    }
  }
  await takeReceipts(pool, stores);
}

function refusal(what: string): Error {
  return new Error(
    `PostgreSQL is missing ${what} that Redis has: only "laurel restore --replace" makes both agree`,
  );
}
