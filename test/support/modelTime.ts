import { DateTime } from 'luxon';
import type { StreakAmendment } from '../../src/engine/users/userChangeRecords.ts';
import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import type { Config, Frequency, PointsTrigger } from '../../src/rules/config.ts';
import {
  addDays,
  addPeriods,
  dateOf,
  endOfPeriod,
  type LocalDate,
  localDate,
  ordinal,
  periodOf,
  remembered,
  startOfDate,
} from './modelCalendar.ts';
import { matches } from './modelCounting.ts';
import { FREQUENCIES, loseStreak, type ModelUser } from './modelUser.ts';

/** What time did to a user, said plainly: one thing at a time, each at the instant at which it is due. */
const HOUR_MS = 3_600_000;

export function zoneOf(user: ModelUser, config: Config): string {
  return user.tz ?? config.settings.defaultTimeZone;
}

/**
 * A user who moves keeps the gap since the last extension: in the new zone it may end later, never earlier.
 */
export function moveStreaks(user: ModelUser, zone: string): void {
  for (const frequency of FREQUENCIES) {
    const streak = user.streaks[frequency];
    if (streak.length === 0) continue;
    const end = endOfPeriod(zone, frequency, addPeriods(frequency, streak.lastPeriod!, 1));
    streak.deadline = Math.max(streak.deadline, end);
  }
}

function isPaused(user: ModelUser, frequency: Frequency, period: LocalDate): boolean {
  return user.pauses.some(({ start, end }) => {
    return start < addPeriods(frequency, period, 1) && end >= period;
  });
}

/**
 * Whether a date needs nothing: by the user's own days off, or else by the tenant's. Only daily streaks have
 * days off.
 */
function isDayOff(user: ModelUser, { streak }: Config, date: LocalDate): boolean {
  if (streak.frequency !== 'daily') return false;
  const own = streak.customizationEnabled ? user.preferences?.daysOff : undefined;
  return (own ?? streak.daysOff).includes(date.weekday % 7);
}

/**
 * A period missed is free when it was paused or, of the streak in force, a day off, costs a freeze when there
 * is one, and else the streak. Only the streak in force uses freezes, and not for what was missed before it
 * came into force. Answers whether anything else happened to that one.
 */
export function settleStreaks(user: ModelUser, config: Config, now: number): boolean {
  const zone = zoneOf(user, config);
  let shows = false;
  const wasInForce = user.frequency === config.streak.frequency;
  user.frequency = config.streak.frequency;
  for (const frequency of FREQUENCIES) {
    const streak = user.streaks[frequency];
    const isInForce = frequency === config.streak.frequency && wasInForce;
    while (streak.length > 0 && streak.deadline <= now) {
      const missed = addPeriods(frequency, streak.lastPeriod!, 1);
      const paused = isPaused(user, frequency, missed);
      const free = paused || (isInForce && isDayOff(user, config, missed));
      if (free || (isInForce && user.freezes > 0)) {
        if (!free) user.freezes--;
        const next = addPeriods(frequency, missed, 1);
        streak.deadline += endOfPeriod(zone, frequency, next) - endOfPeriod(zone, frequency, missed);
        streak.lastPeriod = missed;
        const by = paused ? 'pause' : free ? 'dayOff' : 'freeze';
        user.periods = [...user.periods, { frequency, period: missed, length: streak.length, by }];
      } else {
        loseStreak(streak);
      }
      shows ||= isInForce;
    }
  }
  return shows;
}

function freezesMax(config: Config): number {
  return (config.streak.enabled && config.streak.freezes?.maxCount) || 0;
}

export function initialFreezes(config: Config): number {
  return Math.min(config.streak.freezes?.startCount ?? 0, freezesMax(config));
}

/**
 * On every so many dates after the first extension of the streak, up to the maximum. Answers whether any was
 * earned.
 */
export function earnFreezes(user: ModelUser, config: Config, today: LocalDate, withhold: boolean): boolean {
  const { autoEarnInterval, autoEarnAmount } = config.streak.freezes ?? {};
  if (!autoEarnInterval || user.freezeDate === null) return false;
  const before = user.freezes;
  for (;;) {
    const next = addDays(user.freezeDate, autoEarnInterval);
    if (next > today) return user.freezes > before;
    user.freezeDate = next;
    if (!withhold)
      user.freezes = Math.max(user.freezes, Math.min(freezesMax(config), user.freezes + autoEarnAmount!));
  }
}

type Refusal = Pick<Extract<Outcome, { status: 'refused' }>, 'reason'> & { limit?: number };

/** What an administrator does to a streak. Answers why it cannot be done. */
export function amendStreak(
  user: ModelUser,
  config: Config,
  amendment: StreakAmendment,
  today: LocalDate,
): Refusal | null {
  switch (amendment.op) {
    case 'freeze':
      if (user.freezes >= freezesMax(config)) {
        return { reason: 'allFreezes', limit: freezesMax(config) };
      }
      user.freezes++;
      return null;
    case 'pause': {
      const [start, end] = [amendment.start, amendment.end].map((day) =>
        dateOf('1970-01-01').plus({ days: day }),
      );
      if (start! < today) return { reason: 'pauseInPast' };
      if (user.pauses.some((other) => other.start <= end! && other.end >= start!)) {
        return { reason: 'pausesOverlap' };
      }
      const kept = user.pauses.filter((other) => other.end >= today.minus({ days: 70 }));
      user.pauses = [...kept, { id: amendment.id, start: start!, end: end! }];
      return null;
    }
    case 'resume':
      user.pauses = user.pauses.filter(({ id }) => id !== amendment.id);
      return null;
    case 'reset':
      if (!config.streak.enabled || user.streaks[config.streak.frequency].length === 0)
        return { reason: 'noStreak' };
      for (const frequency of FREQUENCIES) loseStreak(user.streaks[frequency]);
      return null;
    case 'restore': {
      const { frequency } = config.streak;
      const streak = user.streaks[frequency];
      if (user.preferences?.enabled === false) return { reason: 'streakOff' };
      if (streak.lostLength === 0) return { reason: 'noLostStreak' };
      const wasLost = streak.length === 0;
      streak.length += streak.lostLength;
      streak.firstDate = streak.lostFirstDate;
      Object.assign(streak, { lostLength: 0, lostFirstDate: null });
      const before = addPeriods(frequency, periodOf(frequency, today), -1);
      if (!wasLost && streak.lastPeriod! >= before) return null;
      if (streak.lastPeriod! < before) streak.lastPeriod = before;
      streak.deadline = endOfPeriod(
        zoneOf(user, config),
        frequency,
        addPeriods(frequency, streak.lastPeriod!, 1),
      );
      return null;
    }
  }
}

export function timeTriggers(config: Config): PointsTrigger[] {
  return config.pointsTriggers.filter((trigger) => trigger.type === 'time' && trigger.status === 'active');
}

/** Days and hours are counted from 1970: those of the user's own dates, and those of UTC. */
const isDayOf = (trigger: PointsTrigger, date: LocalDate): boolean =>
  ordinal('daily', date) % trigger.timeInterval! === 0;

/** Whether a time trigger fires at an instant at which the user is due. */
export function isTick(trigger: PointsTrigger, user: ModelUser, at: number, today: LocalDate): boolean {
  if (at <= Date.parse(trigger.updated)) return false;
  if (trigger.timeUnit === 'hour') return at % (trigger.timeInterval! * HOUR_MS) === 0;
  for (let date = addDays(user.settledDate, 1); date <= today; date = addDays(date, 1)) {
    if (isDayOf(trigger, date)) return true;
  }
  return false;
}

/** When time brings something next, after `now`. */
export function nextDue(user: ModelUser, config: Config, now: number): number {
  const zone = zoneOf(user, config);
  const today = localDate(zone, now);
  const instants: number[] = [];
  const streak = user.streaks[config.streak.frequency];
  if (streak.length > 0) instants.push(streak.deadline);
  const { autoEarnInterval } = config.streak.freezes ?? {};
  if (autoEarnInterval && user.freezeDate !== null && user.freezes < freezesMax(config)) {
    instants.push(startOfDate(zone, addDays(user.freezeDate, autoEarnInterval)));
  }
  for (const trigger of timeTriggers(config)) {
    const total = user.points.get(trigger.systemId) ?? 0;
    const { maxPoints } = config.pointsSystems.find(({ id }) => id === trigger.systemId)!;
    const mayAward = trigger.points < 0 ? total > 0 : maxPoints === null || total < maxPoints;
    if (!mayAward || !matches(trigger.userAttributes, user.attributes)) continue;
    if (trigger.timeUnit === 'hour') {
      const every = trigger.timeInterval! * HOUR_MS;
      const from = Math.max(now, Math.floor(Date.parse(trigger.updated) / 1000) * 1000);
      instants.push((Math.floor(from / every) + 1) * every);
    } else {
      let date = addDays(DateTime.max(today, user.settledDate), 1);
      while (!isDayOf(trigger, date)) date = addDays(date, 1);
      instants.push(startOfDate(zone, date));
    }
  }
  if (user.signUpDate !== null) {
    for (const { id, trigger, status, anniversaryYears, userAttributes } of config.achievements) {
      const isOpen = !user.achievements.has(id) && !user.revoked.has(id);
      const waits = trigger === 'anniversary' && status === 'active' && isOpen;
      if (!waits || !matches(userAttributes, user.attributes)) continue;
      instants.push(startOfDate(zone, anniversaryDate(user.signUpDate, anniversaryYears!)));
    }
  }
  return Math.max(Math.min(...instants), Math.floor(now / 1000) * 1000 + 1000);
}

/** 29 February comes on 1 March in years that are not leap years. */
export const anniversaryDate = remembered((signUpDate: string, years: number): LocalDate => {
  const date = dateOf(signUpDate);
  const month = DateTime.utc(date.year + years, date.month);
  return month.plus({ days: date.day - 1 }) as LocalDate;
});
