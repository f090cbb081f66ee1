import { KEPT_ROWS_MAX } from '../../base/limits.ts';
import type { WrittenJson } from '../../base/writtenJson.ts';
import {
  GetPointsSystem,
  GetUserPoints,
  type GetUserPointsResponse,
  ListPointsBoosts,
  ListPointsLevels,
  ListUserPointsBoosts,
  type PointsBoostResponse,
} from '../../contract/points.ts';
import type { Rows } from '../../db/rows.ts';
import { readAwards } from '../../db/users/readUserHistory.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { awardsPart } from '../../engine/keptHistory/keptParts.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { StoredAward } from '../../rules/award.ts';
import { localTime, statusOn } from '../../rules/calendar.ts';
import type { PointsBoost, PointsSystem } from '../../rules/config.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { boostView, levelView, pointsSystemView, triggerView } from '../../views/entityViews.ts';
import { userPointsJson } from '../../views/pointsJson.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

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
  const system = findSystem(rules, key);
  const boosts = boostsOf(rules, system).filter(
    (boost) =>
      (boost.userId === null || boost.userId === userId) &&
      matchesAll(rules, boost.userAttributes, user.attributes),
  );
  const given = await boostsOfChallenges(call.service.history.final, rules, system, user, now);
  return ok([...boostViews(boosts, day, false), ...given]);
});

/** The boosts that challenges gave a user and that multiply now. */
async function boostsOfChallenges(
  rows: Rows,
  rules: Rules,
  system: PointsSystem,
  user: UserState,
  now: number,
): Promise<PointsBoostResponse[]> {
  const given = user.boosts.filter((boost) => boost.system === system.no && boost.till > now);
  const causes = await findCauses(rows, rules, [{ trigger: null, boosts: given.map(({ no }) => no) }]);
  return given.flatMap(({ no, from, till }) => {
    const [start, end] = [new Date(from).toISOString(), new Date(till).toISOString()];
    const boost = causes.boost(no);
    return boost === null ? [] : { ...boost, start, end };
  });
}

function boostsOf(rules: Rules, system: PointsSystem): PointsBoost[] {
  return rules.config.pointsBoosts.filter(({ systemId }) => systemId === system.id);
}

function boostViews(boosts: PointsBoost[], day: number, includeFinished: boolean): PointsBoostResponse[] {
  return boosts
    .map((boost) => boostView(boost, statusOn(boost, day)))
    .filter(({ status }) => includeFinished || status !== 'finished');
}

export const getUserPoints = endpoint(GetUserPoints, async (call) => {
  const { awards } = call.query;
  const reading = await beginReading(call, awards > 0 && awards <= KEPT_ROWS_MAX);
  return ok(await userPoints(reading, findSystem(reading.rules, call.path.key), awards));
});

/** The points of a user, with the latest awards. */
export async function userPoints(
  reading: UserReading,
  system: PointsSystem,
  count: number,
): Promise<WrittenJson<GetUserPointsResponse>> {
  const { service, user, rules, now } = reading;
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const awards = count === 0 ? [] : await latestAwards(reading, system, count);
  const causes = await findCauses(service.history.final, rules, awards);
  return userPointsJson(causes, system, user.points.get(system.no) ?? 0, awards, day);
}

async function latestAwards(
  { service: { history }, userId, rules, latest }: UserReading,
  system: PointsSystem,
  count: number,
): Promise<StoredAward[]> {
  if (count <= KEPT_ROWS_MAX) {
    const awards = await (await latest()).part(awardsPart(system.no));
    return awards.slice(0, count);
  }
  const key = { tenant: rules.tenant, userId };
  return history.readUser(key, (rows) => readAwards(rows, key, system.no, count));
}
