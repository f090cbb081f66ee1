import type { UpdatedUser } from '../../src/contract/user.ts';
import type { Config } from '../../src/rules/config.ts';
import {
  addPeriods,
  clockAt,
  endOfPeriod,
  type LocalDate,
  localDate,
  periodOf,
  startOfDate,
} from './modelCalendar.ts';
import { zoneOf } from './modelTime.ts';
import {
  decimalSum,
  type ImportedStreak,
  type ModelEvent,
  type ModelPreferences,
  type ModelUser,
  type StreakPeriodOfUser,
} from './modelUser.ts';

/** Imports of users, by docs/moving-in.md. */

/** A row of the file. What is null is not in the row. */
export interface ImportedUser {
  profile: UpdatedUser;
  /** ms */
  created: number | null;
  /** When achievements were completed, ms, by id. */
  achievements: ReadonlyMap<string, number>;
  /** Totals of metrics and points systems, and completed runs of challenges, by id. */
  metrics: ReadonlyMap<string, number>;
  points: ReadonlyMap<string, number>;
  challenges: ReadonlyMap<string, number>;
  streak: { length: number; longest: number; lastDate: LocalDate } | null;
  freezes: number | null;
  preferences: ModelPreferences;
}

/** By how much totals have changed, by id. */
export interface ImportedChanges {
  metrics: ReadonlyMap<string, number>;
  points: ReadonlyMap<string, number>;
}

const isOwn = ({ isTotal }: ModelEvent): boolean => !isTotal;

export const hasOwnEvents = ({ events }: ModelUser): boolean => events.some(isOwn);

/** Whether the user has events of which no total may tell: their values add up to 0. */
export function hasHiddenEvents({ events }: ModelUser): boolean {
  const own = events.filter(isOwn);
  const sumOf = (metric: string): number =>
    own.filter(({ metricId }) => metricId === metric).reduce((sum, { value }) => decimalSum(sum, value), 0);
  return own.length > 0 && own.every(({ metricId }) => sumOf(metricId) === 0);
}

/** Sets the values of a row. Answers what has changed; null if nothing has. */
export function setImported(
  user: ModelUser,
  row: ImportedUser,
  config: Config,
  now: number,
): ImportedChanges | null {
  const metrics = setMetrics(user, row.metrics, config, now);
  const points = new Map<string, number>();
  for (const [id, total] of row.points) {
    const change = total - (user.points.get(id) ?? 0);
    if (change === 0) continue;
    user.points.set(id, total);
    points.set(id, change);
  }
  const completed = [...row.achievements].filter(
    ([id]) => !user.achievements.has(id) && !user.revoked.has(id),
  );
  for (const [id, at] of completed) user.achievements.set(id, at);
  const others = [
    setChallenges(user, row.challenges),
    setStreak(user, row.streak, config, now),
    setFreezes(user, row.freezes),
  ];
  const isChanged = metrics.size + points.size + completed.length > 0 || others.includes(true);
  return isChanged ? { metrics, points } : null;
}

/** Users have no events yet, so a total is all that a metric has. */
function setMetrics(
  user: ModelUser,
  totals: ReadonlyMap<string, number>,
  config: Config,
  now: number,
): Map<string, number> {
  const zone = zoneOf(user, config);
  const today = localDate(zone, now);
  const changes = new Map<string, number>();
  for (const [metricId, value] of totals) {
    const before = user.events.find((event) => event.metricId === metricId)?.value ?? 0;
    if (value === before) continue;
    const total: ModelEvent = {
      ...{ metricId, value, attributes: {}, typed: {}, user: {}, isApproved: true, isTotal: true },
      ...{ at: now, happenedAt: now, date: today, localDate: today, clock: clockAt(zone, now) },
    };
    user.events = [...user.events.filter((event) => event.metricId !== metricId), total];
    changes.set(metricId, decimalSum(value, -before));
  }
  return changes;
}

/** Runs that were completed elsewhere count beside those that the user completes here. */
function setChallenges(user: ModelUser, completions: ReadonlyMap<string, number>): boolean {
  const [known, counts] = [new Map(user.imported.challenges), new Map(user.challengeCompletions)];
  let isChanged = false;
  for (const [id, count] of completions) {
    const change = count - (known.get(id) ?? 0);
    if (change === 0) continue;
    known.set(id, count);
    counts.set(id, (counts.get(id) ?? 0) + change);
    isChanged = true;
  }
  user.imported = { ...user.imported, challenges: known };
  user.challengeCompletions = counts;
  return isChanged;
}

function setFreezes(user: ModelUser, freezes: number | null): boolean {
  if (freezes === null || user.imported.freezes === freezes) return false;
  user.imported = { ...user.imported, freezes };
  user.freezes = freezes;
  return true;
}

/** The streak of the frequency in force, in place of an imported one. The others begin with the next event. */
function setStreak(user: ModelUser, row: ImportedUser['streak'], config: Config, now: number): boolean {
  if (row === null || user.preferences?.enabled === false) return false;
  const { frequency } = config.streak;
  const { length, longest, lastDate } = row;
  const [zone, lastPeriod] = [zoneOf(user, config), periodOf(frequency, lastDate)];
  const known = user.imported.streaks[frequency];
  const isSame = known?.length === length && known.longest === longest && +known.lastDate === +lastDate;
  if (isSame) return false;
  if (known !== undefined) takeBack(user, known, config);
  const firstDate = addPeriods(frequency, lastPeriod, 1 - Math.max(length, 1));
  const streak = { length, longest, lastDate, firstDate, lastPeriod };
  user.imported = { ...user.imported, streaks: { ...user.imported.streaks, [frequency]: streak } };
  Object.assign(user.streaks[frequency], {
    length,
    lastPeriod,
    firstDate,
    extendedAt: startOfDate(zone, lastDate),
    deadline: endOfPeriod(zone, frequency, addPeriods(frequency, lastPeriod, 1)),
  });
  const isKnown = user.periods.some((one) => one.frequency === frequency && +one.period === +lastPeriod);
  if (!isKnown) user.periods = [...user.periods, { frequency, period: lastPeriod, length, by: 'event' }];
  user.freezeDate ??= localDate(zone, now);
  return true;
}

/** Users have no events yet, so all periods since the last one of an imported streak are those of the import. */
function takeBack(user: ModelUser, known: ImportedStreak, { streak: { frequency, freezes } }: Config): void {
  const isReplaced = (one: StreakPeriodOfUser): boolean =>
    one.frequency === frequency && one.period >= known.lastPeriod;
  const used = user.periods.filter((one) => isReplaced(one) && one.by === 'freeze').length;
  user.periods = user.periods.filter((one) => !isReplaced(one));
  user.freezes = Math.max(user.freezes, Math.min(user.freezes + used, freezes?.maxCount ?? 0));
  const streak = user.streaks[frequency];
  if (streak.lostFirstDate !== null && +streak.lostFirstDate === +known.firstDate)
    Object.assign(streak, { lostLength: 0, lostFirstDate: null });
}
