import { layout } from '../state/recordLayout.ts';

/** Layouts of the scripts of imports, as scriptLayout.ts describes. */

/**
 * lua/importUsers.lua, for each user. `metrics` and `points` are flat lists of IMPORTED_TOTAL, `achievements`
 * is one of IMPORTED_COMPLETION.
 */
export const IMPORTED_USER = layout(
  'userId',
  'control',
  'profile',
  'profileHash',
  'created',
  'metrics',
  'points',
  'achievements',
  'streak',
  'freezes',
);
/** `no`: of the counter of the metric `entity`, or again of the points system. */
export const IMPORTED_TOTAL = layout('entity', 'no', 'value');
export const IMPORTED_COMPLETION = layout('achievement', 'completedAt');
export const IMPORTED_STREAK = layout('length', 'firstDay', 'lastPeriod', 'extendedAt', 'longest');
/** Outbox record of lua/importUsers.lua: what an import changed, and the total after it. */
export const IMPORTED_CHANGE = layout('entity', 'no', 'change', 'total');
/** Details of lua/importUsers.lua for each user: flat lists, and whether the streak is the imported one. */
export const IMPORT_DETAIL = layout('metrics', 'points', 'achievements', 'hasStreak');

export const IMPORT_LAYOUTS = {
  IMPORTED_USER,
  IMPORTED_TOTAL,
  IMPORTED_COMPLETION,
  IMPORTED_STREAK,
  IMPORTED_CHANGE,
  IMPORT_DETAIL,
} as const;
