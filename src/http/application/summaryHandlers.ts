import { type WrittenJson, writeObject } from '../../base/writtenJson.ts';
import { GetUserSummary, type UserSummary } from '../../contract/userSummary.ts';
import { statusOn } from '../../rules/calendar.ts';
import { userAchievements } from '../achievements/achievementHandlers.ts';
import { userChallenges } from '../challenges/challengeHandlers.ts';
import { defaultDay } from '../leaderboards/leaderboardHandlers.ts';
import { userLeaderboard } from '../leaderboards/rankedUsers.ts';
import { userMetrics } from '../metrics/userMetrics.ts';
import { userPoints } from '../points/pointsHandlers.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { userStreak } from '../streaks/streakHandlers.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

/** What the single reads of a user answer, from one read of the user. */
export const getUserSummary = endpoint(GetUserSummary, async (call) => {
  const { include, includeIncomplete, historyPeriods, awards, numEvents } = call.query;
  const wants = (part: (typeof include)[number]): boolean => include.includes(part);
  const withHistory = (wants('points') && awards > 0) || (wants('leaderboards') && numEvents > 0);
  const reading = await beginReading(call, withHistory);
  const [streak, points, achievements, leaderboards] = await Promise.all([
    wants('streak') && userStreak(reading, historyPeriods),
    wants('points') && pointsOfSystems(reading, awards),
    wants('achievements') && userAchievements(reading, includeIncomplete),
    wants('leaderboards') && placesOnBoards(reading, numEvents),
  ]);
  const metrics = wants('metrics') && userMetrics(reading);
  const challenges = wants('challenges') && userChallenges(reading);
  const parts = Object.entries({ streak, points, achievements, leaderboards, metrics, challenges });
  return ok(writeObject<UserSummary>(parts.filter(([, part]) => part)));
});

type Parts = Required<UserSummary>;

async function pointsOfSystems(reading: UserReading, awards: number): Promise<WrittenJson<Parts['points']>> {
  const { pointsSystems } = reading.rules.config;
  const entries = pointsSystems.map(
    async (system) => [system.key, await userPoints(reading, system, awards)] as const,
  );
  return writeObject(await Promise.all(entries));
}

/** On all leaderboards that a user sees, except finished ones. */
async function placesOnBoards(
  reading: UserReading,
  numEvents: number,
): Promise<WrittenJson<Parts['leaderboards']>> {
  const { rules, now } = reading;
  const day = defaultDay(rules, now);
  const shown = rules.config.leaderboards.filter(
    (board) => board.status !== 'inactive' && statusOn(board, day) !== 'finished',
  );
  const entries = shown.map(
    async (board) => [board.key, await userLeaderboard(reading, board, { numEvents })] as const,
  );
  return writeObject(await Promise.all(entries));
}
