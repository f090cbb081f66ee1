import type { GetUserPoints, PointsAward } from '../../contract/points.ts';
import { type AwardRow, readAwards } from '../../db/readUserHistory.ts';
import { localTime, statusOn } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { boostView, levelView, pointsSystemView, triggerOfAward } from '../../views/entities.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/users.ts';

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
 * An award as in the response to its event, without deleted triggers and boosts.
 * @param day the user's local day, on which the status of boosts depends
 */
function awardView(rules: Rules, award: AwardRow, day: number): PointsAward {
  const trigger = triggerOfAward(rules, award.trigger, award.awarded, award.date.toISOString());
  const boosts = (award.boosts ?? []).flatMap((no) => rules.findByNo('pointsBoosts', no) ?? []);
  return {
    id: award.id,
    awarded: award.awarded,
    date: award.date.toISOString(),
    total: award.total,
    ...(trigger && { trigger }),
    boosts: boosts.map((boost) => boostView(boost, statusOn(boost, day))),
  };
}
