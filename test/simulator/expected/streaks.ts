import type { StreakNow } from '../../../src/redis/decoding/outcome.ts';
import type { Config, Frequency } from '../../../src/rules/config.ts';
import {
  addDays,
  addPeriods,
  dateOf,
  type LocalDate,
  periodOf,
  periodsBetween,
} from '../../support/modelCalendar.ts';
import type { ModelStreak, ModelUser } from '../../support/modelUser.ts';
import type { Books } from '../books.ts';
import { Excused, type Expected } from '../difference.ts';

const iso = (date: LocalDate): string => date.toISODate();

const NO_STREAK = { started: null, periodStart: null, periodEnd: null, expires: null };

type ShownStreak = Pick<ModelStreak, 'length' | 'firstDate' | 'lastPeriod'>;

/** The streak that an outcome reports, which counts days and periods. */
export function streakInOutcome(
  frequency: Frequency,
  { length, firstDay, lastPeriod }: StreakNow,
): ShownStreak {
  const first = { daily: '1970-01-01', weekly: '1969-12-29', monthly: '1970-01-01' }[frequency];
  return {
    length,
    firstDate: addPeriods('daily', dateOf('1970-01-01'), firstDay),
    lastPeriod: addPeriods(frequency, dateOf(first), lastPeriod),
  };
}

/** A user's streak of the frequency in force on a date (docs/application-api.md, "Streaks"). */
export function streakOf(
  config: Config,
  user: ModelUser,
  today: LocalDate,
  { length, firstDate, lastPeriod }: ShownStreak = user.streaks[config.streak.frequency],
): Record<string, Expected> {
  const { frequency, enabled } = config.streak;
  if (!enabled || length === 0) return { length: 0, frequency, ...NO_STREAK };
  const period = periodOf(frequency, today);
  let expires = lastDayOf(frequency, addPeriods(frequency, lastPeriod!, 1));
  while (isDayOff(config, user, expires)) expires = addPeriods('daily', expires, 1);
  // A user who has moved may have longer.
  if (expires < today) expires = today;
  return {
    length,
    frequency,
    started: iso(firstDate!),
    periodStart: iso(period),
    periodEnd: iso(lastDayOf(frequency, period)),
    expires: iso(expires),
  };
}

function lastDayOf(frequency: Frequency, period: LocalDate): LocalDate {
  return addDays(addPeriods(frequency, period, 1), -1);
}

/** Only daily streaks have days off: the user's own if the tenant allows them, else those of the tenant. */
function isDayOff({ streak }: Config, { preferences }: ModelUser, date: LocalDate): boolean {
  if (streak.frequency !== 'daily') return false;
  const own = streak.customizationEnabled ? preferences?.daysOff : undefined;
  return (own ?? streak.daysOff).includes(date.weekday % 7);
}

/** The answer of `GET /users/{id}/streak` with the last `count` periods. */
export function userStreak(
  config: Config,
  user: ModelUser,
  books: Books,
  today: LocalDate,
  count: number,
): Expected {
  const { freezes } = config.streak;
  const { extendedAt } = user.streaks[config.streak.frequency];
  return {
    ...streakOf(config, user, today),
    freezes: user.freezes,
    maxFreezes: freezes?.maxCount ?? 0,
    ...(freezes?.autoEarnInterval && {
      freezeAutoEarnInterval: freezes.autoEarnInterval,
      freezeAutoEarnAmount: freezes.autoEarnAmount!,
    }),
    extended: extendedAt === 0 ? null : new Date(extendedAt).toISOString(),
    streakHistory: historyOf(config, user, books, today, count),
    pauses: user.pauses.map(({ id, start, end }) => ({ id, start: iso(start), end: iso(end) })),
  };
}

const INFERRED = 'the history records the frequency in force; earlier periods are inferred from what it has';

const BEFORE_CHANGE = {
  length: new Excused('number', INFERRED),
  usedFreeze: new Excused('boolean', INFERRED),
  usedPause: new Excused('boolean', INFERRED),
};

/**
 * The length of an imported streak in a period before its last one; null if the period has none. Once the streak was
 * lost, or while streaks are switched off, nothing tells how it had begun.
 */
function importedLength(
  { enabled, frequency }: Config['streak'],
  user: ModelUser,
  period: LocalDate,
): Expected {
  const imported = user.imported.streaks[frequency];
  if (imported === undefined || period >= imported.lastPeriod) return null;
  const { length, firstDate } = user.streaks[frequency];
  const periods = user.periods.filter((one) => one.frequency === frequency);
  const isOfFormer = periods.some((one) => one.period < imported.lastPeriod || one.length < imported.length);
  if (!enabled || length === 0 || isOfFormer) return new Excused('number', INFERRED);
  const before = periodsBetween(frequency, period, imported.lastPeriod);
  return period < periodOf(frequency, firstDate!) ? null : imported.length - before;
}

function historyOf(
  { streak }: Config,
  user: ModelUser,
  books: Books,
  today: LocalDate,
  count: number,
): Expected {
  const { resets } = books.of(user.id);
  const isInferred = (period: LocalDate): boolean =>
    books.frequencySince !== null && period <= books.frequencySince;
  const { frequency } = streak;
  const periods = user.periods.filter((one) => one.frequency === frequency);
  return Array.from({ length: count }, (_, i) => {
    const period = addPeriods(frequency, periodOf(frequency, today), i - count + 1);
    const known = periods.findLast((one) => +one.period === +period);
    const reset = resets.findLast(
      (one) => one.frequency === frequency && +periodOf(frequency, one.date) === +period,
    );
    const dates = { periodStart: iso(period), periodEnd: iso(lastDayOf(frequency, period)) };
    if (isInferred(period))
      return { ...dates, ...BEFORE_CHANGE, ...(reset && { resetAt: new Date(reset.at).toISOString() }) };
    const imported = known ? null : importedLength(streak, user, period);
    return {
      ...dates,
      length: known?.length ?? imported ?? 0,
      usedFreeze: known?.by === 'freeze',
      usedPause: known?.by === 'pause',
      ...(reset && { resetAt: new Date(reset.at).toISOString() }),
    };
  });
}
