import { without } from '../base/without.ts';
import { FREQUENCIES, type LocalTime, periodDays, periodOf, periodOfDay } from './calendar.ts';
import { completedPeriods, type DaySum, type StreakConditions } from './completedPeriods.ts';
import type { Frequency } from './config.ts';
import {
  type Completion,
  type EarnedFreezes,
  type Earning,
  followStreak,
  type LostBefore,
  type RecordedLoss,
  type RecordedPeriod,
  type StreakAfter,
  type StreakBefore,
  type StreakCourse,
} from './followStreak.ts';
import { isPausedIn } from './streakHistory.ts';

/*
 * What an event of the past does to streaks: its period may become complete after it is over. Then the streak
 * is followed again from that period on, as if the event had come in time.
 */

export interface PresentStreak extends LostBefore {
  length: number;
  firstDay: number;
  lastPeriod: number;
  extendedAt: number;
}

export interface PresentStreaks {
  streaks: Record<Frequency, PresentStreak>;
  freezes: number;
  freezeDay: number;
  /** Local days, both inclusive. */
  pauses: readonly { start: number; end: number }[];
}

const NONE_LOST: LostBefore = { lostLength: 0, lostFirstDay: 0 };

/** What the history knows of the streak in force from the period of the event on. */
export interface StreakRecords {
  periods: readonly RecordedPeriod[];
  losses: readonly RecordedLoss[];
  resets: readonly { period: number; resetAt: number }[];
  /** The streak that the user had when the period began; its first day if the history has it. */
  before: { length: number; firstDay: number | null } | null;
  /** Whether the streak was extended in any earlier period. */
  isFirst: boolean;
  /** Freezes earned since the period began. */
  earned: readonly EarnedFreezes[];
}

export interface LateStreakEvent {
  metric: number;
  value: number;
  at: number;
  past: LocalTime;
  now: LocalTime;
}

/** The streak settings that missed periods need. */
export interface StreakRules {
  frequency: Frequency;
  isDayOff(day: number): boolean;
  earning: Earning;
}

export interface Repair {
  /** The changed streaks; null for one that stays. */
  streaks: Record<Frequency, PresentStreak | null>;
  freezes: number;
  freezeDay: number;
  /** Lengths of the periods of the streak in force after the event, and before it, without common ones. */
  gained: number[];
  dropped: number[];
  /** The greatest length after the event. */
  longest: number;
  removedPeriods: RecordedPeriod[];
  addedPeriods: RecordedPeriod[];
  removedLosses: RecordedLoss[];
  addedLosses: RecordedLoss[];
  removedEarned: EarnedFreezes[];
  addedEarned: EarnedFreezes[];
}

/**
 * Returns what the event changes, or null. A period that was extended stays extended. If the history does not
 * explain the present streak, an administrator, a journey or a change of the configuration has changed it
 * since: then the event only extends the period that it completes.
 */
export function repairStreaks(
  present: PresentStreaks,
  records: StreakRecords,
  sums: readonly DaySum[],
  conditions: StreakConditions,
  rules: StreakRules,
  event: LateStreakEvent,
): Repair | null {
  const repair: Repair = {
    streaks: { daily: null, weekly: null, monthly: null },
    freezes: present.freezes,
    freezeDay: present.freezeDay,
    gained: [],
    dropped: [],
    longest: 0,
    removedPeriods: [],
    addedPeriods: [],
    removedLosses: [],
    addedLosses: [],
    removedEarned: [],
    addedEarned: [],
  };
  for (const frequency of FREQUENCIES) {
    if (periodOf(event.past, frequency) === periodOf(event.now, frequency)) continue;
    if (frequency === rules.frequency)
      repairInForce(repair, present, records, sums, conditions, rules, event);
    else repair.streaks[frequency] = repairOther(frequency, present, sums, conditions, event);
  }
  return Object.values(repair.streaks).some((streak) => streak !== null) ? repair : null;
}

function withEvent(sums: readonly DaySum[], { metric, value, past }: LateStreakEvent): DaySum[] {
  return [...sums, { metric, day: past.day, sum: value }];
}

function repairInForce(
  repair: Repair,
  present: PresentStreaks,
  records: StreakRecords,
  sums: readonly DaySum[],
  conditions: StreakConditions,
  rules: StreakRules,
  event: LateStreakEvent,
): void {
  const { frequency } = rules;
  const { zone, day } = event.past;
  const from = periodOf(event.past, frequency);
  const extended = new Map<number, Completion>(
    records.periods.filter(({ madeGoodBy }) => madeGoodBy === null).map((row) => [row.period, row]),
  );
  const isComplete = completedPeriods(frequency, withEvent(sums, event), conditions, zone).has(from);
  if (extended.has(from) || !isComplete) return;
  const course = courseOf(present, records, rules, event, extended);
  const before = beforeOf(present, records, rules, from);
  const streak = present.streaks[frequency];
  const known = followStreak(course, before);
  const completion = { day, at: event.at };
  const isExplained =
    known.length === streak.length &&
    known.freezes === present.freezes &&
    (known.length === 0 || known.lastPeriod === streak.lastPeriod);
  const after = isExplained
    ? followStreak({ ...course, completed: new Map([...extended, [from, completion]]) }, before)
    : null;
  if (after === null) extendAlone(repair, present, records, frequency, from, completion);
  else apply(repair, records, frequency, streak, after, known.lost !== null, event.at);
}

function courseOf(
  { pauses }: PresentStreaks,
  { periods, resets }: StreakRecords,
  { frequency, isDayOff, earning }: StreakRules,
  { past, now }: LateStreakEvent,
  completed: ReadonlyMap<number, Completion>,
): StreakCourse {
  const paused = new Set(periods.filter((row) => row.madeGoodBy === 'pause').map((row) => row.period));
  return {
    frequency,
    zone: now.zone,
    from: periodOf(past, frequency),
    current: periodOf(now, frequency),
    today: now.day,
    completed,
    resets: resetsByPeriod(resets),
    coveredBy(period) {
      if (paused.has(period) || isPausedIn(pauses, frequency, period)) return 'pause';
      return frequency === 'daily' && isDayOff(period) ? 'dayOff' : null;
    },
    earning,
  };
}

function resetsByPeriod(resets: StreakRecords['resets']): Map<number, number[]> {
  const byPeriod = new Map<number, number[]>();
  for (const { period, resetAt } of resets) byPeriod.set(period, [...(byPeriod.get(period) ?? []), resetAt]);
  return byPeriod;
}

/** The streak and the freezes just before the period. */
function beforeOf(
  { streaks, freezes, freezeDay }: PresentStreaks,
  { periods, before, isFirst, earned }: StreakRecords,
  { frequency, earning }: StreakRules,
  from: number,
): StreakBefore {
  const streak = streaks[frequency];
  const used = periods.filter(({ madeGoodBy }) => madeGoodBy === 'freeze').length;
  const earnedFreezes = earned.reduce((sum, row) => sum + row.freezes, 0);
  const { start } = periodDays(frequency, from);
  const ahead = earning === null ? 0 : Math.max(0, Math.ceil((freezeDay - start) / earning.every));
  // A streak of length 0 has no first day.
  const isSame =
    streak.length > 0 &&
    periodOfDay(frequency, streak.firstDay) < from &&
    !periods.some(({ length, madeGoodBy }) => length === 1 && madeGoodBy === null);
  const length = before?.length ?? 0;
  const firstKnown = before?.firstDay ?? periodDays(frequency, from - length).start;
  return {
    length,
    firstDay: isSame ? streak.firstDay : firstKnown,
    lastPeriod: before === null ? streak.lastPeriod : from - 1,
    freezes: freezes + used - earnedFreezes,
    freezeDay: isFirst ? 0 : freezeDay - ahead * (earning?.every ?? 0),
  };
}

/** The history does not explain the streak: only the completed period is added to a streak that holds it. */
function extendAlone(
  repair: Repair,
  { streaks, freezes }: PresentStreaks,
  { periods, losses }: StreakRecords,
  frequency: Frequency,
  period: number,
  { day, at }: Completion,
): void {
  const streak = streaks[frequency];
  const isInside =
    streak.length > 0 && periodOfDay(frequency, streak.firstDay) <= period && losses.length === 0;
  if (!isInside) return;
  const covered = periods.find((row) => row.period === period);
  const isLast = period > streak.lastPeriod;
  const later = periods.filter((row) => row.period > period);
  const length = later.length > 0 ? later[0]!.length : streak.length;
  repair.streaks[frequency] = {
    ...streak,
    length: streak.length + 1,
    ...(isLast && { lastPeriod: period, extendedAt: at }),
  };
  if (covered?.madeGoodBy === 'freeze') repair.freezes = freezes + 1;
  if (covered !== undefined) repair.removedPeriods = [covered];
  repair.addedPeriods = [{ period, length, day, at, madeGoodBy: null }];
  repair.gained = [streak.length + 1];
  repair.longest = streak.length + 1;
}

function apply(
  repair: Repair,
  { periods, losses, earned }: StreakRecords,
  frequency: Frequency,
  streak: PresentStreak,
  after: StreakAfter,
  wasLost: boolean,
  at: number,
): void {
  const { length, firstDay, lastPeriod, freezes, freezeDay } = after;
  const { lostLength, lostFirstDay } = after.lost ?? (wasLost ? NONE_LOST : streak);
  const latest = after.periods.findLast(({ madeGoodBy }) => madeGoodBy === null)?.at ?? at;
  repair.streaks[frequency] = {
    length,
    firstDay: length > 0 ? firstDay : streak.firstDay,
    lastPeriod: Math.max(lastPeriod, length > 0 ? 0 : streak.lastPeriod),
    extendedAt: Math.max(latest, streak.extendedAt),
    lostLength,
    lostFirstDay,
  };
  repair.freezes = freezes;
  repair.freezeDay = freezeDay;
  const extended = (rows: readonly RecordedPeriod[]): number[] =>
    rows.filter(({ madeGoodBy }) => madeGoodBy === null).map((row) => row.length);
  repair.gained = without(extended(after.periods), extended(periods), String);
  repair.dropped = without(extended(periods), extended(after.periods), String);
  repair.longest = Math.max(...extended(after.periods));
  repair.removedPeriods = without(periods, after.periods, periodKey);
  repair.addedPeriods = without(after.periods, periods, periodKey);
  repair.removedLosses = without(losses, after.losses, lossKey);
  repair.addedLosses = without(after.losses, losses, lossKey);
  repair.removedEarned = without(earned, after.earned, earnedKey);
  repair.addedEarned = without(after.earned, earned, earnedKey);
}

const periodKey = ({ period, length, madeGoodBy }: RecordedPeriod): string =>
  `${period} ${length} ${madeGoodBy}`;
const lossKey = ({ period, length }: RecordedLoss): string => `${period} ${length}`;
const earnedKey = ({ at, freezes }: EarnedFreezes): string => `${at} ${freezes}`;

/** Of a frequency that is not in force. Its periods are not recorded; sums of all days tell them. */
function repairOther(
  frequency: Frequency,
  present: PresentStreaks,
  sums: readonly DaySum[],
  conditions: StreakConditions,
  event: LateStreakEvent,
): PresentStreak | null {
  const { zone } = event.now;
  const streak = present.streaks[frequency];
  const completed = completedPeriods(frequency, withEvent(sums, event), conditions, zone);
  const known = completedPeriods(frequency, sums, conditions, zone);
  const from = periodOf(event.past, frequency);
  if (known.has(from) || !completed.has(from)) return null;
  const records = { periods: [], losses: [], resets: [], before: null, isFirst: false, earned: [] };
  const rules = { frequency, isDayOff: () => false, earning: null };
  const first = Math.min(...completed.keys());
  const course = { ...courseOf(present, records, rules, event, known), from: first };
  const before = { length: 0, firstDay: 0, lastPeriod: 0, freezes: 0, freezeDay: 0 };
  const was = followStreak(course, before);
  if (was.length !== streak.length || (was.length > 0 && was.lastPeriod !== streak.lastPeriod)) return null;
  const after = followStreak({ ...course, completed }, before);
  return {
    length: after.length,
    firstDay: after.length > 0 ? after.firstDay : streak.firstDay,
    lastPeriod: Math.max(after.lastPeriod, streak.lastPeriod),
    extendedAt: after.lastPeriod > streak.lastPeriod ? event.at : streak.extendedAt,
    ...(after.lost ?? NONE_LOST),
  };
}
