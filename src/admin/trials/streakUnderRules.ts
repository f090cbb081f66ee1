import { groupBy } from '../../base/groupBy.ts';
import type { TrialWindow } from '../../db/trials/trialSlices.ts';
import type { ReachedDay } from '../../db/trials/triedStreaks.ts';
import { conditionsOf, streakRules } from '../../engine/events/lateHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { computeLocalTime, periodOf, periodOfDay } from '../../rules/calendar.ts';
import type { StreakConditions } from '../../rules/completedPeriods.ts';
import type { Frequency } from '../../rules/config.ts';
import {
  type Completion,
  followStreak,
  type RecordedPeriod,
  type StreakAfter,
  type StreakBefore,
  type StreakCourse,
} from '../../rules/followStreak.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { isPausedIn } from '../../rules/streakHistory.ts';

/** What the history knows of the streak of a user. */
export interface KnownStreak {
  state: UserState;
  /** Of the frequency in force, from the period before the window on. */
  periods: readonly RecordedPeriod[];
  /** Instants, ms. */
  resets: readonly number[];
  /** Earned within the window. */
  earned: number;
  /** Whether the streak grew before these periods. */
  isOld: boolean;
  /** In the order of time. */
  days: readonly ReachedDay[];
}

const NONE: StreakBefore = { length: 0, firstDay: 0, lastPeriod: 0, freezes: 0, freezeDay: 0 };

/** A user's streak within a window, if other rules had come into force when it began. */
export function streakUnderRules(
  present: Rules,
  rules: Rules,
  known: KnownStreak,
  window: TrialWindow,
): StreakAfter {
  const { state, periods } = known;
  const { frequency, earning, isDayOff } = streakRules(rules, state);
  const zone = state.tz || rules.config.settings.defaultTimeZone;
  const [began, now] = [computeLocalTime(zone, window.from), computeLocalTime(zone, window.until)];
  const first = periodOf(began, frequency);
  const isSame = frequency === present.config.streak.frequency;
  const paused = new Set(periods.filter(({ madeGoodBy }) => madeGoodBy === 'pause').map((row) => row.period));
  const early = isSame
    ? recordedCompletions(periods, window.from)
    : completions(known.days, conditionsOf(present, state), frequency, ({ isEarly }) => isEarly);
  const course: StreakCourse = {
    frequency,
    zone,
    from: first,
    current: periodOf(now, frequency),
    today: now.day,
    completed: new Map([
      ...completions(known.days, conditionsOf(rules, state), frequency, ({ isEarly }) => !isEarly),
      ...early,
    ]),
    resets: resetsByPeriod(known.resets, zone, frequency),
    coveredBy(period) {
      if ((isSame && paused.has(period)) || isPausedIn(state.pauses, frequency, period)) return 'pause';
      return frequency === 'daily' && isDayOff(period) ? 'dayOff' : null;
    },
    earning,
  };
  // A streak ends when its user turns it off.
  const isOff = state.preferences?.streakEnabled === false;
  if (isOff) return followStreak({ ...course, completed: new Map() }, NONE);
  const before = isSame ? recordedStreak(periods, course, first) : followedStreak(course, early, began.day);
  return followStreak(course, {
    ...NONE,
    length: before.length,
    firstDay: before.firstDay,
    lastPeriod: before.lastPeriod,
    ...freezesBefore(present, rules, known, window, began.day),
  });
}

/** Periods in which the streak had grown when the window began. */
const recordedCompletions = (periods: readonly RecordedPeriod[], from: number): Map<number, Completion> =>
  new Map(
    periods
      .filter(({ madeGoodBy, at }) => madeGoodBy === null && at < from)
      .map((row) => [row.period, { day: row.day, at: row.at }]),
  );

/** The periods in which days of a part of the history meet the conditions, and when. */
function completions(
  days: readonly ReachedDay[],
  { any, thresholds }: StreakConditions,
  frequency: Frequency,
  isMeant: (day: ReachedDay) => boolean,
): Map<number, Completion> {
  const completed = new Map<number, Completion>();
  let period = Number.NaN;
  let reached = new Map<number, number>();
  for (const one of days) {
    if (!thresholds.has(one.metric)) continue;
    if (periodOfDay(frequency, one.day) !== period) {
      period = periodOfDay(frequency, one.day);
      reached = new Map();
    }
    reached.set(one.metric, Math.max(reached.get(one.metric) ?? 0, one.reached));
    const met = [...thresholds].filter(([no, threshold]) => (reached.get(no) ?? 0) >= threshold).length;
    const isMet = any ? met > 0 : met === thresholds.size;
    if (isMet && isMeant(one) && !completed.has(period)) completed.set(period, { day: one.day, at: one.at });
  }
  return completed;
}

const resetsByPeriod = (
  resets: readonly number[],
  zone: string,
  frequency: Frequency,
): Map<number, number[]> => groupBy(resets, (at) => periodOf(computeLocalTime(zone, at), frequency));

/** The streak before the period `first`, as it was recorded. */
function recordedStreak(
  periods: readonly RecordedPeriod[],
  { resets }: StreakCourse,
  first: number,
): StreakBefore {
  const last = periods.find(({ period }) => period === first - 1);
  if (last === undefined) return NONE;
  const isReset = [...resets].some(([period, ats]) => period < first && ats.some((at) => at >= last.at));
  return isReset ? NONE : { ...NONE, length: last.length, firstDay: last.day, lastPeriod: last.period };
}

/** The streak of a frequency that was not in force, before the period `from` of a course. */
function followedStreak(
  course: StreakCourse,
  completed: ReadonlyMap<number, Completion>,
  today: number,
): StreakBefore {
  const earlier = new Map([...completed].filter(([period]) => period < course.from));
  if (earlier.size === 0) return NONE;
  return followStreak(
    {
      ...course,
      from: Math.min(...earlier.keys()),
      current: course.from,
      today,
      completed: earlier,
      resets: new Map([...course.resets].filter(([period]) => period < course.from)),
      coveredBy: (period) => (course.coveredBy(period) === 'pause' ? 'pause' : null),
      earning: null,
    },
    NONE,
  );
}

/** The freezes of a user when the window began. New users begin with those of the rules. */
function freezesBefore(
  present: Rules,
  rules: Rules,
  { state, periods, earned, isOld }: KnownStreak,
  { from }: TrialWindow,
  today: number,
): Pick<StreakBefore, 'freezes' | 'freezeDay'> {
  const { initial, max, every } = rules.scriptTime.freezes;
  if (state.created >= from) return { freezes: Math.min(initial, max), freezeDay: 0 };
  const used = periods.filter(({ madeGoodBy, at }) => madeGoodBy === 'freeze' && at >= from).length;
  const freezes = Math.max(0, state.freezes + used - earned);
  const hasGrown = isOld || periods.some(({ madeGoodBy, at }) => madeGoodBy === null && at < from);
  if (!hasGrown) return { freezes, freezeDay: 0 };
  const before = present.scriptTime.freezes.every;
  const ahead = before === false ? 0 : Math.max(0, Math.ceil((state.freezeDay - today) / before));
  const freezeDay = state.freezeDay - ahead * (before || 0);
  // Freezes that rules would have given before they came into force are not given later.
  const passed = every === false ? 0 : Math.max(0, Math.floor((today - freezeDay) / every));
  return { freezes, freezeDay: freezeDay + passed * (every || 0) };
}
