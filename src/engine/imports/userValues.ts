import { didYouMean } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import { IMPORT_STREAK_MAX, IMPORT_VALUE_MAX } from '../../base/importLimits.ts';
import { parseInstant } from '../../base/instant.ts';
import type { UpdatedUser } from '../../contract/user.ts';
import { dayOfDate, isDate, periodDays, periodOfDay, startOfLocalDay } from '../../rules/calendar.ts';
import { assertUserId, prepareProfile, type ScriptProfile } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';

/** What a row of users sets, as lua/importUsers.lua takes it. */
export interface UserValues {
  userId: string;
  profile: ScriptProfile | false;
  /** ms; null if the row does not say so. */
  created: number | null;
  metrics: { entity: number; no: number; value: number }[];
  points: { entity: number; no: number; value: number }[];
  achievements: { achievement: number; completedAt: number }[];
  streak: {
    length: number;
    firstDay: number;
    lastPeriod: number;
    extendedAt: number;
    longest: number;
  } | null;
  freezes: number | null;
}

/** What columns may hold: those of CSV are texts. An empty one sets nothing. */
type Columns = Record<string, unknown>;

const PROFILE = ['name', 'email', 'tz'] as const;
const STREAK = ['length', 'lastDate', 'freezes', 'longest'] as const;

/** @throws ServiceError `invalid` or `notFound`, which names the column */
export function readUserValues(rules: Rules, columns: Columns, now: number): UserValues {
  const values: UserValues = {
    userId: String(columns.id),
    profile: false,
    created: null,
    metrics: [],
    points: [],
    achievements: [],
    streak: null,
    freezes: null,
  };
  assertUserId(values.userId);
  const user: UpdatedUser = {};
  const attributes: Record<string, string> = {};
  const streak: Partial<Record<(typeof STREAK)[number], unknown>> = {};
  for (const [column, value] of Object.entries(columns)) {
    if (column === 'id' || value === '' || value === null) continue;
    const [group = '', key = ''] = splitColumn(column);
    if (PROFILE.includes(column as 'name')) user[column as 'name'] = textOf(column, value);
    else if (group === 'attributes' && key) attributes[key] = textOf(column, value);
    else if (column === 'created') values.created = pastInstant(column, value, now);
    else if (group === 'metric') values.metrics.push(metricTotal(rules, column, key, value));
    else if (group === 'points') values.points.push(pointsTotal(rules, column, key, value));
    else if (group === 'achievement') values.achievements.push(completion(rules, column, key, value, now));
    else if (group === 'streak' && STREAK.includes(key as 'length')) streak[key as 'length'] = value;
    else throw new ServiceError('invalid', `column ${column} is unknown`);
  }
  values.profile = prepareProfile(rules, { ...user, attributes });
  readStreak(rules, values, streak, user.tz ?? rules.config.settings.defaultTimeZone, now);
  return values;
}

/** "metric.words.read" → ["metric", "words.read"] */
function splitColumn(column: string): [string, string] {
  const dot = column.indexOf('.');
  return dot === -1 ? [column, ''] : [column.slice(0, dot), column.slice(dot + 1)];
}

function textOf(column: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ServiceError('invalid', `${column} must be a text`);
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
function pastInstant(column: string, value: unknown, now: number): number {
  const text = textOf(column, value);
  const instant = isDate(text) ? Date.parse(`${text}T00:00:00Z`) : parseInstant(text);
  if (instant === null || instant <= 0)
    throw new ServiceError('invalid', `${column} must be a date or an ISO 8601 instant with an offset`);
  if (instant > now) throw new ServiceError('invalid', `${column} must not be in the future`);
  return instant;
}

function known<T>(what: string, byKey: ReadonlyMap<string, T>, key: string): T {
  const found = byKey.get(key);
  if (found !== undefined) return found;
  throw new ServiceError('notFound', `${what} ${key} does not exist${didYouMean(key, byKey.keys())}`);
}

function metricTotal(rules: Rules, column: string, key: string, given: unknown) {
  const { id, no } = known('Metric', rules.metricByKey, key);
  const value = numberOf(column, given, -IMPORT_VALUE_MAX, IMPORT_VALUE_MAX);
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

function readStreak(
  { config }: Rules,
  values: UserValues,
  given: Partial<Record<(typeof STREAK)[number], unknown>>,
  zone: string,
  now: number,
): void {
  const { frequency, freezes } = config.streak;
  if (given.freezes !== undefined)
    values.freezes = integerOf('streak.freezes', given.freezes, freezes?.maxCount ?? 0);
  const length = given.length === undefined ? 0 : integerOf('streak.length', given.length, IMPORT_STREAK_MAX);
  const longest =
    given.longest === undefined ? 0 : integerOf('streak.longest', given.longest, IMPORT_STREAK_MAX);
  if (length === 0 && longest === 0) return;
  const date = given.lastDate === undefined ? '' : textOf('streak.lastDate', given.lastDate);
  if (!isDate(date)) throw new ServiceError('invalid', 'streak.lastDate must be a date such as 2026-12-24');
  const day = dayOfDate(date);
  const extendedAt = startOfLocalDay(zone, day);
  if (extendedAt > now) throw new ServiceError('invalid', 'streak.lastDate must not be in the future');
  const lastPeriod = periodOfDay(frequency, day);
  const firstDay = periodDays(frequency, lastPeriod - Math.max(length, 1) + 1).start;
  values.streak = { length, firstDay, lastPeriod, extendedAt, longest: Math.max(length, longest) };
}
