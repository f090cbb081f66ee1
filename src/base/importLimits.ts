import { BATCH_BODY_BYTES_MAX } from './limits.ts';

/* Bounds of imports. */

/** Body of a chunk of an imported file, its rows, and the longest row. */
export const IMPORT_CHUNK_BYTES_MAX = BATCH_BODY_BYTES_MAX;
export const IMPORT_CHUNK_ROWS_MAX = 10_000;
export const IMPORT_ROW_CHARS_MAX = 64 * 1024;
/** Rows of one import: a part of it, which a worker holds in memory, then has some 100,000 of them. */
export const IMPORT_ROWS_MAX = 100_000_000;
/** Parts of an import. All rows of a user are in the same one. */
export const IMPORT_PARTS = 1_024;
/**
 * Pause after each day of an import that is applied day by day, s, and all pauses together, s. They are
 * shorter than the hold of its users.
 */
export const IMPORT_DAY_SECONDS_MAX = 10;
export const IMPORT_PLAY_SECONDS_MAX = 300;
/** Rows of such an import: a worker applies them in one step. */
export const IMPORT_PLAYED_ROWS_MAX = 4_000;
/** Refused rows that an import keeps; further ones are only counted. */
export const IMPORT_REFUSED_KEPT_MAX = 10_000;

if (IMPORT_ROW_CHARS_MAX * 4 > IMPORT_CHUNK_BYTES_MAX)
  throw new Error('IMPORT_CHUNK_BYTES_MAX must hold the longest row');
