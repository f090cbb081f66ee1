import type { GetUserPoints, PointsAward } from '../../contract/points.ts';
import { readAwards } from '../../db/users/readUserHistory.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { localTime } from '../../rules/calendar.ts';
import type { PointsSystem } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { awardView } from '../../views/awardView.ts';
import { levelView, pointsSystemView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /users/{id}/points/{key}?awards= */
export async function getUserPoints(
  call: OperationRequest<typeof GetUserPoints>,
): Promise<OperationResponse<typeof GetUserPoints>> {
  const { path, query } = call;
  const { user, rules, now } = await readPathUser(call);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const system = findSystem(rules, path.key);
  const awards = query.awards === 0 ? [] : await latestAwards(call, rules, system, day);
  const total = user.points.get(system.no) ?? 0;
  const level = rules.levelAt(system, total);
  return ok({
    ...pointsSystemView(system),
    total,
    level: level && levelView(level),
    awards,
  });
}

/** The latest awards of a user. @param day the user's local day */
async function latestAwards(
  { service, path, query }: OperationRequest<typeof GetUserPoints>,
  rules: Rules,
  system: PointsSystem,
  day: number,
): Promise<PointsAward[]> {
  return service.history.read(rules.tenant, async (rows) => {
    const key = { tenant: rules.tenant, userId: path.id };
    const awards = await readAwards(rows, key, system.no, query.awards);
    const causes = await findCauses(rows, rules, awards);
    return awards.map((award) => awardView(causes, award, day));
  });
}
