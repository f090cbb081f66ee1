import { ServiceError } from '../../base/errors.ts';
import type { GetLeaderboard, ListLeaderboards } from '../../contract/leaderboard.ts';
import type { QueryOf } from '../../contract/operation.ts';
import { findUserGroup, type RankedUser, readRanking } from '../../engine/leaderboards/readRanking.ts';
import { groupName } from '../../redis/scripts/outcome.ts';
import { dayOfDate, localTime, type Run, runHolding, statusOn } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { boardView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { parseUserAttributes } from '../request/parameters.ts';
import type { Service } from '../request/service.ts';

const RUNS_KNOWN_MAX = 400;

/** The date of the tenant, by which leaderboards have their status. */
export function defaultDay(rules: Rules, now: number): number {
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
    run = runHolding(board, day);
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

/** Whether a run has ended for users whose local date is `day`. */
export function isOver(run: Run, day: number): boolean {
  return run.end !== null && run.end < day;
}

/** GET /leaderboards?includeFinished= */
export function listLeaderboards({
  service,
  rules,
  query: { includeFinished },
}: OperationRequest<typeof ListLeaderboards>): OperationResponse<typeof ListLeaderboards> {
  const day = defaultDay(rules, service.clock.now());
  const views = [];
  for (const board of rules.config.leaderboards) {
    if (board.status === 'inactive' || (statusOn(board, day) === 'finished' && !includeFinished)) continue;
    views.push(boardView(rules, board, findRun(board, undefined, day), day));
  }
  return ok(views);
}

/** The group that `?userAttributes=` selects, else that of the user that `?userId=` names. */
async function findGroup(
  service: Service,
  rules: Rules,
  run: ShownRun,
  attributes: Map<string, string> | null,
  user: RankedUser | null,
): Promise<string> {
  const { board } = run;
  if (board.breakdownAttributes.length === 0) {
    if (attributes !== null) {
      throw new ServiceError('invalid', `userAttributes: leaderboard ${board.key} has no breakdown attributes`);
    }
    return '';
  }
  const breakdown = board.breakdownAttributes.map((id) => rules.byId('attributes', id).key);
  if (attributes === null) {
    const group = user && (await findUserGroup(service.history, rules, run, user));
    if (group !== null) return group;
  }
  const unknown = [...(attributes?.keys() ?? [])].filter((key) => !breakdown.includes(key));
  const missing = breakdown.filter((key) => attributes?.get(key) === undefined);
  if (unknown.length > 0 || missing.length > 0) {
    throw new ServiceError('invalid', `userAttributes must name a value for ${breakdown.join(', ')} and nothing else`);
  }
  return groupName(breakdown.map((key) => attributes!.get(key)!));
}

/** The entries to show: `offset` counts from the top, or from the rank of the user that `userId` names. */
export function pageOf({ offset, limit, userId, neighbours }: QueryOf<typeof GetLeaderboard>): {
  offset: number;
  limit: number;
} {
  if (neighbours === undefined) return { offset, limit };
  if (userId === undefined) throw new ServiceError('invalid', 'neighbours needs userId');
  return { offset: -neighbours, limit: 2 * neighbours + 1 };
}

/** A run of a leaderboard, as a caller sees it. */
export interface ShownRun extends Run {
  board: Leaderboard;
  /** Whether it has ended. */
  isOver: boolean;
}

/** The ranking that a query selects, and the user whom it names. */
export interface LocatedRanking {
  run: ShownRun;
  group: string;
  user: RankedUser | null;
  now: number;
}

/** @throws ServiceError `notFound`, `invalid` */
export async function locateRanking(
  service: Service,
  rules: Rules,
  key: string,
  query: QueryOf<typeof GetLeaderboard>,
): Promise<LocatedRanking> {
  const { userId } = query;
  const attributes = parseUserAttributes(query.userAttributes);
  const board = findBoard(rules, key);
  const read = userId === undefined ? null : await service.users.read(rules, userId);
  const now = read?.now ?? service.clock.now();
  const today = localTime(read?.user.tz ?? rules.config.settings.defaultTimeZone, now).day;
  const run = findRun(board, query.run, today);
  const shown = { ...run, board, isOver: isOver(run, today) };
  const user = read && { userId: userId!, user: read.user };
  return { run: shown, group: await findGroup(service, rules, shown, attributes, user), user, now };
}

/** GET /leaderboards/{key}?offset=&limit=&run=&userId=&userAttributes=&neighbours= */
export async function getLeaderboard({
  service,
  rules,
  path,
  query,
}: OperationRequest<typeof GetLeaderboard>): Promise<OperationResponse<typeof GetLeaderboard>> {
  const page = pageOf(query);
  const { run, group, user, now } = await locateRanking(service, rules, path.key, query);
  const rankings = await readRanking(service, rules.tenant, { ...run, group }, page, user);
  return ok({ ...boardView(rules, run.board, run, defaultDay(rules, now)), rankings });
}
