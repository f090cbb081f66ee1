import type { PoolClient, Queryable } from '../pool.ts';
import { readInBatches } from '../readInBatches.ts';
import { all, column, prepared, some } from '../rows.ts';
import { ARRIVED_AT, MILLISECONDS, type Sql, sql } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';

/** An idempotency key of a user and metric, by its fingerprint. */
export interface AskedKey {
  userId: string;
  metric: number;
  /** Signed 64-bit integer. */
  fingerprint: string;
  /** Whether it is that of the present id: then whoever had the id before may have used the key, too. */
  isOfPresentId: boolean;
}

/** The last use of a key; `eventId` is null if the event is no longer kept. */
export interface UsedKey {
  /** Milliseconds since 1970. */
  usedAt: number;
  eventId: string | null;
}

// Whoever has the id of `asked`, or had it before: a key that was used under an id stays used.
const usersOf = (tenant: number): Sql => sql`(
  select asked.user_id union all select user_id from former_user_ids
  where tenant = ${tenant} and former_id = asked.user_id and asked.is_of_present_id)`;

// Events that were held under the key `asked`.
const heldUses = (tenant: number): Sql => sql`
  select held_at as used_at, event_id from held_events
  where tenant = ${tenant} and user_id in ${usersOf(tenant)}
    and metric = asked.metric and fingerprint = asked.fingerprint`;

// Uses of the key `asked`. The events of a user and metric are found by the primary key of recorded_events.
const allUses = (tenant: number): Sql => sql`
  select ${ARRIVED_AT} as used_at, event_id from recorded_events
  where user_no in (select no from user_numbers where tenant = ${tenant} and user_id in ${usersOf(tenant)})
    and metric = asked.metric and fingerprint = asked.fingerprint
  union all
  select used.used_at, null
  from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  where tenant = ${tenant} and user_id in ${usersOf(tenant)}
    and metric = asked.metric and used.fingerprint = asked.fingerprint
  union all ${heldUses(tenant)}`;

/** @returns the last use of each key, in the same order; null for a key that was not used */
export const findUsedKeys = (
  db: Queryable,
  tenant: number,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> => findLastUses(db, allUses(tenant), asked);

/** @returns the last event that was held under each key, in the same order; null if none was */
export const findHeldKeys = (
  db: Queryable,
  tenant: number,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> => findLastUses(db, heldUses(tenant), asked);

/** @param uses `used_at` and `event_id` of the key `asked` */
async function findLastUses(
  db: Queryable,
  uses: Sql,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> {
  const rows = await all(prepared(db))<{ usedAt: number | null; eventId: string | null }>`
    select ${MILLISECONDS('used_at')} as "usedAt", event_id as "eventId"
    from unnest(
      ${asked.map(({ userId }) => userId)}::text[], ${asked.map(({ metric }) => metric)}::integer[],
      ${asked.map(({ fingerprint }) => fingerprint)}::bigint[],
      ${asked.map(({ isOfPresentId }) => isOfPresentId)}::boolean[]
    ) with ordinality as asked (user_id, metric, fingerprint, is_of_present_id, n)
    left join lateral (select * from (${uses}) as use order by used_at desc limit 1) as latest on true
    order by n`;
  return rows.map(({ usedAt, eventId }) => (usedAt === null ? null : { usedAt, eventId }));
}

// With the marks of held events (src/redis/usedKeys/keyLedger.ts).
const usesIn = (tenant: number): Sql => sql`(
  select user_id, fingerprint, ${ARRIVED_AT} as used_at, substr(event_id::text, 15, 1) = '7' as is_timed
  from event_history where tenant = ${tenant} and fingerprint is not null
  union all
  select user_id, used.fingerprint, used.used_at, false
  from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  where tenant = ${tenant}
  union all
  select user_id, mark, held_at, substr(event_id::text, 15, 1) = '7'
  from held_events, unnest(array[fingerprint, - fingerprint]) as mark
  where tenant = ${tenant} and fingerprint is not null) as used`;

/**
 * Fingerprints of the keys that were used before an instant (ms), in ascending order, and whether that was
 * under a window.
 * @param ranOutAt leaves out keys that were used under a window at or before this instant; null: none
 */
export function readUsedKeys(
  client: PoolClient,
  { tenant, before, ranOutAt }: { tenant: number; before: number; ranOutAt: number | null },
  batch: number,
): AsyncGenerator<{ userId: string; fingerprint: string; isTimed: boolean }[]> {
  const { text, values } = sql`
    select user_id as "userId", fingerprint, is_timed as "isTimed" from ${usesIn(tenant)}
    where used_at < ${new Date(before)}
      and not (is_timed and used_at <= ${ranOutAt === null ? '-infinity' : new Date(ranOutAt)}::timestamptz)
    order by fingerprint`;
  return readInBatches(client, text, values, batch);
}

/** Whether a user has used idempotency keys. The history must have all events of the user. */
export const hasUsedKeys = (db: Queryable, { tenant, userId }: UserKey): Promise<boolean> =>
  some(db)`select from ${usesIn(tenant)} where user_id = ${userId} limit 1`;

/** Fingerprints of all keys that a user has used, and marks of those under which events were held. */
export const listKeysOfUser = (db: Queryable, { tenant, userId }: UserKey): Promise<string[]> =>
  column(db)`select fingerprint from ${usesIn(tenant)} where user_id = ${userId}`;
