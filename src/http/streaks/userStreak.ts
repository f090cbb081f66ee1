import type { GetUserStreak } from '../../contract/streak.ts';
import { readExtensions } from '../../db/readUserHistory.ts';
import { dateOfDay, localTime, periodDays, periodOf } from '../../rules/calendar.ts';
import { freezesView, streakView } from '../../views/streak.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';
import { readPathUser } from '../users/users.ts';

/** GET /users/{id}/streak?historyPeriods= */
export async function getUserStreak(call: Call<typeof GetUserStreak>): Promise<Answer<typeof GetUserStreak>> {
  const { service, path } = call;
  const periods = call.query.historyPeriods;
  const { user, rules, now } = await readPathUser(call);
  const { tenant } = rules;
  const { frequency } = rules.config.streak;
  const streak = user.streaks[frequency];
  const time = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);

  const last = periodOf(time, frequency);
  const first = last - periods + 1;
  const key = { tenant, userId: path.id };
  const extensions =
    periods === 0 ? [] : await service.history.read((rows) => readExtensions(rows, key, frequency, first, last));
  const byPeriod = new Map(extensions.map((extension) => [extension.period, extension]));
  const streakHistory = Array.from({ length: periods }, (_, i) => {
    const { start, end } = periodDays(frequency, first + i);
    const extension = byPeriod.get(first + i);
    return {
      periodStart: dateOfDay(start),
      periodEnd: dateOfDay(end),
      length: extension?.length ?? 0,
      usedFreeze: extension?.madeGoodBy === 'freeze',
      usedPause: extension?.madeGoodBy === 'pause',
    };
  });
  return ok({
    ...streakView(frequency, streak, time.day),
    ...freezesView(rules.config.streak, user),
    extended: streak.extendedAt === 0 ? null : new Date(streak.extendedAt).toISOString(),
    streakHistory,
    pauses: user.pauses.map(({ id, start, end }) => ({ id, start: dateOfDay(start), end: dateOfDay(end) })),
  });
}
