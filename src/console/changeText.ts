import { words } from './format.ts';

/** Changes that have a better name than the verb and the kind. */
const NAMED: Record<string, string> = {
  'update streak': 'Changed the streak settings',
  'update settings': 'Changed the settings',
  'update testClock': 'Moved the test clock',
  'update dead': 'Tried again what was given up',
  'create pointsAdjustments': 'Adjusted points',
  'create completions': 'Granted an achievement',
  'delete completions': 'Revoked an achievement',
  'create hiddenUsers': 'Hid from a leaderboard',
  'delete hiddenUsers': 'Put back on a leaderboard',
  'create undoneEvents': 'Undid an event',
  'update heldEvents': 'Decided on a held event',
  'create blockedUsers': 'Blocked the user',
  'delete blockedUsers': 'Lifted the block',
  'create streakFreezes': 'Gave freezes',
  'create streakPauses': 'Paused the streak',
  'delete streakPauses': 'Removed a pause',
  'update streaks': 'Restored the streak',
  'delete users': 'Erased a user',
  'create sessions': 'Signed in to the console',
  'delete sessions': 'Ended a session of the console',
};

const VERBS: Record<string, string> = { create: 'Created', update: 'Changed', delete: 'Deleted' };

/** "pointsTriggers" → "points trigger" */
const one = (kind: string): string => words(kind).toLowerCase().replace(/s$/, '');

/** What an entry of the audit log says: "Created points trigger". */
export const changeText = (action: string, kind: string): string =>
  NAMED[`${action} ${kind}`] ?? `${VERBS[action]} ${one(kind)}`;
