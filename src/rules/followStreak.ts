import { periodDays, startOfLocalDay } from './calendar.ts';
import type { Frequency } from './config.ts';
import type { MadeGoodBy } from './streakHistory.ts';

/* The course of a streak over some periods, as the scripts would have found it in the order of time. */

/** A period that extended or kept a streak; `length` is that after it. */
export interface RecordedPeriod {
  period: number;
  length: number;
  /** Local day of the extension, or on which a missed period was made good. */
  day: number;
  /** Milliseconds since 1970. */
  at: number;
  /** null for an extended period. */
  madeGoodBy: MadeGoodBy | null;
}

export interface RecordedLoss {
  /** The last period that was extended or made good. */
  period: number;
  length: number;
  lostAt: number;
}

/** When the conditions of a period were met. */
export interface Completion {
  day: number;
  at: number;
}

/** How freezes are earned: `amount` every so many days, up to `max`. null if none are. */
export type Earning = { every: number; amount: number; max: number } | null;

/** A streak before a period. The length is 0 without one. */
export interface StreakBefore {
  length: number;
  firstDay: number;
  lastPeriod: number;
  freezes: number;
  /** Local day up to which freezes have been earned; 0 before the first extension. */
  freezeDay: number;
}

/** What a streak goes through from the period `from` on. The period `current` is not over. */
export interface StreakCourse {
  frequency: Frequency;
  zone: string;
  from: number;
  current: number;
  today: number;
  completed: ReadonlyMap<number, Completion>;
  /** Instants at which an administrator ended the streak, by period. */
  resets: ReadonlyMap<number, number>;
  /** What keeps the streak in a missed period for free. */
  coveredBy(period: number): 'pause' | 'dayOff' | null;
  earning: Earning;
}

export interface StreakAfter extends StreakBefore {
  periods: RecordedPeriod[];
  losses: RecordedLoss[];
}

/** Follows a streak through its course. */
export function followStreak(course: StreakCourse, before: StreakBefore): StreakAfter {
  const after: StreakAfter = { ...copyOf(before), periods: [], losses: [] };
  for (let period = course.from; period <= course.current; period++) {
    const completion = course.completed.get(period);
    const resetAt = course.resets.get(period);
    const isResetFirst = resetAt !== undefined && completion !== undefined && resetAt < completion.at;
    if (isResetFirst) after.length = 0;
    if (completion !== undefined) extend(after, period, completion);
    else if (period < course.current && after.length > 0) settle(course, after, period);
    if (resetAt !== undefined && !isResetFirst) after.length = 0;
  }
  earn(course.earning, after, course.today);
  return after;
}

const copyOf = ({ length, firstDay, lastPeriod, freezes, freezeDay }: StreakBefore): StreakBefore => ({
  length,
  firstDay,
  lastPeriod,
  freezes,
  freezeDay,
});

function extend(after: StreakAfter, period: number, { day, at }: Completion): void {
  if (after.length === 0) after.firstDay = day;
  if (after.freezeDay === 0) after.freezeDay = day;
  after.length++;
  after.lastPeriod = period;
  after.periods.push({ period, length: after.length, day, at, madeGoodBy: null });
}

/** A missed period is over. Freezes that are earned at that instant can keep the streak. */
function settle(
  { frequency, zone, coveredBy, earning }: StreakCourse,
  after: StreakAfter,
  period: number,
): void {
  const day = periodDays(frequency, period).end + 1;
  const at = startOfLocalDay(zone, day);
  earn(earning, after, day);
  let madeGoodBy: MadeGoodBy | null = coveredBy(period);
  if (madeGoodBy === null && after.freezes > 0) {
    madeGoodBy = 'freeze';
    after.freezes--;
  }
  if (madeGoodBy === null) {
    after.losses.push({ period: after.lastPeriod, length: after.length, lostAt: at });
    after.length = 0;
  } else {
    after.lastPeriod = period;
    after.periods.push({ period, length: after.length, day, at, madeGoodBy });
  }
}

function earn(earning: Earning, after: StreakAfter, day: number): void {
  if (earning === null || after.freezeDay === 0) return;
  const times = Math.floor((day - after.freezeDay) / earning.every);
  if (times <= 0) return;
  after.freezeDay += times * earning.every;
  after.freezes += Math.min(Math.max(0, earning.max - after.freezes), times * earning.amount);
}
