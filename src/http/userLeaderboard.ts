import type { GetUserLeaderboard, LeaderboardEvent } from '../contract/leaderboard.ts';
import { type LeaderboardDayRow, readLeaderboardDays, readRunPlace } from '../db/readRuns.ts';
import { findPlace, readRank } from '../redis/rankings.ts';
import type { UserState } from '../redis/userState.ts';
import { dateOfDay, localTime, type Run } from '../rules/calendar.ts';
import type { Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { boardView, findBoard, findRun, isOver } from './leaderboards.ts';
import type { Service } from './service.ts';
import { readPathUser } from './users.ts';

/** GET /users/{id}/leaderboards/{key}?run=&numEvents= */
export async function getUserLeaderboard(
  call: Call<typeof GetUserLeaderboard>,
): Promise<Answer<typeof GetUserLeaderboard>> {
  const { service, path } = call;
  const { id: userId, key } = path;
  const { run: requestedRun, numEvents: count } = call.query;
  findBoard(call.rules, key);
  const { user, rules, now } = await readPathUser(call);
  const board = findBoard(rules, key);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const run = findRun(board, requestedRun, day);
  const place = await readPlace(service, rules, board, run, userId, user, day);
  const { tenant } = rules;
  const runKey = { leaderboard: board.no, start: run.start };
  const days =
    count === 0
      ? []
      : await service.history.read((rows) => readLeaderboardDays(rows, { tenant, userId }, runKey, count));
  return ok({ ...boardView(rules, board, run), ...place, history: days.map(eventView) });
}

interface Place {
  rank: number | null;
  value: number | null;
}

/** The user's place in a run: from Redis while it is there, else, once the run is over, from history. */
async function readPlace(
  { redis, history }: Service,
  rules: Rules,
  board: Leaderboard,
  run: Run,
  userId: string,
  user: UserState,
  day: number,
): Promise<Place> {
  const place = await findPlace(redis, rules, board, run.start, userId, user);
  const rank = place && (await readRank(redis, place.key, place.member));
  if (rank !== null || !isOver(run, day)) return { rank, value: place?.score ?? null };
  const { tenant } = rules;
  const key = { leaderboard: board.no, start: run.start };
  const past = await history.read((rows) => readRunPlace(rows, { tenant, userId }, key));
  return { rank: past?.rank ?? null, value: past?.value ?? null };
}

/** `LeaderboardEvent`: a day, from where the user began it to where it came to. */
function eventView({ day, changedAt, rank, value, previousRank, previousValue }: LeaderboardDayRow): LeaderboardEvent {
  return { date: dateOfDay(day), timestamp: changedAt.toISOString(), previousRank, rank, previousValue, value };
}
