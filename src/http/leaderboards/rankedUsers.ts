import { KEPT_ROWS_MAX } from '../../base/limits.ts';
import { WrittenJson } from '../../base/writtenJson.ts';
import {
  GetLeaderboard,
  GetUserLeaderboard,
  QueryLeaderboard,
  type UserLeaderboardResponseWithHistory,
} from '../../contract/leaderboard.ts';
import type { QueryOf } from '../../contract/operation.ts';
import { type LeaderboardDayRow, readLeaderboardDays } from '../../db/leaderboards/readRuns.ts';
import { rankDaysPart } from '../../engine/keptHistory/keptParts.ts';
import { isShownOn, rankAmong } from '../../engine/ranks/rankAmong.ts';
import { readLeaguePlace } from '../../engine/ranks/readLeaguePlace.ts';
import { findUserGroup, type RankedUser, readEntry } from '../../engine/ranks/readRanking.ts';
import { placeIn } from '../../redis/state/rankingEntries.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import { boardView } from '../../views/entityViews.ts';
import { boardJson, inner } from '../../views/fragments.ts';
import { endpoint, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';
import { readUsers } from '../users/userHandlers.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';
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
  const { path, query } = call;
  findBoard(call.rules, path.key);
  const reading = await beginReading(call, query.numEvents > 0 && query.numEvents <= KEPT_ROWS_MAX);
  return ok(await userLeaderboard(reading, findBoard(reading.rules, path.key), query));
});

/** The place of a user in a run of a leaderboard, with the latest changes. */
export async function userLeaderboard(
  reading: UserReading,
  board: Leaderboard,
  { run: requestedRun, numEvents: count }: QueryOf<typeof GetUserLeaderboard>,
): Promise<WrittenJson<UserLeaderboardResponseWithHistory>> {
  const { service, userId, user, rules, now } = reading;
  const day = dayOfReader(rules, board, user, now);
  const holding = findRun(board, requestedRun, day);
  const run = { ...holding, board, isOver: isOver(holding, day) };
  const ranked = { userId, user };
  const group = await findUserGroup(service.history, rules, run, ranked);
  const { rank, value } = await readUserRank(service, rules, run, group, ranked);
  const league = board.league && (await readLeaguePlace(service, rules, { ...run, group }, ranked));
  const days = count === 0 ? [] : await readRankDays(reading, run, count);
  const place = `"rank":${rank},"value":${value}${league ? `,${inner(league)}` : ''}`;
  const history = days.map(rankDayJson).join(',');
  const shown = boardJson(rules, board, run, defaultDay(rules, now));
  return new WrittenJson(`${shown},${place},"history":[${history}]}`);
}

const rankDayJson = (changed: LeaderboardDayRow): string => {
  const { day, changedAt, rank, value, previousRank, previousValue } = changed;
  const dates = `"date":"${dateOfDay(day)}","timestamp":"${changedAt.toISOString()}"`;
  return `{${dates},"previousRank":${previousRank},"rank":${rank},"previousValue":${previousValue},"value":${value}}`;
};

/** The latest days with a change. Scripts do not know the ranks among the users of several cells. */
async function readRankDays(
  { service: { history, cells }, userId, user, rules, latest }: UserReading,
  { board, start }: ShownRun,
  count: number,
): Promise<LeaderboardDayRow[]> {
  const isKnown = cells.spread === 1 || board.league !== null;
  const isLatest = start >= (user.boards.get(board.no)?.run ?? start);
  if (count <= KEPT_ROWS_MAX && isKnown && isLatest) {
    const { run, days } = await (await latest()).part(rankDaysPart(board.no, start));
    if (run <= start) return run === start ? days.slice(0, count) : [];
  }
  const userKey = { tenant: rules.tenant, userId };
  const runKey = { leaderboard: board.no, start };
  return history.readUser(userKey, (rows) => readLeaderboardDays(rows, userKey, runKey, count));
}

/** A user pushed out of a full leaderboard keeps the score, without a rank, until the end of the run. */
async function readUserRank(
  service: Service,
  rules: Rules,
  run: ShownRun,
  group: string | null,
  ranked: RankedUser,
): Promise<{ rank: number | null; value: number | null }> {
  const entry = group === null ? null : await readEntry(service, rules.tenant, { ...run, group }, ranked);
  if (entry !== null) return { rank: entry.rank, value: entry.value };
  const { board, start, isOver } = run;
  const { userId, user } = ranked;
  const place = isOver ? null : placeIn(rules, service.cells, { board, run: start }, userId, user);
  return { rank: null, value: place && shownValue(board, place.score) };
}
