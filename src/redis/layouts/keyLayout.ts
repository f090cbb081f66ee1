import { flag, layout, number, orFalse, records, table, text } from './recordLayout.ts';

/** Layouts of used idempotency keys. lua/includes/keyLedger.lua has the values. */

/** `windowMs`: window in force when the slice began; 0 without one. */
export const KEY_SLICE = layout({ id: number, from: number, to: number, windowMs: number, buckets: number });
export const RETIRED_KEYS = layout({ prefix: text, first: number, count: number });
export const KEY_LEDGER = layout({
  nextId: number,
  coldBefore: number,
  filter: number,
  filterLines: number,
  filterTimed: flag,
  slices: records(KEY_SLICE),
  retired: records(RETIRED_KEYS),
});
/** What PostgreSQL says of a key; lua/recordEvents.lua. */
export const KEY_USE = layout({ usedAt: orFalse(number), idAt: number });
/** lua/editKeyLedger.lua. */
export const LEDGER_EDIT = layout({
  reserve: flag,
  slices: table<readonly number[]>(),
  retire: records(RETIRED_KEYS),
  forget: table<readonly string[]>(),
  fingerprints: table<readonly string[]>(),
  coldBefore: orFalse(number),
  filter: number,
  filterLines: number,
  filterTimed: flag,
  replacedBefore: number,
  replacedFilter: number,
});
