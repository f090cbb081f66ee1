import { cellOf, cellsOf } from '../../base/cells.ts';
import { type Clock, monotonicMs } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { listTenantNumbers } from '../../db/access/tenantRows.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { listKeysOfUser } from '../../db/history/usedKeyRows.ts';
import { LockTakenError, withLock } from '../../db/lock.ts';
import type { Pool, PoolClient } from '../../db/pool.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { chunksOf } from '../../redis/keys/keyFilter.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import {
  type KeyLedger,
  type KeySlice,
  keysOfFilter,
  markFiltered,
  readKeyLedger,
  unlinkAll,
} from '../../redis/usedKeys/keyLedger.ts';
import type { Stores } from '../stores/stores.ts';
import { buildFilter } from './keyFilters.ts';

/** Number of the advisory lock. Every version of laurel must use the same one. */
const KEYS_LOCK = 7_281_935_471;
const DAY_MS = 86_400_000;

export interface KeepKeysDependencies extends Stores {
  scripts: Scripts;
  clock: Clock;
  log: Log;
  /** Runs work on a pool whose statements may take any time. */
  withUnlimitedPool: <T>(work: (pool: Pool) => Promise<T>) => Promise<T>;
  /** Days for which Redis keeps keys that do not run out. */
  hotDays: number;
}

/**
 * Removes slices of used idempotency keys from Redis: those whose keys have all run out, and those older than
 * the hot days, whose keys are in PostgreSQL. A filter of the latter remains, so that PostgreSQL is rarely
 * asked. After a restore, all keys are in PostgreSQL only, and this builds their filter.
 *
 * A slice is searched until its keys are in the filter that is in use. What is not searched any more is
 * listed as retired until it is deleted, so a run that is interrupted leaves nothing behind.
 */
export async function keepKeys(deps: KeepKeysDependencies, signal?: AbortSignal): Promise<void> {
  const work = async (): Promise<void> => {
    for (const tenant of await listTenantNumbers(deps.pool)) {
      if (signal?.aborted) return;
      for (const cell of cellsOf(tenant, deps.cells)) await keepKeysOf(deps, { tenant, cell });
    }
  };
  try {
    await withLock(deps.pool, KEYS_LOCK, work, 'another worker keeps the keys');
  } catch (error) {
    if (!(error instanceof LockTakenError)) throw error;
  }
}

/** A cell of a tenant, which has a ledger of its own. */
interface Place {
  tenant: number;
  cell: number;
}

async function keepKeysOf(deps: KeepKeysDependencies, place: Place): Promise<void> {
  const { redis, scripts, clock, hotDays } = deps;
  const { tenant, cell } = place;
  const ledger = await readKeyLedger(redis, tenant, cell);
  if (ledger === null) return;
  const { settings } = await loadConfig(deps.pool, tenant);
  const now = clock.now();
  const window = settings.idempotencyWindowSeconds;
  const ranOutAt = window === null ? null : now - window * 1_000;
  const over = ledger.slices.filter(
    ({ windowMs, to }) => ranOutAt !== null && windowMs > 0 && to <= ranOutAt,
  );
  if (over.length > 0) await scripts.editKeyLedger(tenant, cell, { slices: over.map(({ id }) => id) });
  const aged = ledger.slices.filter((slice) => !over.includes(slice) && slice.to <= now - hotDays * DAY_MS);
  if (needsFilter(ledger, aged, ranOutAt)) await renewFilter(deps, place, { ledger, aged, ranOutAt });
  await removeRetired(deps, place);
}

/** Whether the filter that is in use lacks keys, or has keys that have run out. */
function needsFilter(
  { coldBefore, filter, filterTimed }: KeyLedger,
  aged: readonly KeySlice[],
  ranOutAt: number | null,
): boolean {
  if (aged.length > 0 || (coldBefore > 0 && filter === 0)) return true;
  return filterTimed && ranOutAt !== null && coldBefore <= ranOutAt;
}

async function renewFilter(
  deps: KeepKeysDependencies,
  { tenant, cell }: Place,
  { ledger, aged, ranOutAt }: { ledger: KeyLedger; aged: KeySlice[]; ranOutAt: number | null },
): Promise<void> {
  const { redis, log, scripts } = deps;
  const startMs = monotonicMs();
  const coldBefore = Math.max(ledger.coldBefore, ...aged.map(({ to }) => to));
  const asked = { tenant, cell, coldBefore, ranOutAt };
  log.info({ tenant, cell }, 'reading idempotency keys for a filter');
  const { cold, count } = await deps.withUnlimitedPool((pool) => buildFilter(deps, pool, asked));
  const slices = aged.map(({ id }) => id);
  const retire = ledger.filter > 0 ? [keysOfFilter(ledger.filter, chunksOf(ledger.filterLines))] : [];
  const forget = [keysOfFilter(cold.filter, 0).prefix];
  const replaced = { replacedBefore: ledger.coldBefore, replacedFilter: ledger.filter };
  const edited = await scripts.editKeyLedger(tenant, cell, {
    slices,
    retire,
    forget,
    cold: { ...cold, ...replaced },
  });
  if (edited === null) {
    // This worker has lost its lock.
    log.warn({ tenant, cell }, 'another worker has replaced the filter of idempotency keys');
    return;
  }
  await markFiltered(redis, tenant, cell);
  const seconds = (monotonicMs() - startMs) / 1_000;
  log.info({ tenant, cell, keys: count, seconds }, 'idempotency keys have a filter');
}

async function removeRetired(
  { redis, scripts }: KeepKeysDependencies,
  { tenant, cell }: Place,
): Promise<void> {
  const ledger = await readKeyLedger(redis, tenant, cell);
  for (const retired of ledger?.retired ?? []) {
    await unlinkAll(redis, tenant, cell, retired);
    await scripts.editKeyLedger(tenant, cell, { forget: [retired.prefix] });
  }
}

/** Keys of an erased user that one script call removes. */
const FINGERPRINTS_PER_EDIT = 500;

/**
 * Removes the idempotency keys of a user from Redis: a new user with the same id may use them. The history
 * must have all events of the user. A filter keeps the keys; then PostgreSQL is asked and does not find them.
 */
export async function forgetKeys(
  { scripts, cells }: Pick<Stores, 'cells'> & { scripts: Scripts },
  client: PoolClient,
  { tenant, userId }: UserKey,
): Promise<void> {
  const used = await listKeysOfUser(client, { tenant, userId });
  const cell = cellOf(tenant, userId, cells);
  for (let at = 0; at < used.length; at += FINGERPRINTS_PER_EDIT) {
    const fingerprints = used.slice(at, at + FINGERPRINTS_PER_EDIT);
    await scripts.editKeyLedger(tenant, cell, { fingerprints });
  }
}
