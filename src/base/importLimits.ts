import { BATCH_BODY_BYTES_MAX } from './limits.ts';

/* Bounds of imports. */

/** Body of a chunk of an imported file, its rows, and the longest row. */
export const IMPORT_CHUNK_BYTES_MAX = BATCH_BODY_BYTES_MAX;
export const IMPORT_CHUNK_ROWS_MAX = 10_000;
export const IMPORT_ROW_CHARS_MAX = 64 * 1024;
/** Rows of one import: a part of it, which a worker holds in memory, then has some 100,000 of them. */
export const IMPORT_ROWS_MAX = 100_000_000;
/** Rows of one user. Later ones are refused. */
export const IMPORT_USER_ROWS_MAX = 100_000;
/** Parts of an import. All rows of a user are in the same one. */
export const IMPORT_PARTS = 1_024;
/** Users of an import from which on they are applied in the order of their ids. */
export const IMPORT_SORTED_ROWS_MIN = 10_000;
/** Chunks whose rows a worker sorts at once: some ten megabytes. */
export const IMPORT_SORTED_CHUNKS = 8;
/** Rows that a worker applies in one step, at most, unless one part has more. */
export const IMPORT_STEP_ROWS = 4_000;
/** Steps that are applied while the relay has not written them yet. */
export const IMPORT_STEPS_UNFINISHED_MAX = 8;
/** Refused rows that an import keeps; further ones are only counted. */
export const IMPORT_REFUSED_KEPT_MAX = 10_000;
/** Imports of a tenant that have not ended. */
export const IMPORTS_OPEN_MAX = 4;
/** Length of a streak, and greatest absolute value of a total, that a row may set. */
export const IMPORT_STREAK_MAX = 100_000;
export const IMPORT_VALUE_MAX = 1e15;
/**
 * Events of the past in a script call, at most, and for each user of a call beside live events. The users of
 * a call share its calendars.
 */
export const IMPORT_CALL_EVENTS_MAX = 400;
export const IMPORT_CALL_USER_EVENTS = 2;
/** Events and settlings that a script call makes. */
export const IMPORT_CALL_STEPS_MAX = 800;
/** Calls for events of the past that are under way together while no live event is. */
export const IMPORT_CALLS_AT_ONCE = 3;
/** Outbox entries that are not in the history yet, beyond which imports wait. */
export const IMPORT_BACKLOG_MAX = 2_000;

if (IMPORT_ROW_CHARS_MAX * 4 > IMPORT_CHUNK_BYTES_MAX)
  throw new Error('IMPORT_CHUNK_BYTES_MAX must hold the longest row');
