import Type from 'typebox';
import { didYouMean, unknownKey } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseInstant } from '../../base/instant.ts';
import {
  FIXED_USER_COLUMNS,
  type PreferenceColumn,
  STREAK_COLUMNS,
  type StreakColumn,
} from '../../contract/importColumns.ts';
import type { ImportKind } from '../../contract/imports.ts';
import { NotificationPreferences, UpdateUserPreferencesRequest } from '../../contract/preferences.ts';
import { isProfileField, PROFILE_FIELDS, UpsertedUser } from '../../contract/user.ts';
import { createValidator } from '../../contract/validator.ts';
import type {
  IMPORTED_CHALLENGE,
  IMPORTED_COMPLETION,
  IMPORTED_TOTAL,
} from '../../redis/layouts/importLayout.ts';
import type { RecordOf } from '../../redis/layouts/recordLayout.ts';
import { dayOfDate, isDate } from '../../rules/calendar.ts';
import type { Challenge } from '../../rules/config.ts';
import { assertUserId, prepareProfile, type ScriptProfile } from '../../rules/inForce/prepare.ts';
import { preparePreferences, type ScriptPreferences } from '../../rules/inForce/preparePreferences.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/** Length of a streak, completed runs, and greatest absolute value of a total, that a row may set. */
const IMPORT_STREAK_MAX = 100_000;
const IMPORT_COMPLETIONS_MAX = 100_000;
const IMPORT_VALUE_MAX = 1e15;

/** What a row of users sets, as lua/importUsers.lua takes it. */
export interface UserValues {
  userId: string;
  profile: ScriptProfile | false;
  /** ms; null if the row does not say so. */
  created: number | null;
  /** Before this instant (ms) the user gets no messages; null if the row does not say so. */
  messagesFrom: number | null;
  metrics: RecordOf<typeof IMPORTED_TOTAL>[];
  points: RecordOf<typeof IMPORTED_TOTAL>[];
  achievements: RecordOf<typeof IMPORTED_COMPLETION>[];
  challenges: RecordOf<typeof IMPORTED_CHALLENGE>[];
  streak: StreakOfRow | null;
  freezes: number | null;
  preferences: ScriptPreferences | null;
}

/** A streak of a row. `lastDay`: a local day, an ordinal, of the last period. */
export interface StreakOfRow {
  length: number;
  lastDay: number;
  longest: number;
}

/** What columns may hold: those of CSV are texts. An empty one sets nothing. */
type Columns = Record<string, unknown>;

type ReadColumn = (column: string, value: unknown) => unknown;

/** By what a field of the profile holds. */
const PROFILE = { text: textOf, flag: booleanOf, texts: listOf } as const;

/** As the Application API takes users. */
const validateProfile = createValidator(UpsertedUser);
const validateChannels = createValidator(Type.Object({ preferences: NotificationPreferences }));
const validatePreferences = createValidator(
  Type.Object({ preferences: Type.Omit(UpdateUserPreferencesRequest, ['notifications']) }),
);
const PREFERENCES: Record<PreferenceColumn, ReadColumn> = {
  'streak.enabled': booleanOf,
  'streak.evaluationMode': textOf,
  'streak.daysOff': (column, value) => listOf(column, value).map(Number),
  'streak.metrics': thresholdsOf,
  'leaderboards.visible': booleanOf,
};
const isPreferenceColumn = (name: string): name is PreferenceColumn => Object.hasOwn(PREFERENCES, name);
/** Instead of channels: the type is turned off. */
const NO_CHANNELS = 'none';

/** @throws ServiceError `invalid` or `notFound`, which names the column */
export function readUserValues(rules: Rules, columns: Columns, now: number): UserValues {
  const values: UserValues = {
    userId: String(columns.id),
    profile: false,
    created: null,
    messagesFrom: null,
    metrics: [],
    points: [],
    achievements: [],
    challenges: [],
    streak: null,
    freezes: null,
    preferences: null,
  };
  assertUserId(values.userId);
  const user: Record<string, unknown> = {};
  const attributes: Record<string, string> = {};
  const streak: Partial<Record<StreakColumn, unknown>> = {};
  const channels: Record<string, unknown> = {};
  const preferences: Record<string, Record<string, unknown>> = {};
  for (const [column, value] of Object.entries(columns)) {
    if (column === 'id' || value === '' || value === null) continue;
    const [group = '', key = ''] = splitColumn(column);
    if (isProfileField(column)) user[column] = PROFILE[PROFILE_FIELDS[column]](column, value);
    else if (group === 'attributes' && key) attributes[key] = textOf(column, value);
    else if (column === 'created') values.created = pastInstant(column, value, now);
    else if (column === 'messagesFrom') values.messagesFrom = instantOf(column, value);
    else if (group === 'metric') values.metrics.push(metricTotal(rules, column, key, value));
    else if (group === 'points') values.points.push(pointsTotal(rules, column, key, value));
    else if (group === 'achievement') values.achievements.push(completion(rules, column, key, value, now));
    else if (group === 'challenge') values.challenges.push(completedRuns(rules, column, key, value));
    else if (group === 'streak' && isStreakColumn(key)) streak[key] = value;
    else if (group === 'preferences' && isPreferenceColumn(key)) {
      const [of, name] = splitColumn(key);
      preferences[of] = { ...preferences[of], [name]: PREFERENCES[key](column, value) };
    } else if (group === 'preferences' && key) channels[key] = channelsOf(column, value);
    else throw unknownColumn(column);
  }
  const profile = validateProfile({ id: values.userId, ...user, attributes });
  values.profile = prepareProfile(rules, profile);
  if (Object.keys(channels).length + Object.keys(preferences).length > 0) {
    const notifications = validateChannels({ preferences: channels }).preferences;
    const own = validatePreferences({ preferences }).preferences;
    values.preferences = preparePreferences(rules, { notifications, ...own });
  }
  readStreak(rules, values, streak);
  return values;
}

const isStreakColumn = (name: string): name is StreakColumn =>
  (STREAK_COLUMNS as readonly string[]).includes(name);

/** Columns that an error names at most. */
const COLUMN_FAULTS_MAX = 20;

/**
 * Refuses columns that name nothing, whatever they hold, so that every row of a file would be refused.
 * @throws ServiceError `invalid` that names the first of them, and what was probably meant
 */
export function assertColumns(rules: Rules, kind: ImportKind, columns: readonly string[]): void {
  const check = kind === 'users' ? checkUserColumn : checkEventColumn;
  const faults: string[] = [];
  for (const column of columns) {
    try {
      check(rules, column);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(error.code === 'notFound' ? `column ${column}: ${error.message}` : error.message);
      if (faults.length === COLUMN_FAULTS_MAX) break;
    }
  }
  if (faults.length > 0) throw new ServiceError('invalid', faults.join('; '));
}

function checkUserColumn(rules: Rules, column: string): void {
  const [group, key] = splitColumn(column);
  if (group === 'attributes') known('User attribute', rules.userAttributeByKey, key);
  else if (group === 'metric') known('Metric', rules.metricByKey, key);
  else if (group === 'points') known('Points system', rules.systemByKey, key);
  else if (group === 'achievement') known('Achievement', rules.achievementByKey, key);
  else if (group === 'challenge') challengeOf(rules, column, key);
  else if (column !== 'id' && !FIXED_USER_COLUMNS.includes(column)) throw unknownColumn(column);
}

function checkEventColumn(rules: Rules, column: string): void {
  const [group, key] = splitColumn(column);
  const [ofUser, userKey] = splitColumn(key);
  if (group === 'attributes') known('Event attribute', rules.eventAttributeByKey, key);
  else if (group === 'user' && ofUser === 'attributes')
    known('User attribute', rules.userAttributeByKey, userKey);
}

const unknownColumn = (column: string): ServiceError =>
  new ServiceError('invalid', `column ${column} is unknown${didYouMean(column, FIXED_USER_COLUMNS)}`);

/** "metric.words.read" → ["metric", "words.read"] */
function splitColumn(column: string): [string, string] {
  const dot = column.indexOf('.');
  return dot === -1 ? [column, ''] : [column.slice(0, dot), column.slice(dot + 1)];
}

function textOf(column: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ServiceError('invalid', `${column} must be a text`);
}

function booleanOf(column: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new ServiceError('invalid', `${column} must be true or false`);
}

/** A text is a list whose entries are separated by commas. */
function listOf(column: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return textOf(column, value)
    .split(',')
    .map((entry) => entry.trim());
}

function channelsOf(column: string, value: unknown): unknown[] {
  return value === NO_CHANNELS ? [] : listOf(column, value);
}

/** Metrics with their thresholds. In a text: "lessons:1, words:20". */
function thresholdsOf(column: string, value: unknown): unknown[] {
  return listOf(column, value).map((entry) => {
    if (typeof entry !== 'string') return entry;
    const [key = '', threshold = ''] = entry.split(':');
    return { key, threshold: Number(threshold) };
  });
}

function numberOf(column: string, value: unknown, least: number, most: number): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && number >= least && number <= most) return number;
  throw new ServiceError('invalid', `${column} must be a number from ${least} to ${most}`);
}

function integerOf(column: string, value: unknown, most: number): number {
  const number = numberOf(column, value, 0, most);
  if (Number.isInteger(number)) return number;
  throw new ServiceError('invalid', `${column} must be a whole number`);
}

/** A date counts as its first instant in UTC. */
function instantOf(column: string, value: unknown): number {
  const text = textOf(column, value);
  const instant = isDate(text) ? Date.parse(`${text}T00:00:00Z`) : parseInstant(text);
  if (instant === null || instant <= 0)
    throw new ServiceError('invalid', `${column} must be a date or an ISO 8601 instant with an offset`);
  return instant;
}

function pastInstant(column: string, value: unknown, now: number): number {
  const instant = instantOf(column, value);
  if (instant > now) throw new ServiceError('invalid', `${column} must not be in the future`);
  return instant;
}

function known<T>(what: string, byKey: ReadonlyMap<string, T>, key: string): T {
  const found = byKey.get(key);
  if (found !== undefined) return found;
  throw unknownKey(what, key, byKey.keys());
}

function metricTotal(rules: Rules, column: string, key: string, given: unknown) {
  const { id, no, guards } = known('Metric', rules.metricByKey, key);
  const value = numberOf(column, given, -IMPORT_VALUE_MAX, IMPORT_VALUE_MAX);
  if (value < 0 && (guards?.minValue ?? value) >= 0)
    throw new ServiceError('invalid', `${column} must not be negative: the metric takes no negative values`);
  return { entity: no, no: rules.counterOf(id).no, value };
}

function pointsTotal(rules: Rules, column: string, key: string, given: unknown) {
  const { no, maxPoints } = known('Points system', rules.systemByKey, key);
  return { entity: no, no, value: integerOf(column, given, maxPoints ?? IMPORT_VALUE_MAX) };
}

function completion(rules: Rules, column: string, key: string, given: unknown, now: number) {
  const { no } = known('Achievement', rules.achievementByKey, key);
  return { achievement: no, completedAt: pastInstant(column, given, now) };
}

/** @param key of the challenge, and what it has: "good-week.completions" */
function challengeOf(rules: Rules, column: string, key: string): Challenge {
  const [challenge, what] = splitColumn(key);
  if (what !== 'completions') throw unknownColumn(column);
  return known('Challenge', rules.challengeByKey, challenge);
}

function completedRuns(rules: Rules, column: string, key: string, given: unknown) {
  const { no } = challengeOf(rules, column, key);
  return { challenge: no, completions: integerOf(column, given, IMPORT_COMPLETIONS_MAX) };
}

function readStreak(
  { config }: Rules,
  values: UserValues,
  given: Partial<Record<StreakColumn, unknown>>,
): void {
  const { freezes } = config.streak;
  if (given.freezes !== undefined)
    values.freezes = integerOf('streak.freezes', given.freezes, freezes?.maxCount ?? 0);
  const length = given.length === undefined ? 0 : integerOf('streak.length', given.length, IMPORT_STREAK_MAX);
  const longest =
    given.longest === undefined ? length : integerOf('streak.longest', given.longest, IMPORT_STREAK_MAX);
  if (longest < length)
    throw new ServiceError('invalid', 'streak.longest must not be less than streak.length');
  if (longest === 0) return;
  const date = given.lastDate === undefined ? '' : textOf('streak.lastDate', given.lastDate);
  if (!isDate(date)) throw new ServiceError('invalid', 'streak.lastDate must be a date such as 2026-12-24');
  values.streak = { length, lastDay: dayOfDate(date), longest };
}
