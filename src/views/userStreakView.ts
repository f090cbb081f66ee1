import type { StreakResponse } from '../contract/streak.ts';
import type { UserState } from '../redis/state/userState.ts';
import { dateOfDay, type LocalTime, periodDays, periodOf } from '../rules/calendar.ts';
import type { Rules } from '../rules/rules.ts';
import { type StreakPeriods, withEarlierPeriods } from '../rules/streakHistory.ts';
import { freezesView, streakInForce, streakView } from './streakView.ts';

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
  const kept = withEarlierPeriods(history.extensions, frequency, first, { ...streak, pauses: user.pauses });
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
    pauses: user.pauses.map(({ id, start, end }) => ({ id, start: dateOfDay(start), end: dateOfDay(end) })),
  };
}
