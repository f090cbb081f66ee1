import { NOTIFICATION_TYPES } from './preferences.ts';
import { PROFILE_NAMES } from './user.ts';

/** Columns of files of users, besides `id` and those that name metrics and the like (docs/moving-in.md). */

/** After `streak.`. */
export const STREAK_COLUMNS = ['length', 'lastDate', 'freezes', 'longest'] as const;
export type StreakColumn = (typeof STREAK_COLUMNS)[number];

/** After `preferences.`, besides the types of notifications. */
export const PREFERENCE_COLUMNS = [
  'streak.enabled',
  'streak.evaluationMode',
  'streak.daysOff',
  'streak.metrics',
  'leaderboards.visible',
] as const;
export type PreferenceColumn = (typeof PREFERENCE_COLUMNS)[number];

export const FIXED_USER_COLUMNS: readonly string[] = [
  ...PROFILE_NAMES,
  'created',
  'messagesFrom',
  ...STREAK_COLUMNS.map((name) => `streak.${name}`),
  ...[...NOTIFICATION_TYPES, ...PREFERENCE_COLUMNS].map((name) => `preferences.${name}`),
];
/** Groups whose columns name, after the dot, something that is configured. */
export const USER_COLUMN_GROUPS = ['attributes', 'metric', 'points', 'achievement', 'challenge'] as const;
export const EVENT_COLUMN_GROUPS = ['attributes', 'user.attributes'] as const;
