import type { GetUserLeaderboard, LeaderboardEvent } from '../../contract/leaderboard.ts';
import { type LeaderboardDayRow, readLeaderboardDays } from '../../db/leaderboards/readRuns.ts';
import { readLeaguePlace } from '../../engine/leaderboards/readLeaguePlace.ts';
import { findUserGroup, type RankedUser, readRanking } from '../../engine/leaderboards/readRanking.ts';
import { rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import { boardView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { dayOfReader, defaultDay, findBoard, findRun, isOver, type ShownRun } from './leaderboardHandlers.ts';

/** GET /users/{id}/leaderboards/{key}?run=&numEvents= */
export async function getUserLeaderboard(
  call: OperationRequest<typeof GetUserLeaderboard>,
): Promise<OperationResponse<typeof GetUserLeaderboard>> {
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
  const { tenant } = rules;
  const runKey = { leaderboard: board.no, start: run.start };
  const days =
    count === 0
      ? []
      : await service.history.read(rules.tenant, (rows) =>
          readLeaderboardDays(rows, { tenant, userId }, runKey, count),
        );
  return ok({
    ...boardView(rules, board, run, defaultDay(rules, now)),
    ...standing,
    ...league,
    history: days.map(eventView),
  });
}

interface UserRank {
  rank: number | null;
  value: number | null;
}

/** A user pushed out of a full leaderboard keeps the score, without a rank, until the end of the run. */
async function readUserRank(
  service: Service,
  rules: Rules,
  run: ShownRun,
  group: string | null,
  ranked: RankedUser,
): Promise<UserRank> {
  const page = { offset: 0, limit: 1 };
  const [entry] =
    group === null ? [] : await readRanking(service, rules.tenant, { ...run, group }, page, ranked);
  if (entry !== undefined) return { rank: entry.rank, value: entry.value };
  const state = run.isOver
    ? null
    : rankingEntryOf(rules, service.cells, run.board, run.start, ranked.userId, ranked.user);
  return { rank: null, value: state && shownValue(run.board, state.score) };
}

/** `LeaderboardEvent`: a day, from where the user began it to where it came to. */
function eventView({
  day,
  changedAt,
  rank,
  value,
  previousRank,
  previousValue,
}: LeaderboardDayRow): LeaderboardEvent {
  return {
    date: dateOfDay(day),
    timestamp: changedAt.toISOString(),
    previousRank,
    rank,
    previousValue,
    value,
  };
}
