import Type from 'typebox';
import { KEPT_PERIODS_MAX, KEPT_ROWS_MAX } from '../base/limits.ts';
import { ListUserAchievements, UserAchievementWithStatsResponse } from './achievement.ts';
import { UserChallengeResponse } from './challenge.ts';
import { UserLeaderboardResponseWithHistory } from './leaderboard.ts';
import { MetricResponse } from './metric.ts';
import { operation } from './operation.ts';
import { GetUserPointsResponse } from './points.ts';
import { named, userPath } from './schemas.ts';
import { StreakResponse } from './streak.ts';

const SUMMARY_PARTS = ['streak', 'points', 'achievements', 'leaderboards', 'metrics', 'challenges'] as const;

const UserSummary = named('UserSummary', {
  streak: Type.Optional(StreakResponse),
  points: Type.Optional(
    Type.Record(Type.String(), GetUserPointsResponse, { description: 'By key of the points system.' }),
  ),
  achievements: Type.Optional(Type.Array(UserAchievementWithStatsResponse)),
  leaderboards: Type.Optional(
    Type.Record(Type.String(), UserLeaderboardResponseWithHistory, {
      description: 'By key of the leaderboard, without finished ones.',
    }),
  ),
  metrics: Type.Optional(Type.Array(MetricResponse)),
  challenges: Type.Optional(Type.Array(UserChallengeResponse, { description: 'In the present run.' })),
});
export type UserSummary = Type.Static<typeof UserSummary>;

export const GetUserSummary = operation({
  name: 'getUserSummary',
  route: 'GET /users/{id}/summary',
  tag: 'Users',
  summary: "Get a user's first screen",
  description: 'Several reads of the user in one, each as its own call answers it.',
  access: 'ownUser',
  path: Type.Object(userPath),
  query: Type.Object({
    include: Type.Array(Type.Enum([...SUMMARY_PARTS]), {
      minItems: 1,
      maxItems: SUMMARY_PARTS.length,
      default: [...SUMMARY_PARTS],
      description: 'The parts to answer. Default: all.',
    }),
    ...ListUserAchievements.query.properties,
    historyPeriods: Type.Integer({
      minimum: 0,
      maximum: KEPT_PERIODS_MAX,
      default: KEPT_PERIODS_MAX,
      description: 'Number of periods of the streak, including the current one.',
    }),
    awards: Type.Integer({
      minimum: 0,
      maximum: KEPT_ROWS_MAX,
      default: KEPT_ROWS_MAX,
      description: 'Number of latest awards of each points system.',
    }),
    numEvents: Type.Integer({
      minimum: 0,
      maximum: KEPT_ROWS_MAX,
      default: KEPT_ROWS_MAX,
      description: 'Number of latest changes on each leaderboard.',
    }),
  }),
  responses: { 200: UserSummary },
});
