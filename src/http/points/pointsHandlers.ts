import {
  GetPointsSystem,
  GetUserPoints,
  ListPointsBoosts,
  ListPointsLevels,
  ListUserPointsBoosts,
  type PointsAward,
  type PointsBoostResponse,
} from '../../contract/points.ts';
import { readAwards } from '../../db/users/readUserHistory.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { localTime, statusOn } from '../../rules/calendar.ts';
import type { PointsBoost, PointsSystem } from '../../rules/config.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { awardView } from '../../views/causeView.ts';
import { boostView, levelView, pointsSystemView, triggerView } from '../../views/entityViews.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** With its triggers, except those of hidden achievements. */
export const getPointsSystem = endpoint(GetPointsSystem, ({ rules, path }) => {
  const system = findSystem(rules, path.key);
  const triggers = rules.config.pointsTriggers.filter(
    ({ systemId, achievementId }) =>
      systemId === system.id && !(achievementId !== null && rules.byId('achievements', achievementId).hidden),
  );
  return ok({
    ...pointsSystemView(system),
    triggers: triggers.map((trigger) => triggerView(rules, trigger)),
  });
});

export const listPointsLevels = endpoint(ListPointsLevels, ({ rules, path }) => {
  return ok(rules.levelsOf(findSystem(rules, path.key)).map(levelView));
});

/** Boosts that are not for a single user. */
export const listPointsBoosts = endpoint(ListPointsBoosts, ({ service, rules, path, query }) => {
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const boosts = boostsOf(rules, findSystem(rules, path.key)).filter(({ userId }) => userId === null);
  return ok(boostViews(boosts, day, query.includeFinished));
});

/** Boosts that apply to the user's awards now or later. */
export const listUserPointsBoosts = endpoint(ListUserPointsBoosts, async (call) => {
  const { id: userId, key } = call.path;
  const { user, rules, now } = await readPathUser(call);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const boosts = boostsOf(rules, findSystem(rules, key)).filter(
    (boost) =>
      (boost.userId === null || boost.userId === userId) &&
      matchesAll(rules, boost.userAttributes, user.attributes),
  );
  return ok(boostViews(boosts, day, false));
});

function boostsOf(rules: Rules, system: PointsSystem): PointsBoost[] {
  return rules.config.pointsBoosts.filter(({ systemId }) => systemId === system.id);
}

function boostViews(boosts: PointsBoost[], day: number, includeFinished: boolean): PointsBoostResponse[] {
  return boosts
    .map((boost) => boostView(boost, statusOn(boost, day)))
    .filter(({ status }) => includeFinished || status !== 'finished');
}

export const getUserPoints = endpoint(GetUserPoints, async (call) => {
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
});

/** The latest awards of a user. @param day the user's local day */
async function latestAwards(
  { service, path, query }: OperationRequest<typeof GetUserPoints>,
  rules: Rules,
  system: PointsSystem,
  day: number,
): Promise<PointsAward[]> {
  const key = { tenant: rules.tenant, userId: path.id };
  return service.history.readUser(key, async (rows) => {
    const awards = await readAwards(rows, key, system.no, query.awards);
    const causes = await findCauses(rows, rules, awards);
    return awards.map((award) => awardView(causes, award, day));
  });
}
