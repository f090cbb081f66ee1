import type { GetUserPoints, PointsAward } from '../../contract/points.ts';
import type { GetUserStreak } from '../../contract/streak.ts';
import { type AwardRow, readAwards, readExtensions } from '../../db/readUserHistory.ts';
import type { UserState } from '../../redis/userState.ts';
import { dateOfDay, localTime, periodDays, periodOf, statusOn } from '../../rules/calendar.ts';
import type { StreakSettings } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { boostView, levelView, pointsSystemView, triggerView } from '../../views/entities.ts';
import { streakView } from '../../views/streak.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from './users.ts';

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

function freezesView({ freezes }: StreakSettings, user: UserState) {
  return {
    freezes: user.freezes,
    maxFreezes: freezes.max,
    ...(freezes.earnEveryDays !== null && {
      freezeAutoEarnInterval: freezes.earnEveryDays,
      freezeAutoEarnAmount: freezes.earnAmount,
    }),
  };
}

/** GET /users/{id}/points/{key}?awards= */
export async function getUserPoints(call: Call<typeof GetUserPoints>): Promise<Answer<typeof GetUserPoints>> {
  const { service, path, query } = call;
  const { user, rules, now } = await readPathUser(call);
  const { tenant } = rules;
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const system = findSystem(rules, path.key);
  const awards = await service.history.read((rows) =>
    readAwards(rows, { tenant, userId: path.id }, system.no, query.awards),
  );
  const total = user.points.get(system.no) ?? 0;
  const level = rules.levelAt(system, total);
  return ok({
    ...pointsSystemView(system),
    total,
    level: level && levelView(level),
    awards: awards.map((award) => awardView(rules, award, day)),
  });
}

/**
 * As the response to the event showed it, without a trigger or boost that has been deleted since.
 * @param day the user's local day, whose status boosts have
 */
function awardView(rules: Rules, award: AwardRow, day: number): PointsAward {
  const trigger = rules.findByNo('pointsTriggers', award.trigger);
  const boosts = (award.boosts ?? []).flatMap((no) => rules.findByNo('pointsBoosts', no) ?? []);
  return {
    id: award.id,
    awarded: award.awarded,
    date: award.date.toISOString(),
    total: award.total,
    ...(trigger && { trigger: triggerView(rules, trigger) }),
    boosts: boosts.map((boost) => boostView(boost, statusOn(boost, day))),
  };
}
