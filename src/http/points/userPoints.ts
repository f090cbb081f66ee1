import type { GetUserPoints, PointsAward } from '../../contract/points.ts';
import { type AwardRow, readAwards } from '../../db/readUserHistory.ts';
import { findCauses } from '../../engine/causes.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Causes } from '../../views/causes.ts';
import { levelView, pointsSystemView } from '../../views/entities.ts';
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
  const { awards, causes } = await service.history.read(rules.tenant, async (rows) => {
    const found = await readAwards(rows, { tenant, userId: path.id }, system.no, query.awards);
    return { awards: found, causes: await findCauses(rows, rules, found) };
  });
  const total = user.points.get(system.no) ?? 0;
  const level = rules.levelAt(system, total);
  return ok({
    ...pointsSystemView(system),
    total,
    level: level && levelView(level),
    awards: awards.map((award) => awardView(causes, award, day)),
  });
}

/**
 * An award as in the response to its event. Triggers and boosts that were deleted before causes were kept are left out.
 * @param day the user's local day, on which the status of boosts depends
 */
function awardView(causes: Causes, award: AwardRow, day: number): PointsAward {
  const trigger = causes.triggerOfAward(award.trigger, award.awarded, award.date.toISOString());
  return {
    id: award.id,
    awarded: award.awarded,
    date: award.date.toISOString(),
    total: award.total,
    ...(trigger && { trigger }),
    boosts: (award.boosts ?? []).flatMap((no) => causes.boost(no, day) ?? []),
  };
}
