import { unknownKey } from '../../base/closest.ts';
import { type GetLeaderboard, ListLeaderboards } from '../../contract/leaderboard.ts';
import type { QueryOf } from '../../contract/operation.ts';
import { findUserGroup, type RankedUser, readRanking } from '../../engine/ranks/readRanking.ts';
import { isFilling } from '../../engine/ranks/refills.ts';
import { groupName } from '../../redis/decoding/outcome.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { leagueView, splitGroup } from '../../redis/state/leagueGroups.ts';
import { dayOfDate, localTime, type Run, runHolding, statusOn } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { hasGroups } from '../../rules/leagueTiers.ts';
import { zoneOfRuns } from '../../rules/runZones.ts';
import { boardView } from '../../views/entityViews.ts';
import { endpoint, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { parseUserAttributes } from '../request/parameters.ts';
import { invalid, notFound } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

const RUNS_KNOWN_MAX = 400;

/** The date of the tenant, by which leaderboards have their status. */
export function defaultDay(rules: Rules, now: number): number {
  return localTime(rules.config.settings.defaultTimeZone, now).day;
}

/** The date by which a user has runs. */
export function dayOfReader(rules: Rules, board: Leaderboard, user: UserState | null, now: number): number {
  const { defaultTimeZone } = rules.config.settings;
  return localTime(zoneOfRuns(board, defaultTimeZone) ?? user?.tz ?? defaultTimeZone, now).day;
}

/** Inactive leaderboards are invisible to users. */
export function findBoard(rules: Rules, key: string): Leaderboard {
  const board = rules.leaderboardByKey.get(key);
  if (board === undefined || board.status === 'inactive') {
    const visible = rules.config.leaderboards.filter(({ status }) => status !== 'inactive');
    throw unknownKey(
      'Leaderboard',
      key,
      visible.map((other) => other.key),
    );
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

/**
 * The run that `?run=` names by its first day, else the one that holds `day`, else the first (not begun) or
 * last (over).
 */
export function findRun(board: Leaderboard, requestedRun: string | undefined, day: number): Run {
  if (requestedRun !== undefined) {
    const requested = dayOfDate(requestedRun);
    const run = runOn(board, requested);
    if (run?.start !== requested) throw notFound(`run must be the first day of a run of ${board.key}`);
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

export const listLeaderboards = endpoint(
  ListLeaderboards,
  ({ service, rules, query: { includeFinished } }) => {
    const now = service.clock.now();
    const day = defaultDay(rules, now);
    const views = [];
    for (const board of rules.config.leaderboards) {
      if (board.status === 'inactive' || (statusOn(board, day) === 'finished' && !includeFinished)) continue;
      views.push(
        boardView(rules, board, findRun(board, undefined, dayOfReader(rules, board, null, now)), day),
      );
    }
    return ok(views);
  },
);

/** A read of a leaderboard: by its key in the path, with its query, for a caller. */
export type RankingRead = Pick<OperationRequest<typeof GetLeaderboard>, 'rules' | 'path' | 'query' | 'key'>;

/**
 * Whether an application key gets the group of its user, because the call names neither a group nor a user.
 */
export function isOfOwnGroup({ rules, path, query, key }: RankingRead): boolean {
  if (key.userId === null || query.userId !== undefined || query.userAttributes !== undefined) return false;
  const board = rules.leaderboardByKey.get(path.key);
  return board !== undefined && hasGroups(board);
}

/** Whether an answer is about the group of a user. */
export const namesUser = (read: RankingRead): boolean =>
  read.query.userId !== undefined || isOfOwnGroup(read);

/** The group that `?userAttributes=` selects, else that of `owner`; null if a league has none to show. */
async function findGroup(
  service: Service,
  rules: Rules,
  run: ShownRun,
  attributes: Map<string, string> | null,
  owner: RankedUser | null,
): Promise<string | null> {
  const { board } = run;
  if (board.league !== null) {
    if (attributes === null) return owner && findUserGroup(service.history, rules, run, owner);
    throw invalid(`userAttributes: ${board.key} is a league, whose groups userId names`);
  }
  if (board.breakdownAttributes.length === 0) {
    if (attributes !== null) {
      throw invalid(`userAttributes: leaderboard ${board.key} has no breakdown attributes`);
    }
    return '';
  }
  const breakdown = board.breakdownAttributes.map((id) => rules.byId('attributes', id).key);
  if (attributes === null) {
    const group = owner && (await findUserGroup(service.history, rules, run, owner));
    if (group !== null) return group;
  }
  const unknown = [...(attributes?.keys() ?? [])].filter((key) => !breakdown.includes(key));
  const missing = breakdown.filter((key) => attributes?.get(key) === undefined);
  if (unknown.length > 0 || missing.length > 0) {
    const wanted = breakdown.map((key) => `${key}:VALUE`).join(',');
    throw invalid(
      `userAttributes must name a value for ${breakdown.join(', ')} and nothing else: userAttributes=${wanted}`,
    );
  }
  return groupName(breakdown.map((key) => attributes!.get(key)!));
}

/** The entries to show: `offset` counts from the top, or from the rank of the user that `userId` names. */
export function pageOf({ offset, limit, userId, neighbours }: QueryOf<typeof GetLeaderboard>): {
  offset: number;
  limit: number;
} {
  if (neighbours === undefined) return { offset, limit };
  if (userId === undefined) throw invalid('neighbours requires userId');
  return { offset: -neighbours, limit: 2 * neighbours + 1 };
}

/** A run of a leaderboard, as a caller sees it. */
export interface ShownRun extends Run {
  board: Leaderboard;
  isOver: boolean;
}

/** The ranking that a read selects, and the user whom its query names. */
export interface LocatedRanking {
  run: ShownRun;
  /** Null if there is none to show (whyNone). */
  group: string | null;
  user: RankedUser | null;
  now: number;
}

/** @throws ServiceError `notFound`, `invalid` */
export async function locateRanking(service: Service, read: RankingRead): Promise<LocatedRanking> {
  const { rules, path, query, key } = read;
  const attributes = parseUserAttributes(query.userAttributes);
  const board = findBoard(rules, path.key);
  const ownerId = query.userId ?? (isOfOwnGroup(read) ? key.userId : null);
  const found = ownerId === null ? null : await service.users.read(rules, ownerId);
  const now = found?.now ?? service.clock.now();
  const today = dayOfReader(rules, board, found?.user ?? null, now);
  const run = findRun(board, query.run, today);
  const shown = { ...run, board, isOver: isOver(run, today) };
  const owner = found && { userId: ownerId!, user: found.user };
  const group = await findGroup(service, rules, shown, attributes, owner);
  return { run: shown, group, user: query.userId === undefined ? null : owner, now };
}

/** What a league adds to a page of rankings: the tier and the group, or why there is none. */
export function groupView({ run: { board }, group }: LocatedRanking, isOfUser: boolean) {
  if (board.league === null) return {};
  if (group !== null) return leagueView(board, splitGroup(board, group));
  return {
    reason: isOfUser
      ? 'The user has no group in this run. The first score assigns one.'
      : 'A league has a ranking for each group: userId names a member of the group.',
  };
}

/** GET /leaderboards/{key}?offset=&limit=&run=&userId=&userAttributes=&neighbours= */
export async function getRankings(
  call: OperationRequest<typeof GetLeaderboard>,
): Promise<OperationResponse<typeof GetLeaderboard>> {
  const { service, rules, query } = call;
  const page = pageOf(query);
  const located = await locateRanking(service, call);
  const { run, group, user, now } = located;
  const [rankings, filling] =
    group === null
      ? [[], false]
      : await Promise.all([
          readRanking(service, rules.tenant, { ...run, group }, page, user),
          isFilling(service, rules.tenant, { ...run, group }),
        ]);
  const view = boardView(rules, run.board, run, defaultDay(rules, now));
  return ok({ ...view, ...groupView(located, namesUser(call)), ...(filling && { filling }), rankings });
}
