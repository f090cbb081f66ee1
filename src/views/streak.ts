import type { BaseStreakResponse } from '../contract/streak.ts';
import type { StreakNow } from '../redis/outcome.ts';
import type { UserState } from '../redis/userState.ts';
import { dateOfDay, periodDays, periodOfDay } from '../rules/calendar.ts';
import type { Frequency, StreakSettings } from '../rules/config.ts';

/**
 * A streak on a user's local day. It expires with the end of the period after the last extended one.
 * Without a streak there are no dates.
 */
export function streakView(frequency: Frequency, streak: StreakNow, day: number): BaseStreakResponse {
  if (streak.length === 0) {
    return { length: 0, frequency, started: null, periodStart: null, periodEnd: null, expires: null };
  }
  const period = periodDays(frequency, periodOfDay(frequency, day));
  return {
    length: streak.length,
    frequency,
    started: dateOfDay(streak.firstDay),
    periodStart: dateOfDay(period.start),
    periodEnd: dateOfDay(period.end),
    // A zone that the user came from may grant a little more.
    expires: dateOfDay(Math.max(day, periodDays(frequency, streak.lastPeriod + 1).end)),
  };
}

/** The same as JSON, with whether the event extended it: by hand, as every event answers with it. */
export function eventStreakJson(frequency: Frequency, streak: StreakNow, day: number, extended: boolean): string {
  const view = streakView(frequency, streak, day);
  const dates =
    view.started === null
      ? '"started":null,"periodStart":null,"periodEnd":null,"expires":null'
      : `"started":"${view.started}","periodStart":"${view.periodStart}","periodEnd":"${view.periodEnd}","expires":"${view.expires}"`;
  return `{"length":${view.length},"frequency":"${frequency}",${dates},"extended":${extended}}`;
}

/** The freezes that a user has in hand, and how more are earned. */
export function freezesView({ freezes }: StreakSettings, user: UserState) {
  return {
    freezes: user.freezes,
    maxFreezes: freezes.max,
    ...(freezes.earnEveryDays !== null && {
      freezeAutoEarnInterval: freezes.earnEveryDays,
      freezeAutoEarnAmount: freezes.earnAmount,
    }),
  };
}
