/**
 * Every Redis key of laurel. `S` is a virtual shard, `T` the tenant's number; the braces are the hash tag, so that all keys of one
 * shard share a slot and a standalone Redis and a Redis Cluster hold the same keys. What workers work off belongs to a shard and
 * all tenants share it: they look at S places, however many tenants there are.
 *
 * The scripts build the keys below a shard (lua/includes/shardPrefix.lua) and of a board themselves; what each holds:
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
 * | `{laurel}:restoring` | string | there while a restore has not been finished |
 * | `{laurel}:jobs:…` | | BullMQ's own |
 */
export const keys = {
  boardPrefix: (tenant: number): string => `{${tenant}:lb:`,
  outbox: (shard: number): string => `{${shard}}:out`,
  due: (shard: number): string => `{${shard}}:due`,
  review: (shard: number): string => `{${shard}}:review`,
  user: (tenant: number, shard: number, userId: string): string => `{${shard}}:${tenant}:u:${userId}`,
  seen: (tenant: number, shard: number): string => `{${shard}}:${tenant}:seen`,
  erasing: (tenant: number, shard: number): string => `{${shard}}:${tenant}:erasing`,
  stats: (tenant: number, shard: number): string => `{${shard}}:${tenant}:stats`,
  version: (tenant: number, shard: number): string => `{${shard}}:${tenant}:version`,
  board: (tenant: number, board: number, run: number, group: string): string =>
    `{${tenant}:lb:${board}:${run}:${group}}`,
  /** Fingerprints of idempotency keys: kept for ever, and of a tenant with a window. */
  fingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    `{${shard}}:${tenant}:i:${userId}:${metric}`,
  recentFingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    `{${shard}}:${tenant}:w:${userId}:${metric}`,
  arrivals: (tenant: number): string => `{${tenant}:arrivals}`,
  rules: (tenant: number): string => `{${tenant}:rules}`,
  tenants: '{laurel}:tenants',
  clock: '{laurel}:clock',
  restoring: '{laurel}:restoring',
  /** Pub/sub channel: one word a message, saying which shared thing changed. */
  announcements: '{laurel}:announcements',
  /** Pub/sub channel: the number of a tenant whose rules have been published. */
  published: '{laurel}:published',
  /** Pub/sub channel: ids of API keys that were created, revoked or deleted, separated by commas. */
  keyChanges: '{laurel}:key-changes',
} as const;

/** The member of a user in `{S}:due`. */
export const dueMember = (tenant: number, userId: string): string => `${tenant}:${userId}`;

/** Reads a member of `{S}:due` or `{S}:review`. */
export function splitTenant(member: string): { tenant: number; what: string } {
  const colon = member.indexOf(':');
  return { tenant: Number(member.slice(0, colon)), what: member.slice(colon + 1) };
}
