import type { Redis } from 'ioredis';
import { pack, unpackAll } from '../decoding/codec.ts';
import { keys, keysOfTenant } from '../keys/redisKeys.ts';
import { KEY_LEDGER, KEY_SLICE, RETIRED_KEYS } from '../layouts/keyLayout.ts';
import { type Flat, type RecordOf, readRecord, readRecords, toRecord } from '../layouts/recordLayout.ts';

const UNLINKED_AT_ONCE = 500;

/** A slice of used idempotency keys: those used from `from` until before `to` (ms). */
export type KeySlice = RecordOf<typeof KEY_SLICE>;

/** Redis keys `<prefix><first>`, `<prefix><first + 1>`, … of a tenant. */
export type NumberedKeys = RecordOf<typeof RETIRED_KEYS>;

type StoredLedger = RecordOf<typeof KEY_LEDGER>;

/** The keys that are in PostgreSQL only, and their filter. */
export type ColdKeys = Pick<StoredLedger, 'coldBefore' | 'filter' | 'filterLines' | 'filterTimed'>;

/** lua/includes/keyLedger.lua describes the values. */
export type KeyLedger = Omit<StoredLedger, 'slices' | 'retired'> & {
  slices: KeySlice[];
  retired: NumberedKeys[];
};

/** null if the tenant has used no key, and has none in PostgreSQL only. */
export async function readKeyLedger(redis: Redis, tenant: number, cell: number): Promise<KeyLedger | null> {
  const packed = await redis.getBuffer(keys.keyLedger(tenant, cell));
  if (packed === null) return null;
  const ledger = readRecord(KEY_LEDGER, unpackAll(packed)[0] as Flat<StoredLedger>);
  return {
    ...ledger,
    slices: readRecords(KEY_SLICE, ledger.slices),
    retired: readRecords(RETIRED_KEYS, ledger.retired),
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

/**
 * The fingerprint that marks the event of an idempotency key as held: the negative of the key's own
 * fingerprint (lua/includes/holdEvent.lua).
 */
export const heldMark = (fingerprint: string): string =>
  fingerprint.startsWith('-') ? fingerprint.slice(1) : `-${fingerprint}`;
