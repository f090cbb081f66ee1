import type { BaseStreakResponse, StreakResponse } from '../contract/streak.ts';
import type { StreakNow } from '../redis/decoding/outcome.ts';
import type { StreakState, UserState } from '../redis/decoding/userState.ts';
import { dateOfDay, type LocalTime, periodDays, periodOf, periodOfDay } from '../rules/calendar.ts';
import type { Frequency, StreakSettings } from '../rules/config.ts';
import { daysOffOf, nextDayThatCounts } from '../rules/daysOff.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { type StreakPeriods, withEarlierPeriods } from '../rules/streakHistory.ts';

/** A user's streak of the frequency in force. Its length is 0 while streaks are switched off. */
export function streakInForce(
  { config }: Rules,
  { streaks, preferences }: UserState,
): StreakState & { daysOff: number } {
  const { frequency, enabled } = config.streak;
  const streak = { ...streaks[frequency], daysOff: daysOffOf(config.streak, preferences) };
  return enabled ? streak : { ...streak, length: 0 };
}

/**
 * A user's streak on a local day. It expires at the end of the period after the last extended one; days off
 * do not count. A streak of length 0 has no dates.
 */
export function streakView(frequency: Frequency, streak: StreakNow, day: number): BaseStreakResponse {
  if (streak.length === 0) {
    return { length: 0, frequency, started: null, periodStart: null, periodEnd: null, expires: null };
  }
  const period = periodDays(frequency, periodOfDay(frequency, day));
  const lastDay = nextDayThatCounts(streak.daysOff, periodDays(frequency, streak.lastPeriod + 1).end);
  return {
    length: streak.length,
    frequency,
    started: dateOfDay(streak.firstDay),
    periodStart: dateOfDay(period.start),
    periodEnd: dateOfDay(period.end),
    // The streak may survive this day, because of an earlier time zone of the user.
    expires: dateOfDay(Math.max(day, lastDay)),
  };
}

/**
 * The same as JSON, with whether the event extended it. Built by hand for speed, because every event returns
 * it.
 */
export function eventStreakJson(
  frequency: Frequency,
  streak: StreakNow,
  day: number,
  extended: boolean,
): string {
  const view = streakView(frequency, streak, day);
  const dates =
    view.started === null
      ? '"started":null,"periodStart":null,"periodEnd":null,"expires":null'
      : `"started":"${view.started}","periodStart":"${view.periodStart}","periodEnd":"${view.periodEnd}","expires":"${view.expires}"`;
  return `{"length":${view.length},"frequency":"${frequency}",${dates},"extended":${extended}}`;
}

/** The freezes that a user has, and how more are earned. */
export function freezesView({ freezes }: StreakSettings, user: UserState) {
  return {
    freezes: user.freezes,
    maxFreezes: freezes?.maxCount ?? 0,
    ...(freezes?.autoEarnInterval && {
      freezeAutoEarnInterval: freezes.autoEarnInterval,
      freezeAutoEarnAmount: freezes.autoEarnAmount!,
    }),
  };
}

/** The last `count` periods at a local time, of the frequency in force; `first` and `last` are inclusive. */
export function shownPeriods(rules: Rules, time: LocalTime, count: number): { first: number; last: number } {
  const last = periodOf(time, rules.config.streak.frequency);
  return { first: last - count + 1, last };
}

/** A user's streak with its last `count` periods. @param history its recorded periods */
export function userStreakView(
  rules: Rules,
  user: UserState,
  time: LocalTime,
  count: number,
  history: StreakPeriods,
): StreakResponse {
  const { streak: settings } = rules.config;
  const { frequency } = settings;
  const { first } = shownPeriods(rules, time, count);
  const streak = streakInForce(rules, user);
  const { pauses, recordedFrom } = user;
  const kept = withEarlierPeriods(history.extensions, frequency, first, { ...streak, pauses, recordedFrom });
  const byPeriod = new Map(kept.map((period) => [period.period, period]));
  const resetAt = new Map(history.resets.map((reset) => [reset.period, reset.resetAt]));
  const streakHistory = Array.from({ length: count }, (_, i) => {
    const { start, end } = periodDays(frequency, first + i);
    const extension = byPeriod.get(first + i);
    const reset = resetAt.get(first + i);
    return {
      periodStart: dateOfDay(start),
      periodEnd: dateOfDay(end),
      length: extension?.length ?? 0,
      usedFreeze: extension?.madeGoodBy === 'freeze',
      usedPause: extension?.madeGoodBy === 'pause',
      ...(reset && { resetAt: reset.toISOString() }),
    };
  });
  return {
    ...streakView(frequency, streak, time.day),
    ...freezesView(settings, user),
    extended: streak.extendedAt === 0 ? null : new Date(streak.extendedAt).toISOString(),
    streakHistory,
    pauses: pauses.map(({ id, start, end }) => ({ id, start: dateOfDay(start), end: dateOfDay(end) })),
  };
}
