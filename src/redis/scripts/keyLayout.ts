import { layout } from '../state/recordLayout.ts';

/* Layouts of used idempotency keys, as in scriptLayout.ts. lua/includes/keyLedger.lua has the values. */

export const KEY_LEDGER = layout(
  'nextId',
  'coldBefore',
  'filter',
  'filterLines',
  'filterTimed',
  'slices',
  'retired',
);
export const KEY_SLICE = layout('id', 'from', 'to', 'windowMs', 'buckets');
export const RETIRED_KEYS = layout('prefix', 'first', 'count');
/** What PostgreSQL says of a key; lua/recordEvents.lua. */
export const KEY_USE = layout('usedAt', 'idAt');
/** lua/editKeyLedger.lua. */
export const LEDGER_EDIT = layout(
  'reserve',
  'slices',
  'retire',
  'forget',
  'fingerprints',
  'coldBefore',
  'filter',
  'filterLines',
  'filterTimed',
  'replacedBefore',
  'replacedFilter',
);

export const KEY_LAYOUTS = { KEY_LEDGER, KEY_SLICE, RETIRED_KEYS, KEY_USE, LEDGER_EDIT } as const;
