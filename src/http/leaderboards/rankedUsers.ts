import { GetLeaderboard, GetUserLeaderboard, QueryLeaderboard } from '../../contract/leaderboard.ts';
import { readLeaderboardDays } from '../../db/leaderboards/readRuns.ts';
import { isShownOn, rankAmong } from '../../engine/ranks/rankAmong.ts';
import { readLeaguePlace } from '../../engine/ranks/readLeaguePlace.ts';
import { findUserGroup, type RankedUser, readRanking } from '../../engine/ranks/readRanking.ts';
import { rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import { boardView } from '../../views/entityViews.ts';
import { endpoint, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';
import { readPathUser, readUsers } from '../users/userHandlers.ts';
import {
  dayOfReader,
  defaultDay,
  findBoard,
  findRun,
  getRankings,
  isOfOwnGroup,
  isOver,
  type RankingRead,
  type ShownRun,
} from './leaderboardHandlers.ts';

/** Whether the answer to an application key depends on its user, although the call names no user. */
const dependsOnOwnUser = (read: RankingRead): boolean =>
  read.query.userIds !== undefined || isOfOwnGroup(read);

/** With `userIds`: these users among themselves. */
export const getLeaderboard = endpoint(
  GetLeaderboard,
  (call) => {
    const { userIds, run, userId, userAttributes, neighbours } = call.query;
    if (userIds === undefined) return getRankings(call);
    for (const [name, value] of Object.entries({ userId, userAttributes, neighbours }))
      if (value !== undefined) throw invalid(`${name} must be left out with userIds`);
    return rankUsers(call, userIds, run);
  },
  dependsOnOwnUser,
);

export const queryLeaderboard = endpoint(QueryLeaderboard, (call) => {
  return rankUsers(call, call.body.userIds, call.body.run);
});

/** Users who are not shown on the leaderboard are left out, except the user of the key. */
async function rankUsers(
  call: Pick<OperationRequest<typeof QueryLeaderboard>, 'service' | 'rules' | 'path' | 'key'>,
  userIds: readonly string[],
  requestedRun: string | undefined,
): Promise<OperationResponse<typeof QueryLeaderboard>> {
  const { service, rules, path, key } = call;
  const board = findBoard(rules, path.key);
  const ids = [...new Set(userIds)];
  const found = await readUsers(call, ids);
  const shown = found.flatMap((one, i) => {
    if (one === null) return [];
    const isOwn = ids[i] === key.userId;
    return isOwn || isShownOn(board, one.user) ? [{ userId: ids[i]!, user: one.user }] : [];
  });
  const day = defaultDay(rules, service.clock.now());
  const run = findRun(board, requestedRun, day);
  const rankings = await rankAmong(service, rules, { ...run, board, isOver: isOver(run, day) }, shown);
  return ok({ ...boardView(rules, board, run, day), rankings });
}

export const getUserLeaderboard = endpoint(GetUserLeaderboard, async (call) => {
  const { service, path } = call;
  const { id: userId, key } = path;
  const { run: requestedRun, numEvents: count } = call.query;
  findBoard(call.rules, key);
  const { user, rules, now } = await readPathUser(call);
  const board = findBoard(rules, key);
  const day = dayOfReader(rules, board, user, now);
  const run = findRun(board, requestedRun, day);
  const shown = { ...run, board, isOver: isOver(run, day) };
  const ranked = { userId, user };
  const group = await findUserGroup(service.history, rules, shown, ranked);
  const standing = await readUserRank(service, rules, shown, group, ranked);
  const league = board.league && (await readLeaguePlace(service, rules, { ...shown, group }, ranked));
  const userKey = { tenant: rules.tenant, userId };
  const runKey = { leaderboard: board.no, start: run.start };
  const days =
    count === 0
      ? []
      : await service.history.readUser(userKey, (rows) => readLeaderboardDays(rows, userKey, runKey, count));
  return ok({
    ...boardView(rules, board, run, defaultDay(rules, now)),
    ...standing,
    ...league,
    history: days.map(({ day, changedAt, rank, value, previousRank, previousValue }) => ({
      date: dateOfDay(day),
      timestamp: changedAt,
      previousRank,
      rank,
      previousValue,
      value,
    })),
  });
});

/** A user pushed out of a full leaderboard keeps the score, without a rank, until the end of the run. */
async function readUserRank(
  service: Service,
  rules: Rules,
  run: ShownRun,
  group: string | null,
  ranked: RankedUser,
): Promise<{ rank: number | null; value: number | null }> {
  const page = { offset: 0, limit: 1 };
  const [entry] =
    group === null ? [] : await readRanking(service, rules.tenant, { ...run, group }, page, ranked);
  if (entry !== undefined) return { rank: entry.rank, value: entry.value };
  const state = run.isOver
    ? null
    : rankingEntryOf(rules, service.cells, run.board, run.start, ranked.userId, ranked.user);
  return { rank: null, value: state && shownValue(run.board, state.score) };
}
