import { ServiceError } from '../../base/errors.ts';
import type { ListUsers } from '../../contract/listedUsers.ts';
import type { UserFilter } from '../../db/users/userFilter.ts';
import type { UserOrder } from '../../db/users/userOrders.ts';
import { dayOfDate, localTime, periodOf, startOfLocalDay } from '../../rules/calendar.ts';
import type { Achievement, PointsSystem } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { streakAliveSince } from '../../rules/streakAlive.ts';
import type { OperationRequest } from '../request/endpoint.ts';
import { findSystem, readUserAttributes } from '../request/find.ts';

type Query = OperationRequest<typeof ListUsers>['query'];

/**
 * What a list of users filters by.
 * @param now milliseconds since 1970
 * @throws ServiceError `invalid`, and `notFound` for keys that are not configured
 */
export function readFilter(rules: Rules, query: Query, now: number): UserFilter {
  const { settings, streak } = rules.config;
  const zone = settings.defaultTimeZone;
  const dayOf = (date: string | undefined): number | null => (date === undefined ? null : dayOfDate(date));
  const [createdFrom, createdUntil] = [dayOf(query.createdAfter), dayOf(query.createdBefore)];
  return {
    control: query.control ?? null,
    createdFrom: createdFrom === null ? null : startOfLocalDay(zone, createdFrom),
    createdUntil: createdUntil === null ? null : startOfLocalDay(zone, createdUntil + 1) - 1,
    activeFrom: dayOf(query.activeAfter),
    activeUntil: least(
      dayOf(query.activeBefore),
      query.inactiveDays === undefined ? null : localTime(zone, now).day - query.inactiveDays,
    ),
    attributes: readUserAttributes(rules, query.userAttributes) ?? new Map(),
    ...pointsFilter(rules, query),
    frequency: streak.frequency,
    streakMin: query.streakMin ?? null,
    streakMax: query.streakMax ?? null,
    streakSince: streakAliveSince(streak, periodOf(localTime('UTC', now), streak.frequency)),
    achievement: query.achievement === undefined ? null : findAchievement(rules, query.achievement).no,
    missing:
      query.withoutAchievement === undefined ? null : findAchievement(rules, query.withoutAchievement).no,
  };
}

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

function pointsFilter(rules: Rules, query: Query): Pick<UserFilter, 'system' | 'pointsMin' | 'pointsMax'> {
  const { points, pointsMin = null, pointsMax = null, level } = query;
  if (points === undefined) {
    if (pointsMin !== null || pointsMax !== null || level !== undefined)
      throw new ServiceError(
        'invalid',
        'points must name the points system of pointsMin, pointsMax or level',
      );
    return { system: null, pointsMin: null, pointsMax: null };
  }
  const system = findSystem(rules, points);
  if (level === undefined) return { system: system.no, pointsMin, pointsMax };
  const [from, until] = rangeOfLevel(rules, system, level);
  return {
    system: system.no,
    pointsMin: Math.max(from, pointsMin ?? from),
    pointsMax: least(until, pointsMax),
  };
}

/** Totals at which users have the level; the last level has no end. */
function rangeOfLevel(rules: Rules, system: PointsSystem, key: string): [from: number, until: number | null] {
  const levels = rules.levelsOf(system);
  const index = levels.findIndex((level) => level.key === key);
  const level = levels[index];
  if (level === undefined)
    throw new ServiceError('notFound', `Points system ${system.key} has no level ${key}`);
  const next = levels[index + 1];
  return [level.points, next === undefined ? null : next.points - 1];
}

function findAchievement(rules: Rules, key: string): Achievement {
  const found = rules.config.achievements.find((achievement) => achievement.key === key);
  if (found === undefined) throw new ServiceError('notFound', `Achievement ${key} does not exist`);
  return found;
}

/**
 * The order of a list without a search. Without `sort` it is the one in which an index finds the users of the
 * filter.
 * @throws ServiceError `invalid`
 */
export function readOrder({ sort, points, achievement, streakMin, ...query }: Query): UserOrder {
  if (sort === 'points' && points === undefined)
    throw new ServiceError('invalid', 'points must name the points system by which users are sorted');
  if (sort === 'achievement' && achievement === undefined)
    throw new ServiceError('invalid', 'achievement must name the achievement by which users are sorted');
  if (sort !== undefined) return sort;
  if (achievement !== undefined) return 'achievement';
  if ((query.pointsMin ?? 0) > 0 || (query.level !== undefined && points !== undefined)) return 'points';
  if ((streakMin ?? 0) > 0) return 'streak';
  return query.inactiveDays === undefined ? 'created' : 'active';
}
