/**
 * Every Redis key of laurel. `T` is the tenant's number, `S` a virtual shard; the braces are the hash tag, so that all
 * keys of one shard share a slot and a standalone Redis and a Redis Cluster hold the same keys.
 *
 * The scripts build the keys below a shard or a board from the prefixes given here (`shardPrefix`, `boardPrefix`);
 * what each holds:
 *
 * | key | type | holds |
 * |---|---|---|
 * | `{T:S}:u:<userId>` | hash | the user's state, msgpack: `h` hot, `c` cold (src/redis/userState.ts) |
 * | `{T:S}:i:<userId>:<metric>` | set of integers | idempotency fingerprints, kept for ever |
 * | `{T:S}:w:<userId>:<metric>` | zset | fingerprint → time used, where the tenant has a window |
 * | `{T:S}:seen` | zset | userId → hour of the last event: the registry of users, inactivity |
 * | `{T:S}:due` | zset | userId → next instant (seconds since 1970) at which settling the user changes something |
 * | `{T:S}:timeRules` | string | what settling goes by, as of the last time that everybody in the shard was looked at |
 * | `{T:S}:erasing` | set | users who are being erased: until that is done, nobody new can have the id |
 * | `{T:S}:stats` | hash | completions per achievement |
 * | `{T:S}:out` | stream | outbox: what the scripts did, for the relay |
 * | `{T:S}:version` | string | version of the rules in force; an event evaluated with older ones is refused as stale |
 * | `{T}:arrivals` | string | counts changes that moved somebody on a leaderboard: the order of arrival |
 * | `{T:lb:<no>:<run>:<group>}` | zset | ranking of one group of one run: `<ticket><shard><userId>` → score |
 * | `{T}:rules` | hash | the published configuration (msgpack) and its version |
 * | `{laurel}:tenants` | hash | customer's id of a tenant → its number, as last published: a hint |
 * | `{laurel}:clock` | string | offset of the test clock in ms |
 * | `{laurel}:restoring` | string | there while a restore has not been finished |
 * | `{laurel}:jobs:…` | | BullMQ's own |
 */
export const keys = {
  shardPrefix: (tenant: number, shard: number): string => `{${tenant}:${shard}}:`,
  boardPrefix: (tenant: number): string => `{${tenant}:lb:`,
  user: (tenant: number, shard: number, userId: string): string => `{${tenant}:${shard}}:u:${userId}`,
  outbox: (tenant: number, shard: number): string => `{${tenant}:${shard}}:out`,
  seen: (tenant: number, shard: number): string => `{${tenant}:${shard}}:seen`,
  due: (tenant: number, shard: number): string => `{${tenant}:${shard}}:due`,
  timeRules: (tenant: number, shard: number): string => `{${tenant}:${shard}}:timeRules`,
  erasing: (tenant: number, shard: number): string => `{${tenant}:${shard}}:erasing`,
  stats: (tenant: number, shard: number): string => `{${tenant}:${shard}}:stats`,
  version: (tenant: number, shard: number): string => `{${tenant}:${shard}}:version`,
  board: (tenant: number, board: number, run: number, group: string): string =>
    `{${tenant}:lb:${board}:${run}:${group}}`,
  /** Fingerprints of idempotency keys: kept for ever, and of a tenant with a window. */
  fingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    `{${tenant}:${shard}}:i:${userId}:${metric}`,
  recentFingerprints: (tenant: number, shard: number, userId: string, metric: number): string =>
    `{${tenant}:${shard}}:w:${userId}:${metric}`,
  arrivals: (tenant: number): string => `{${tenant}}:arrivals`,
  rules: (tenant: number): string => `{${tenant}}:rules`,
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
