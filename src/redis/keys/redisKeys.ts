/** Suffixes of the keys of a tenant, and the fields of its statistics. */
export const keysOfTenant = {
  user: (userId: string): string => `u:${userId}`,
  history: (userId: string): string => `h:${userId}`,
  keyLedger: (): string => 'keys',
  /** Prefix of the buckets of a slice. */
  keySlice: (id: number): string => `k:${id}:`,
  /** Prefix of the chunks of a filter. */
  keyFilter: (id: number): string => `f:${id}:`,
  seen: (): string => 'seen',
  erasing: (): string => 'erasing',
  erasures: (): string => 'erasures',
  /** Tokens of an import of past events. */
  import: (no: number): string => `import:${no}`,
  stats: (): string => 'stats',
  version: (): string => 'version',
  arrivals: (): string => 'arrivals',
  rules: (): string => 'rules',
  board: (board: number, run: number, group: string): string => `lb:${board}:${run}:${group}`,
  leftOut: (board: number): string => `lo:${board}`,
  /** The field of a ranking in `leftOut`. */
  ranking: (run: number, group: string): string => `${run}:${group}`,
  leagueRuns: (): string => 'lg',
  /** Seats taken in a run of a league. */
  league: (board: number, run: number): string => `lg:${board}:${run}`,
  /** The field of a tier and of a group of attribute values in `league`. */
  seats: (tier: number, values: string): string => `${tier}:${values}`,
  /** The field of an achievement in `stats`. */
  completions: (achievement: number | ''): string => `completed:${achievement}`,
} as const;

const cellPrefix = (cell: number): string => `{${cell}}:`;
const tenantPrefix = (tenant: number, cell: number): string => `{${cell}}:${tenant}:`;

/**
 * Every Redis key of laurel. `C` is a cell, `T` the tenant's number; the braces are the hash tag, so that all
 * keys of a tenant in a cell share a slot, and a standalone Redis and a Redis Cluster hold the same keys. The
 * tenants of a cell share its queues, so workers check one set of queues for each cell, however many tenants
 * there are.
 *
 * The scripts get the prefix of a tenant and build the keys by the same functions
 * (src/redis/lua/luaNames.ts). What each key holds:
 *
 * | key | type | holds |
 * |---|---|---|
 * | `{C}:out` | stream | outbox: changes by the scripts, for the relay |
 * | `{C}:due` | zset | `T:userId` → next instant (seconds since 1970) at which settling changes the user |
 * | `{C}:due:boards` | set | `T:no`: half of this leaderboard's reserve is used up, so it must be filled from all users |
 * | `{C}:review` | hash | `T:version` → progress (src/redis/state/reviewProgress.ts): this version has new rules for settling, so all users of the tenant must be checked |
 * | `{C}:receipts` | zset | token → number of the latest transactions of relays whose entries have left the outbox (src/engine/recovery/compareReceipts.ts) |
 * | `{C}:replicated` | string | written before WAIT (src/redis/connection/replication.ts) |
 * | `{C}:T:u:<userId>` | hash | the user's state, msgpack: `h` hot, `c` cold (src/redis/decoding/userState.ts) |
 * | `{C}:T:h:<userId>` | list | the latest history of a user who is read: what PostgreSQL had, and the changes since, msgpack (lua/includes/keptHistory.lua); expires |
 * | `{C}:T:keys` | string | ledger of used idempotency keys: slices of time, filter, msgpack (lua/includes/keyLedger.lua) |
 * | `{C}:T:k:<slice>:<bucket>` | set of integers | fingerprints of idempotency keys that were used in a slice of time |
 * | `{C}:T:f:<filter>:<chunk>` | string | part of a filter of the keys that are in PostgreSQL only (src/redis/keys/keyFilter.ts) |
 * | `{C}:T:seen` | zset | userId → hour of the last event: all users of the tenant, for counts and inactivity |
 * | `{C}:T:erasing` | set | ids of users who are being erased or renamed, and their new ids; no new user can have them until that is done |
 * | `{C}:T:erasures` | string | counts users who were erased or renamed: an import reads its rows again if there was one since it read them |
 * | `{C}:T:import:<no>` | hash | userId → how far an import of past events is with the user (lua/importEvents.lua) |
 * | `{C}:T:stats` | hash | completions per achievement |
 * | `{C}:T:version` | string | version of the rules in force; an event evaluated with older rules is refused as stale |
 * | `{C}:T:arrivals` | string | counts changes that moved a user on a leaderboard: the order of arrival |
 * | `{C}:T:lb:<no>:<run>:<group>` | zset | ranking of one group of one run, until the run is final: `<ticket><userId>` → score |
 * | `{C}:T:lo:<no>` | hash | for rankings of a leaderboard (`run:group`) from which users may have been left out, the best score that these may have (lua/includes/leftOut.lua); `filling` while all users fill the leaderboard |
 * | `{C}:T:lg` | hash | number of a league → its latest run that has begun (lua/includes/leagueRuns.lua), msgpack |
 * | `{C}:T:lg:<no>:<run>` | hash | seats taken in a run of a league, until the run is final: `tier:values of attributes` → number |
 * | `{C}:T:rules` | hash | the published configuration (msgpack), its version, the hash of the rules for settling, and since when they are in force |
 * | `{laurel}:tenants` | hash | customer id of a tenant → its number, as last published; may be outdated |
 * | `{laurel}:clock` | string | how far ahead the test clock is, or where it stands still (src/base/clock.ts), JSON |
 * | `{laurel}:probe` | string | written by `/readyz` to find out whether Redis takes writes |
 * | `{laurel}:restoring` | string | exists while a restore is not finished |
 * | `{laurel}:cold-keys` | set | `T:C`: the tenant's cell has no filter of the idempotency keys in PostgreSQL, which is asked about every key that Redis does not have |
 * | `{laurel}:console-link:<hash>` | string | exists while a link into the console can be used; expires |
 * | `{laurel}:delivery-counts` | hash | number of deliveries by outcome, for `/metrics` |
 * | `{laurel}:processes` | zset | a server or worker (JSON) → second of its last sign of life (src/redis/state/processes.ts) |
 * | `{bull}:…` | | keys of BullMQ |
 */
export const keys = {
  outbox: (cell: number): string => `{${cell}}:out`,
  due: (cell: number): string => `{${cell}}:due`,
  /** @param due the key of `{C}:due`, which scripts are given */
  dueBoards: (due: string): string => `${due}:boards`,
  review: (cell: number): string => `{${cell}}:review`,
  receipts: (cell: number): string => `{${cell}}:receipts`,
  replicated: (cell: number): string => `{${cell}}:replicated`,
  /** Prefix of all keys of a cell; never a key itself. */
  cellPrefix,
  /** Prefix of the keys of a tenant (keysOfTenant); never a key itself. */
  tenantPrefix,
  user: (tenant: number, cell: number, userId: string): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.user(userId),
  history: (tenant: number, cell: number, userId: string): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.history(userId),
  seen: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.seen(),
  erasing: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.erasing(),
  erasures: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.erasures(),
  import: (tenant: number, cell: number, no: number): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.import(no),
  stats: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.stats(),
  version: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.version(),
  board: (tenant: number, cell: number, board: number, run: number, group: string): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.board(board, run, group),
  leftOut: (tenant: number, cell: number, board: number): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.leftOut(board),
  leagueRuns: (tenant: number, cell: number): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.leagueRuns(),
  league: (tenant: number, cell: number, board: number, run: number): string =>
    tenantPrefix(tenant, cell) + keysOfTenant.league(board, run),
  keyLedger: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.keyLedger(),
  arrivals: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.arrivals(),
  rules: (tenant: number, cell: number): string => tenantPrefix(tenant, cell) + keysOfTenant.rules(),
  /** The member of a user in `{C}:due`. */
  dueMember: (tenant: number, userId: string): string => `${tenant}:${userId}`,
  /** The member of a leaderboard in `{C}:due:boards`. */
  dueBoardMember: (tenant: number, leaderboard: number): string => `${tenant}:${leaderboard}`,
  /** The field of a tenant in `{C}:review`. */
  reviewMember: (tenant: number, version: number): string => `${tenant}:${version}`,
  tenants: '{laurel}:tenants',
  clock: '{laurel}:clock',
  probe: '{laurel}:probe',
  restoring: '{laurel}:restoring',
  coldKeys: '{laurel}:cold-keys',
  consoleLink: (hash: string): string => `{laurel}:console-link:${hash}`,
  deliveryCounts: '{laurel}:delivery-counts',
  processes: '{laurel}:processes',
  /** Pub/sub channel: each message names a change in one word. */
  clockChanges: '{laurel}:clock-changes',
  /** Pub/sub channel: a read waits until the history contains what is in the outboxes. */
  awaited: '{laurel}:awaited',
  /** Pub/sub channel: average duration of the script calls of a server's events, ms. */
  eventLatency: '{laurel}:event-latency',
  /** Pub/sub channel: the number of a tenant whose rules have been published. */
  published: '{laurel}:published',
  /** Pub/sub channel: ids of API keys that were created, revoked or deleted, separated by commas. */
  keyChanges: '{laurel}:key-changes',
} as const;

/** Reads a member of `{C}:due` or `{C}:due:boards`, or a field of `{C}:review`. */
export function splitTenant(member: string): { tenant: number; what: string } {
  const colon = member.indexOf(':');
  return { tenant: Number(member.slice(0, colon)), what: member.slice(colon + 1) };
}
