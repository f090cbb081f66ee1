const tenantPrefix = (tenant: number, shard: number): string => `{${shard}}:${tenant}:`;
const boardPrefix = (tenant: number): string => `{${tenant}:lb:`;

/** What follows the prefix in the keys of a tenant in one shard, and the fields of its statistics. */
export const keysOfTenant = {
  user: (userId: string): string => `u:${userId}`,
  fingerprints: (userId: string, metric: number): string => `i:${userId}:${metric}`,
  recentFingerprints: (userId: string, metric: number): string => `w:${userId}:${metric}`,
  seen: (): string => 'seen',
  erasing: (): string => 'erasing',
  stats: (): string => 'stats',
  version: (): string => 'version',
  /** The field of an achievement in `stats`. */
  completions: (achievement: number | ''): string => `completed:${achievement}`,
} as const;

/**
 * Every Redis key of laurel. `S` is a virtual shard, `T` the tenant's number; the braces are the hash tag, so that all keys of one
 * shard share a slot and a standalone Redis and a Redis Cluster hold the same keys. What workers work off belongs to a shard and
 * all tenants share it: they look at S places, however many tenants there are.
 *
 * The scripts build keys by the same functions (src/redis/luaNames.ts). What each key holds:
 *
 * | key | type | holds |
 * |---|---|---|
 * | `{S}:out` | stream | outbox: what the scripts did, for the relay |
 * | `{S}:due` | zset | `T:userId` → next instant (seconds since 1970) at which settling the user changes something |
 * | `{S}:review` | set | `T:version`: what settling goes by is new in this version, and everybody here is to be looked at |
 * | `{S}:T:u:<userId>` | hash | the user's state, msgpack: `h` hot, `c` cold (src/redis/userState.ts) |
 * | `{S}:T:i:<userId>:<metric>` | set of integers | idempotency fingerprints, kept for ever |
 * | `{S}:T:w:<userId>:<metric>` | zset | fingerprint → time used, where the tenant has a window |
 * | `{S}:T:seen` | zset | userId → hour of the last event: the registry of users, inactivity |
 * | `{S}:T:erasing` | set | users who are being erased: until that is done, nobody new can have the id |
 * | `{S}:T:stats` | hash | completions per achievement |
 * | `{S}:T:version` | string | version of the rules in force; an event evaluated with older ones is refused as stale |
 * | `{T:arrivals}` | string | counts changes that moved somebody on a leaderboard: the order of arrival |
 * | `{T:lb:<no>:<run>:<group>}` | zset | ranking of one group of one run, until that is final: `<ticket><shard><userId>` → score |
 * | `{T:rules}` | hash | the published configuration (msgpack), its version, a word for what settling goes by, and since when |
 * | `{laurel}:tenants` | hash | customer's id of a tenant → its number, as last published: a hint |
 * | `{laurel}:clock` | string | how far ahead the test clock is, or where it stands still (src/base/clock.ts), JSON |
 * | `{laurel}:probe` | string | written by `/readyz` to find out whether Redis takes writes |
 * | `{laurel}:restoring` | string | there while a restore has not been finished |
 * | `{laurel}:console-link:<hash>` | string | there while a link into the console can be used; expires |
 * | `{laurel}:delivery-counts` | hash | how often deliveries ended in each way, for `/metrics` |
 * | `{laurel}:jobs:…` | | BullMQ's own |
 */
export const keys = {
  boardPrefix: (tenant: number): string => `{${tenant}:lb:`,
  outbox: (shard: number): string => `{${shard}}:out`,
  due: (shard: number): string => `{${shard}}:due`,
  review: (shard: number): string => `{${shard}}:review`,
  /** What the keys of a tenant in one shard begin with (keysOfTenant). */
  tenantPrefix,
  user: (tenant: number, shard: number, userId: string): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.user(userId),
  seen: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.seen(),
  erasing: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.erasing(),
  stats: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.stats(),
  version: (tenant: number, shard: number): string => tenantPrefix(tenant, shard) + keysOfTenant.version(),
  board: (tenant: number, board: number, run: number, group: string): string =>
    `${boardPrefix(tenant)}${board}:${run}:${group}}`,
  /** Fingerprints of idempotency keys: kept for ever, and of a tenant with a window. */
  fingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.fingerprints(userId, metric),
  recentFingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    tenantPrefix(tenant, shard) + keysOfTenant.recentFingerprints(userId, metric),
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
  /** Pub/sub channel: one word a message, saying which shared thing changed. */
  announcements: '{laurel}:announcements',
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
