import type { PoolClient, Queryable } from '../pool.ts';
import { readInBatches } from '../readInBatches.ts';
import { ARRIVED_AT, MILLISECONDS } from '../sql.ts';

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
const USERS = `(select asked.user_id union all
    select user_id from former_user_ids where tenant = $1 and former_id = asked.user_id and asked.is_of_present_id)`;

// Events that were held under the key `asked`.
const HELD = `
  select held_at as used_at, event_id from held_events
  where tenant = $1 and user_id in ${USERS} and metric = asked.metric and fingerprint = asked.fingerprint`;

// Uses of the key `asked`. The events of a user and metric are found by the primary key of recorded_events.
const USES = `
  select ${ARRIVED_AT} as used_at, event_id from recorded_events
  where user_no in (select no from user_numbers where tenant = $1 and user_id in ${USERS})
    and metric = asked.metric and fingerprint = asked.fingerprint
  union all
  select used.used_at, null from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  where tenant = $1 and user_id in ${USERS} and metric = asked.metric and used.fingerprint = asked.fingerprint
  union all ${HELD}`;

/** @returns the last use of each key, in the same order; null for a key that was not used */
export function findUsedKeys(
  db: Queryable,
  tenant: number,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> {
  return findLastUses(db, { name: 'last uses of keys', source: USES }, tenant, asked);
}

/** @returns the last event that was held under each key, in the same order; null if none was */
export function findHeldKeys(
  db: Queryable,
  tenant: number,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> {
  return findLastUses(db, { name: 'held events of keys', source: HELD }, tenant, asked);
}

/** @param source query for `used_at` and `event_id` of the key `asked` */
async function findLastUses(
  db: Queryable,
  { name, source }: { name: string; source: string },
  tenant: number,
  asked: readonly AskedKey[],
): Promise<(UsedKey | null)[]> {
  const { rows } = await db.query<{ usedAt: number | null; eventId: string | null }>({
    name,
    text: `select ${MILLISECONDS('used_at')} as "usedAt", event_id as "eventId"
      from unnest($2::text[], $3::integer[], $4::bigint[], $5::boolean[]) with ordinality
        as asked (user_id, metric, fingerprint, is_of_present_id, n)
      left join lateral (select * from (${source}) as use order by used_at desc limit 1) as latest on true
      order by n`,
    values: [
      tenant,
      asked.map(({ userId }) => userId),
      asked.map(({ metric }) => metric),
      asked.map(({ fingerprint }) => fingerprint),
      asked.map(({ isOfPresentId }) => isOfPresentId),
    ],
  });
  return rows.map(({ usedAt, eventId }) =>
    usedAt === null ? null : { usedAt: Math.round(usedAt), eventId },
  );
}

// With the marks of held events (src/redis/usedKeys/heldMark.ts).
const OF_TENANT = `
  select user_id, fingerprint, ${ARRIVED_AT} as used_at, substr(event_id::text, 15, 1) = '7' as is_timed
  from event_history where tenant = $1 and fingerprint is not null
  union all
  select user_id, used.fingerprint, used.used_at, false
  from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  where tenant = $1
  union all
  select user_id, mark, held_at, substr(event_id::text, 15, 1) = '7'
  from held_events, unnest(array[fingerprint, - fingerprint]) as mark where tenant = $1 and fingerprint is not null`;

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
  return readInBatches(
    client,
    `select user_id as "userId", fingerprint, is_timed as "isTimed" from (${OF_TENANT}) as used
     where used_at < $2 and not (is_timed and used_at <= coalesce($3::timestamptz, '-infinity')) order by fingerprint`,
    [tenant, new Date(before), ranOutAt === null ? null : new Date(ranOutAt)],
    batch,
  );
}

/** Whether a user has used idempotency keys. The history must have all events of the user. */
export async function hasUsedKeys(
  db: Queryable,
  { tenant, userId }: { tenant: number; userId: string },
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from (${OF_TENANT}) as used where user_id = $2) as found`,
    [tenant, userId],
  );
  return rows[0]!.found;
}

/** Fingerprints of all keys that a user has used, and marks of those under which events were held. */
export async function listKeysOfUser(
  db: Queryable,
  { tenant, userId }: { tenant: number; userId: string },
): Promise<string[]> {
  const { rows } = await db.query<{ fingerprint: string }>(
    `select fingerprint from (${OF_TENANT}) as used where user_id = $2`,
    [tenant, userId],
  );
  return rows.map(({ fingerprint }) => fingerprint);
}
