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

/** What the history has of an imported streak, which another one replaces. */
export interface ReplacedHistory {
  /** The period of the import, and those in which the streak was kept since. */
  periods: RecordedPeriod[];
  losses: RecordedLoss[];
  /** The greatest length of the other periods. */
  longest: number;
}

/** The last streak that a user lost, as PresentStreak has it. */
export interface LostBefore {
  lostLength: number;
  lostFirstDay: number;
}

/** Freezes that a user earned by the passing of time. */
export interface EarnedFreezes {
  /** Milliseconds since 1970. */
  at: number;
  freezes: number;
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
  resets: ReadonlyMap<number, readonly number[]>;
  /** What keeps the streak in a missed period for free. */
  coveredBy(period: number): 'pause' | 'dayOff' | null;
  earning: Earning;
}

export interface StreakAfter extends StreakBefore {
  periods: RecordedPeriod[];
  losses: RecordedLoss[];
  /** The last streak that was lost or reset. */
  lost: LostBefore | null;
  earned: EarnedFreezes[];
}

export function followStreak(course: StreakCourse, before: StreakBefore): StreakAfter {
  const after: StreakAfter = { ...copyOf(before), periods: [], losses: [], lost: null, earned: [] };
  for (let period = course.from; period <= course.current; period++) {
    const completion = course.completed.get(period);
    const extendedAt = completion?.at ?? Infinity;
    const resets = course.resets.get(period) ?? [];
    if (resets.some((at) => at < extendedAt)) lose(after);
    if (completion !== undefined) extend(after, period, completion);
    else if (period < course.current && after.length > 0) settle(course, after, period);
    if (resets.some((at) => at >= extendedAt)) lose(after);
  }
  earn(course, after, course.today);
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

function lose(after: StreakAfter): void {
  if (after.length > 0) after.lost = { lostLength: after.length, lostFirstDay: after.firstDay };
  after.length = 0;
}

/** A missed period is over. Freezes that are earned at that instant can keep the streak. */
function settle(course: StreakCourse, after: StreakAfter, period: number): void {
  const day = periodDays(course.frequency, period).end + 1;
  const at = startOfLocalDay(course.zone, day);
  earn(course, after, day);
  let madeGoodBy: MadeGoodBy | null = course.coveredBy(period);
  if (madeGoodBy === null && after.freezes > 0) {
    madeGoodBy = 'freeze';
    after.freezes--;
  }
  if (madeGoodBy === null) {
    after.losses.push({ period: after.lastPeriod, length: after.length, lostAt: at });
    lose(after);
  } else {
    after.lastPeriod = period;
    after.periods.push({ period, length: after.length, day, at, madeGoodBy });
  }
}

/** Earns what is due up to a day. Freezes beyond the maximum are not kept for later. */
function earn({ earning, zone }: StreakCourse, after: StreakAfter, day: number): void {
  if (earning === null || after.freezeDay === 0) return;
  const { every, amount, max } = earning;
  let times = Math.floor((day - after.freezeDay) / every);
  for (; times > 0 && after.freezes < max && amount > 0; times--) {
    const freezes = Math.min(max - after.freezes, amount);
    after.freezeDay += every;
    after.freezes += freezes;
    after.earned.push({ at: startOfLocalDay(zone, after.freezeDay), freezes });
  }
  after.freezeDay += Math.max(0, times) * every;
}
