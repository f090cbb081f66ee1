const tenantPrefix = (tenant: number, shard: number): string => `{${shard}}:${tenant}:`;
const boardPrefix = (tenant: number): string => `{${tenant}:lb:`;

/** Suffixes of the keys of a tenant in one shard, and the fields of its statistics. */
export const keysOfTenant = {
  user: (userId: string): string => `u:${userId}`,
  fingerprints: (userId: string, metric: number): string => `i:${userId}:${metric}`,
  timedFingerprints: (userId: string, metric: number): string => `w:${userId}:${metric}`,
  seen: (): string => 'seen',
  erasing: (): string => 'erasing',
  stats: (): string => 'stats',
  version: (): string => 'version',
  /** The field of an achievement in `stats`. */
  completions: (achievement: number | ''): string => `completed:${achievement}`,
} as const;

/**
 * Every Redis key of laurel. `S` is a virtual shard, `T` the tenant's number; the braces are the hash tag, so that all keys of one
 * shard share a slot and a standalone Redis and a Redis Cluster hold the same keys. All tenants share the queues of a shard, so
 * workers check one set of queues for each shard, however many tenants there are.
 *
 * The scripts build keys by the same functions (src/redis/luaNames.ts). What each key holds:
 *
 * | key | type | holds |
 * |---|---|---|
 * | `{S}:out` | stream | outbox: what the scripts did, for the relay |
 * | `{S}:due` | zset | `T:userId` → next instant (seconds since 1970) at which settling changes the user |
 * | `{S}:review` | set | `T:version`: this version has new rules for settling, so all users of the tenant in this shard must be checked |
 * | `{S}:T:u:<userId>` | hash | the user's state, msgpack: `h` hot, `c` cold (src/redis/userState.ts) |
 * | `{S}:T:i:<userId>:<metric>` | set of integers | idempotency fingerprints that were used |
 * | `{S}:T:w:<userId>:<metric>` | zset | fingerprint → time of the last use (ms), if that was under a window |
 * | `{S}:T:seen` | zset | userId → hour of the last event: all users of the tenant, for counts and inactivity |
 * | `{S}:T:erasing` | set | users who are being erased; no new user can have the id until the erasure is done |
 * | `{S}:T:stats` | hash | completions per achievement |
 * | `{S}:T:version` | string | version of the rules in force; an event evaluated with older rules is refused as stale |
 * | `{T:arrivals}` | string | counts changes that moved a user on a leaderboard: the order of arrival |
 * | `{T:lb:<no>:<run>:<group>}` | zset | ranking of one group of one run, until the run is final: `<ticket><shard><userId>` → score |
 * | `{T:rules}` | hash | the published configuration (msgpack), its version, the hash of the rules for settling, and since when they are in force |
 * | `{laurel}:tenants` | hash | customer id of a tenant → its number, as last published; may be outdated |
 * | `{laurel}:clock` | string | how far ahead the test clock is, or where it stands still (src/base/clock.ts), JSON |
 * | `{laurel}:probe` | string | written by `/readyz` to find out whether Redis takes writes |
 * | `{laurel}:restoring` | string | exists while a restore is not finished |
 * | `{laurel}:console-link:<hash>` | string | exists while a link into the console can be used; expires |
 * | `{laurel}:delivery-counts` | hash | number of deliveries by outcome, for `/metrics` |
 * | `{laurel}:jobs:…` | | keys of BullMQ |
 */
export const keys = {
  boardPrefix: (tenant: number): string => `{${tenant}:lb:`,
  outbox: (shard: number): string => `{${shard}}:out`,
  due: (shard: number): string => `{${shard}}:due`,
  review: (shard: number): string => `{${shard}}:review`,
  /** Prefix of the keys of a tenant in one shard (keysOfTenant). */
  tenantPrefix,
  user: (tenant: number, shard: number, userId: string): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.user(userId),
  seen: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.seen(),
  erasing: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.erasing(),
  stats: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.stats(),
  version: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.version(),
  board: (tenant: number, board: number, run: number, group: string): string =>
    `${boardPrefix(tenant)}${board}:${run}:${group}}`,
  /** Fingerprints of idempotency keys: all, and those that were used under a window. */
  fingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.fingerprints(userId, metric),
  timedFingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.timedFingerprints(userId, metric),
  arrivals: (tenant: number): string => `{${tenant}:arrivals}`,
  rules: (tenant: number): string => `{${tenant}:rules}`,
  /** The member of a user in `{S}:due`. */
  dueMember: (tenant: number, userId: string): string => `${tenant}:${userId}`,
  /** The member of a tenant in `{S}:review`. */
  reviewMember: (tenant: number, version: number): string => `${tenant}:${version}`,
  tenants: '{laurel}:tenants',
  clock: '{laurel}:clock',
  probe: '{laurel}:probe',
  restoring: '{laurel}:restoring',
  consoleLink: (hash: string): string => `{laurel}:console-link:${hash}`,
  deliveryCounts: '{laurel}:delivery-counts',
  /** Pub/sub channel: each message is one word that names what changed. */
  announcements: '{laurel}:announcements',
  /** Pub/sub channel: somebody waits until the history contains what is in the outboxes. */
  awaited: '{laurel}:awaited',
  /** Pub/sub channel: the number of a tenant whose rules have been published. */
  published: '{laurel}:published',
  /** Pub/sub channel: ids of API keys that were created, revoked or deleted, separated by commas. */
  keyChanges: '{laurel}:key-changes',
} as const;

/** Reads a member of `{S}:due` or `{S}:review`. */
export function splitTenant(member: string): { tenant: number; what: string } {
  const colon = member.indexOf(':');
  return { tenant: Number(member.slice(0, colon)), what: member.slice(colon + 1) };
}
