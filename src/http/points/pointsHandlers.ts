import type {
  GetPointsSystem,
  ListPointsBoosts,
  ListPointsLevels,
  ListUserPointsBoosts,
  PointsBoostResponse,
} from '../../contract/points.ts';
import { localTime, statusOn } from '../../rules/calendar.ts';
import type { PointsBoost, PointsSystem } from '../../rules/config.ts';
import { matchesAll } from '../../rules/filters.ts';
import type { Rules } from '../../rules/rules.ts';
import { boostView, levelView, pointsSystemView, triggerView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /points/{key}: with its triggers, except those of hidden achievements. */
export function getPointsSystem({
  rules,
  path,
}: OperationRequest<typeof GetPointsSystem>): OperationResponse<typeof GetPointsSystem> {
  const system = findSystem(rules, path.key);
  const triggers = rules.config.pointsTriggers.filter(
    ({ systemId, achievementId }) =>
      systemId === system.id && !(achievementId !== null && rules.byId('achievements', achievementId).hidden),
  );
  return ok({
    ...pointsSystemView(system),
    triggers: triggers.map((trigger) => triggerView(rules, trigger)),
  });
}

/** GET /points/{key}/levels: lowest first. */
export function listPointsLevels({
  rules,
  path,
}: OperationRequest<typeof ListPointsLevels>): OperationResponse<typeof ListPointsLevels> {
  return ok(rules.levelsOf(findSystem(rules, path.key)).map(levelView));
}

/** GET /points/{key}/boosts?includeFinished=: boosts that are not for a single user. */
export function listPointsBoosts({
  service,
  rules,
  path,
  query,
}: OperationRequest<typeof ListPointsBoosts>): OperationResponse<typeof ListPointsBoosts> {
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const boosts = boostsOf(rules, findSystem(rules, path.key)).filter(({ userId }) => userId === null);
  return ok(boostViews(boosts, day, query.includeFinished));
}

/** GET /users/{id}/points/{key}/boosts: boosts that apply to the user's awards now or later. */
export async function listUserPointsBoosts(
  call: OperationRequest<typeof ListUserPointsBoosts>,
): Promise<OperationResponse<typeof ListUserPointsBoosts>> {
  const { id: userId, key } = call.path;
  const { user, rules, now } = await readPathUser(call);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const boosts = boostsOf(rules, findSystem(rules, key)).filter(
    (boost) =>
      (boost.userId === null || boost.userId === userId) &&
      matchesAll(rules, boost.userAttributes, user.attributes),
  );
  return ok(boostViews(boosts, day, false));
}

function boostsOf(rules: Rules, system: PointsSystem): PointsBoost[] {
  return rules.config.pointsBoosts.filter(({ systemId }) => systemId === system.id);
}

function boostViews(boosts: PointsBoost[], day: number, includeFinished: boolean): PointsBoostResponse[] {
  return boosts
    .map((boost) => boostView(boost, statusOn(boost, day)))
    .filter(({ status }) => includeFinished || status !== 'finished');
}
