import type { Redis } from 'ioredis';
import { pack, unpackAll } from '../scripts/codec.ts';
import { KEY_LEDGER, KEY_SLICE, RETIRED_KEYS } from '../scripts/keyLayout.ts';
import { readRecord, readRecords, toRecord } from '../state/recordLayout.ts';
import { keys, keysOfTenant } from '../state/redisKeys.ts';

const UNLINKED_AT_ONCE = 500;

/** A slice of used idempotency keys: those used from `from` until before `to` (ms). */
export interface KeySlice {
  id: number;
  from: number;
  to: number;
  /** Window in force when the slice began; 0 without one. */
  windowMs: number;
  buckets: number;
}

/** Redis keys `<prefix><first>`, `<prefix><first + 1>`, … of a tenant. */
export interface NumberedKeys {
  prefix: string;
  first: number;
  count: number;
}

/** The keys that are in PostgreSQL only, and their filter (lua/includes/keyLedger.lua). */
export interface ColdKeys {
  coldBefore: number;
  filter: number;
  filterLines: number;
  filterTimed: boolean;
}

/** lua/includes/keyLedger.lua describes the values. */
export interface KeyLedger extends ColdKeys {
  nextId: number;
  slices: KeySlice[];
  retired: NumberedKeys[];
}

/** null if the tenant has used no key, and has none in PostgreSQL only. */
export async function readKeyLedger(redis: Redis, tenant: number, cell: number): Promise<KeyLedger | null> {
  const packed = await redis.getBuffer(keys.keyLedger(tenant, cell));
  if (packed === null) return null;
  const ledger = readRecord(KEY_LEDGER, unpackAll(packed)[0] as unknown[]);
  return {
    ...(ledger as unknown as KeyLedger),
    slices: readRecords(KEY_SLICE, ledger.slices as unknown[]) as unknown as KeySlice[],
    retired: readRecords(RETIRED_KEYS, ledger.retired as unknown[]) as unknown as NumberedKeys[],
  };
}

/** Records, in an empty Redis, that all keys used before an instant are in PostgreSQL only. */
export async function markKeysCold(
  redis: Redis,
  tenant: number,
  cell: number,
  coldBefore: number,
): Promise<void> {
  const cold = { coldBefore, filter: 0, filterLines: 0, filterTimed: false };
  const ledger = { nextId: 1, ...cold, slices: [], retired: [] };
  await redis.set(keys.keyLedger(tenant, cell), pack(toRecord(KEY_LEDGER, ledger)));
  await redis.sadd(keys.coldKeys, coldMember(tenant, cell));
}

/** Records that the keys in PostgreSQL only have a filter. */
export async function markFiltered(redis: Redis, tenant: number, cell: number): Promise<void> {
  await redis.srem(keys.coldKeys, coldMember(tenant, cell));
}

const coldMember = (tenant: number, cell: number): string => `${tenant}:${cell}`;

export function keysOfFilter(filter: number, chunks: number): NumberedKeys {
  return { prefix: keysOfTenant.keyFilter(filter), first: 0, count: chunks };
}

/** Deletes keys of a tenant. */
export async function unlinkAll(
  redis: Redis,
  tenant: number,
  cell: number,
  { prefix, first, count }: NumberedKeys,
): Promise<void> {
  const start = keys.tenantPrefix(tenant, cell) + prefix;
  for (let at = 0; at < count; at += UNLINKED_AT_ONCE) {
    const some = Math.min(UNLINKED_AT_ONCE, count - at);
    await redis.unlink(Array.from({ length: some }, (_, i) => `${start}${first + at + i}`));
  }
}

/** Position of a fingerprint among all, 0 to below 1, as lua/includes/keyBuckets.lua computes it. */
export function positionOf(fingerprint: string): number {
  const position = Number(fingerprint) / 2 ** 64 + 0.5;
  return position < 1 ? position : 0;
}
