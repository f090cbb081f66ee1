import type { GetUserPoints } from '../../contract/points.ts';
import { readAwards } from '../../db/users/readUserHistory.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { localTime } from '../../rules/calendar.ts';
import { awardView } from '../../views/awardView.ts';
import { levelView, pointsSystemView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /users/{id}/points/{key}?awards= */
export async function getUserPoints(
  call: OperationRequest<typeof GetUserPoints>,
): Promise<OperationResponse<typeof GetUserPoints>> {
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
