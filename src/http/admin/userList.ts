import { GetAdminUser } from '../../contract/adminUsers.ts';
import { type ListedUser, ListUsers } from '../../contract/listedUsers.ts';
import { type ListedUserRow, listUsers as readUserPage } from '../../db/users/listUsers.ts';
import { readLastActive } from '../../db/users/readActivity.ts';
import type { UserFilter } from '../../db/users/userFilter.ts';
import { ORDERS, SEARCH_ORDERS, type UserOrder } from '../../db/users/userOrders.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import { dateOfDay, dayOfDate, localTime, periodOf, startOfLocalDay } from '../../rules/calendar.ts';
import type { PointsSystem } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { streakAliveSince } from '../../rules/streakAlive.ts';
import { streakInForce } from '../../views/streakView.ts';
import { userView } from '../../views/userView.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { endpoint, type OperationRequest, ok, type Unwritten } from '../request/endpoint.ts';
import { findAchievement, findSystem, readUserAttributes } from '../request/find.ts';
import { invalid, notFound } from '../request/refuse.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { readBlocks } from './blockedUserHandlers.ts';

type Position = [order: UserOrder, key: string | number, userId: string];

function isPosition(value: unknown): value is Position {
  if (!Array.isArray(value) || value.length !== 3 || !Object.hasOwn(ORDERS, value[0])) return false;
  const isText = SEARCH_ORDERS.includes(value[0]);
  const isKey = isText ? typeof value[1] === 'string' : Number.isSafeInteger(value[1]);
  return isKey && typeof value[2] === 'string';
}

export const listUsers = endpoint(ListUsers, async (call) => {
  const { service, rules, query } = call;
  const search = query.query ?? null;
  if (search !== null && query.sort !== undefined) {
    throw invalid('sort must not be given together with query: users found come in the order of the match');
  }
  const order = readOrder(query);
  const last = readCursor(query.cursor, isPosition);
  if (last !== null && (search === null ? last[0] !== order : !SEARCH_ORDERS.includes(last[0]))) {
    throw invalid('cursor must be of a page with the same query and sort');
  }
  const position = last && { order: last[0], key: last[1], userId: last[2] };
  const filter = readFilter(rules, query, service.clock.now());
  const [page, total] = await Promise.all([
    service.history.read(rules.tenant, (rows) =>
      readUserPage(rows, rules.tenant, filter, { query: search, order, position, limit: query.limit }),
    ),
    countUsers(service.redis, rules.tenant, service.cells),
  ]);
  const { next } = page;
  return ok({
    total,
    users: await viewsOf(call, page.users),
    cursor: writeCursor(next && [next.order, next.key, next.userId]),
  });
});

/** Users as Redis holds them, without users erased in the meantime. */
async function viewsOf(
  { service, rules }: Pick<OperationRequest, 'service' | 'rules'>,
  found: ListedUserRow[],
): Promise<Unwritten<ListedUser>[]> {
  const userIds = found.map(({ userId }) => userId);
  const states = await readUserStates(service.redis, rules.tenant, service.cells, userIds);
  const users = found.flatMap((row, i) => (states[i] ? [{ ...row, state: states[i] }] : []));
  const blocks = await readBlocks({ service, rules }, users);
  return users.map(({ userId, lastActive, state }) => ({
    ...userView(rules, userId, state),
    lastActive: dateOrNull(lastActive),
    block: blocks.get(userId) ?? null,
    ...progressView(rules, state),
  }));
}

function progressView(
  rules: Rules,
  state: UserState,
): Pick<ListedUser, 'points' | 'streak' | 'lostStreak' | 'freezes' | 'achievements'> {
  const streak = streakInForce(rules, state);
  const systems = rules.config.pointsSystems.map((system) => {
    const total = state.points.get(system.no) ?? 0;
    return [system.key, { total, level: rules.levelAt(system, total)?.key ?? null }] as const;
  });
  const completed = [...state.achievements.keys()].filter(
    (no) => rules.findByNo('achievements', no) !== null,
  );
  return {
    points: Object.fromEntries(systems),
    streak: streak.length,
    lostStreak: streak.lostLength,
    freezes: state.freezes,
    achievements: completed.length,
  };
}

const dateOrNull = (day: number | null): string | null => (day === null ? null : dateOfDay(day));

export const getAdminUser = endpoint(GetAdminUser, async (call) => {
  const { service, path } = call;
  const { rules, user } = await readPathUser(call);
  const key = { tenant: rules.tenant, userId: path.id };
  const lastActive = await service.history.readUser(key, (rows) => readLastActive(rows, key));
  const blocks = await readBlocks({ service: call.service, rules }, [{ userId: path.id, state: user }]);
  return ok({
    ...userView(rules, path.id, user),
    lastActive: dateOrNull(lastActive),
    block: blocks.get(path.id) ?? null,
  });
});

type Query = OperationRequest<typeof ListUsers>['query'];

/**
 * What a list of users filters by.
 * @param now milliseconds since 1970
 * @throws ServiceError `invalid`, and `notFound` for keys that are not configured
 */
function readFilter(rules: Rules, query: Query, now: number): UserFilter {
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
    lost: dayRange(zone, query.streakLostOn),
    blocked: query.blocked ?? null,
    now,
  };
}

/** First and last millisecond of a local day. */
function dayRange(zone: string, date: string | undefined): { from: number; until: number } | null {
  if (date === undefined) return null;
  const day = dayOfDate(date);
  return { from: startOfLocalDay(zone, day), until: startOfLocalDay(zone, day + 1) - 1 };
}

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

function pointsFilter(rules: Rules, query: Query): Pick<UserFilter, 'system' | 'pointsMin' | 'pointsMax'> {
  const { points, pointsMin = null, pointsMax = null, level } = query;
  if (points === undefined) {
    if (pointsMin !== null || pointsMax !== null || level !== undefined)
      throw invalid('points must name the points system of pointsMin, pointsMax or level');
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
  if (level === undefined) throw notFound(`Points system ${system.key} has no level ${key}`);
  const next = levels[index + 1];
  return [level.points, next === undefined ? null : next.points - 1];
}

/**
 * The order of a list without a search. Without `sort` it is the one in which an index finds the users of the
 * filter.
 * @throws ServiceError `invalid`
 */
function readOrder({ sort, points, achievement, streakMin, ...query }: Query): UserOrder {
  if (sort === 'points' && points === undefined)
    throw invalid('points must name the points system by which users are sorted');
  if (sort === 'achievement' && achievement === undefined)
    throw invalid('achievement must name the achievement by which users are sorted');
  if (sort === 'lost' && query.streakLostOn === undefined)
    throw invalid('streakLostOn must name the day of the losses by which users are sorted');
  if (sort === 'blocked' && query.blocked !== true)
    throw invalid('blocked must be true if users are sorted by their blocks');
  if (sort !== undefined) return sort;
  if (achievement !== undefined) return 'achievement';
  if (query.streakLostOn !== undefined) return 'lost';
  if (query.blocked === true) return 'blocked';
  if ((query.pointsMin ?? 0) > 0 || (query.level !== undefined && points !== undefined)) return 'points';
  if ((streakMin ?? 0) > 0) return 'streak';
  return query.inactiveDays === undefined ? 'created' : 'active';
}
