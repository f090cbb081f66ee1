/** The outbox entry on which scripts and relays agree. Lua uses the same names (luaNames.ts). */

/** Fields of an outbox entry. */
export const ENTRY = {
  format: 'fn',
  tenant: 'tenant',
  now: 'now',
  asked: 'in',
  details: 'details',
  late: 'late',
  today: 'today',
  outcomes: 'out',
  instants: 'at',
} as const;

/**
 * Formats of outbox entries that this version writes: the script and a number. If a field or a record of the
 * entry changes, a version first reads the new format (src/redis/decoding/outbox.ts), and the next one writes
 * it: until every worker reads it, reads of history would wait. A worker leaves entries of unknown formats to
 * workers that know them.
 */
export const ENTRY_FORMAT = {
  recordEvents: 'recordEvents/1',
  recordLateEvent: 'recordLateEvent/1',
  changeUser: 'changeUser/1',
  settleUsers: 'settleUsers/1',
  importUsers: 'importUsers/1',
  importEvents: 'importEvents/1',
  settleImported: 'settleImported/1',
  moveUsers: 'moveUsers/1',
} as const;
