import { ServiceError } from '../base/errors.ts';
import type {
  GetLeaderboard,
  LeaderboardRanking,
  LeaderboardResponse,
  ListLeaderboards,
} from '../contract/leaderboard.ts';
import type { QueryOf } from '../contract/operation.ts';
import { readRunPage } from '../db/readRuns.ts';
import { keys } from '../redis/keys.ts';
import { groupName } from '../redis/outcome.ts';
import { findPlace, groupOfUser } from '../redis/rankings.ts';
import type { ChangedUser } from '../redis/userChanges.ts';
import { readUserNames } from '../redis/userNames.ts';
import { dateOfDay, dayOfDate, localTime, type Run, runOf, statusOn } from '../rules/calendar.ts';
import type { Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { parseUserAttributes } from './parameters.ts';
import type { Service } from './service.ts';
import { leaderboardView } from './views/entities.ts';

const RUNS_KNOWN_MAX = 400;

function defaultDay(rules: Rules, now: number): number {
  return localTime(rules.config.settings.defaultTimeZone, now).day;
}

/** Inactive leaderboards are invisible to users. */
export function findBoard(rules: Rules, key: string): Leaderboard {
  const board = rules.leaderboardByKey.get(key);
  if (board === undefined || board.status === 'inactive') {
    throw new ServiceError('notFound', `Leaderboard ${key} does not exist`);
  }
  return board;
}

const runs = new WeakMap<Leaderboard, Map<number, Run | null>>();

/** The run that holds a day, whatever the status; found once, for a day has many requests. */
export function runOn(board: Leaderboard, day: number): Run | null {
  let known = runs.get(board);
  if (known === undefined || known.size > RUNS_KNOWN_MAX) {
    known = new Map();
    runs.set(board, known);
  }
  let run = known.get(day);
  if (run === undefined) {
    run = runOf({ ...board, status: 'active' }, day);
    known.set(day, run);
  }
  return run;
}

/** The run that `?run=` names by its first day, else the one that holds `day`, else the first (not begun) or last (over). */
export function findRun(board: Leaderboard, requestedRun: string | undefined, day: number): Run {
  if (requestedRun !== undefined) {
    const requested = dayOfDate(requestedRun);
    const run = runOn(board, requested);
    if (run?.start !== requested) throw new ServiceError('notFound', `No run of ${board.key} starts on this date: run`);
    return run;
  }
  const first = dayOfDate(board.start);
  const last = board.end === null ? day : dayOfDate(board.end);
  return runOn(board, Math.max(first, Math.min(day, last)))!;
}

/** Whether a run has ended for who lives on `day`. */
export function isOver(run: Run, day: number): boolean {
  return run.end !== null && run.end < day;
}

export function boardView(rules: Rules, board: Leaderboard, run: Run | null): LeaderboardResponse {
  return {
    ...leaderboardView(rules, board),
    start: run === null ? board.start : dateOfDay(run.start),
    end: run === null ? board.end : run.end === null ? null : dateOfDay(run.end),
  };
}

/** GET /leaderboards?includeFinished= */
export function listLeaderboards({
  service,
  rules,
  query: { includeFinished },
}: Call<typeof ListLeaderboards>): Answer<typeof ListLeaderboards> {
  const day = defaultDay(rules, service.clock.now());
  const views = [];
  for (const board of rules.config.leaderboards) {
    const status = statusOn(board, day);
    if (board.status === 'inactive' || (status === 'finished' && !includeFinished)) continue;
    views.push({ ...boardView(rules, board, findRun(board, undefined, day)), status });
  }
  return ok(views);
}

/** The group that `?userAttributes=` selects, else that of the user that `?userId=` names. */
function findGroup(rules: Rules, board: Leaderboard, attributes: Map<string, string> | null, user: ChangedUser | null) {
  if (board.breakdownAttributes.length === 0) {
    if (attributes !== null) {
      throw new ServiceError('invalid', `userAttributes: leaderboard ${board.key} has no breakdown attributes`);
    }
    return '';
  }
  const breakdown = board.breakdownAttributes.map((id) => rules.byId('attributes', id).key);
  if (attributes === null) {
    const group = user && groupOfUser(rules, board, user.user);
    if (group !== null) return group;
  }
  const unknown = [...(attributes?.keys() ?? [])].filter((key) => !breakdown.includes(key));
  const missing = breakdown.filter((key) => attributes?.get(key) === undefined);
  if (unknown.length > 0 || missing.length > 0) {
    throw new ServiceError('invalid', `userAttributes must name a value for ${breakdown.join(', ')} and nothing else`);
  }
  return groupName(breakdown.map((key) => attributes!.get(key)!));
}

/** The places to show: `offset` counts from the top, or from the place of the user that `userId` names. */
function pageOf({ offset, limit, userId, neighbours }: QueryOf<typeof GetLeaderboard>): {
  offset: number;
  limit: number;
} {
  if (neighbours === undefined) return { offset, limit };
  if (userId === undefined) throw new ServiceError('invalid', 'neighbours needs userId');
  return { offset: -neighbours, limit: 2 * neighbours + 1 };
}

/** GET /leaderboards/{key}?offset=&limit=&run=&userId=&userAttributes=&neighbours= */
export async function getLeaderboard({
  service,
  rules,
  path,
  query,
}: Call<typeof GetLeaderboard>): Promise<Answer<typeof GetLeaderboard>> {
  const { userId = null } = query;
  const { offset, limit } = pageOf(query);
  const attributes = parseUserAttributes(query.userAttributes);
  const board = findBoard(rules, path.key);
  const user = userId === null ? null : await service.users.read(rules, userId);
  const now = user?.now ?? service.clock.now();
  const zone = user?.user.tz ?? rules.config.settings.defaultTimeZone;
  const today = localTime(zone, now).day;
  const run = findRun(board, query.run, today);
  const group = findGroup(rules, board, attributes, user);
  const key = keys.board(rules.tenant, board.no, run.start, group);

  const view = { ...boardView(rules, board, run), status: statusOn(board, defaultDay(rules, now)) };
  if (isOver(run, today) && (await service.redis.exists(key)) === 0) {
    return ok({
      ...view,
      rankings: await readPastRankings(service, rules, board, run, group, { offset, limit, userId }),
    });
  }
  const place = user && (await findPlace(service.redis, rules, board, run.start, userId!, user.user));
  if (user !== null && place?.key !== key) return ok({ ...view, rankings: [] });
  const page = await service.scripts.readLeaderboard(rules.tenant, key, { offset, limit, member: place?.member ?? '' });
  const rankings = page.places.map(({ userId: id, userName, score }, i) => ({
    userId: id,
    userName,
    rank: page.firstRank + i,
    value: score,
  }));
  return ok({ ...view, rankings });
}

/** Places of a group as history has them, with the names of today. */
async function readPastRankings(
  { history, redis, shards }: Service,
  { tenant }: Rules,
  board: Leaderboard,
  run: Run,
  group: string,
  page: { offset: number; limit: number; userId: string | null },
): Promise<LeaderboardRanking[]> {
  const key = { leaderboard: board.no, start: run.start };
  const places = await history.read((rows) => readRunPage(rows, tenant, key, group, page));
  const userIds = places.map(({ userId }) => userId);
  const names = await readUserNames(redis, tenant, shards, userIds);
  return places.map(({ userId, rank, value }, i) => ({ userId, userName: names[i] ?? null, rank, value }));
}
