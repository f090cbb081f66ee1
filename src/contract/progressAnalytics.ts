import Type from 'typebox';
import { LEADERBOARD_MOVES_DAYS } from '../base/consoleLimits.ts';
import { Count, formatQuery, periodFields, Rate, rangeFields, rangeQuery } from './analytics.ts';
import { operation } from './operation.ts';
import { PointsLevelResponse, PointsTriggerResponse } from './points.ts';
import {
  double,
  integer,
  keyPath,
  Named,
  named,
  nullable,
  number,
  text,
  userAttributesQuery,
} from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** Analytics of achievements, streaks, points and leaderboards. */

export const ListAchievementAnalytics = operation({
  name: 'listAchievementAnalytics',
  route: 'GET /analytics/achievements',
  tag: 'Analytics',
  summary: 'Get how often achievements are completed',
  csv: 'achievements',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('AchievementsAnalytics', {
      ...rangeFields,
      totalUsers: Count,
      achievements: Type.Array(
        Type.Object({
          id: Type.String(),
          key: Type.String(),
          name: Type.String(),
          badgeUrl: nullable(Type.String()),
          completions: integer('Completions in the range.'),
          totalCompletions: integer('Users who have completed it.'),
          rate: nullable(number('`totalCompletions` / `totalUsers`.')),
          meanDaysToComplete: nullable(
            number('Time from the creation of the user to the completion, for completions in the range.'),
          ),
        }),
      ),
      periods: Type.Array(Type.Object({ achievement: Type.String(), ...periodFields, completions: Count }), {
        description: 'Without periods in which nothing happened.',
      }),
    }),
  },
});

export const GetAchievementAnalytics = operation({
  name: 'getAchievementAnalytics',
  route: 'GET /analytics/achievements/{key}',
  tag: 'Analytics',
  summary: 'Get how long an achievement takes, and how active users are before and after it',
  csv: 'timeToComplete',
  path: Type.Object(keyPath('achievement')),
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('AchievementAnalytics', {
      ...rangeFields,
      completions: Count,
      meanDaysToComplete: nullable(Type.Number()),
      timeToComplete: Type.Array(
        Type.Object({
          fromDays: Count,
          toDays: nullable(integer('Exclusive; null: no upper bound.')),
          users: Count,
        }),
      ),
      activity: Type.Object(
        {
          users: integer(
            'Number of the latest users, at most 1,000, for whom the 14 days after the completion have passed.',
          ),
          daysBefore: nullable(number('Mean number of active days in the 14 days before.')),
          daysAfter: nullable(number('Mean number of active days in the 14 days after.')),
        },
        { description: 'The day of the completion is not counted.' },
      ),
    }),
  },
});

export const GetStreakAnalytics = operation({
  name: 'getStreakAnalytics',
  route: 'GET /analytics/streaks',
  tag: 'Analytics',
  summary: 'Get how long streaks are and how many survive',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('StreakAnalytics', {
      ...rangeFields,
      frequency: StreakFrequency,
      periods: Type.Array(
        Type.Object({
          ...periodFields,
          started: Count,
          extended: Count,
          lost: Count,
          freezesUsed: Count,
          freezesEarned: Count,
          pausesUsed: Count,
        }),
      ),
      lengths: Type.Array(Type.Object({ length: Count, users: Count }), {
        description: 'Current streaks by length.',
      }),
      survival: Type.Array(
        Type.Object({
          length: Count,
          atRisk: integer('Streaks that have reached the length.'),
          lost: integer('Streaks that were lost with this length.'),
          rate: number('Estimated share of streaks that become longer than this (Kaplan and Meier, 1958).'),
        }),
        { description: 'Survival of streaks that were lost in the range and of current streaks.' },
      ),
    }),
  },
});

const PointsFlow = Type.Array(
  Type.Object({
    trigger: nullable(PointsTriggerResponse),
    type: text('Type of the trigger, `adjustment`, `import`, `leaderboard`, `challenge`, or `deleted`.'),
    leaderboard: Type.Optional(Named),
    challenge: Type.Optional(Named),
    awards: Count,
    points: Count,
  }),
);

export const GetPointsAnalytics = operation({
  name: 'getPointsAnalytics',
  route: 'GET /analytics/points/{key}',
  tag: 'Analytics',
  summary: 'Get where points come from and where they go',
  csv: 'periods',
  path: Type.Object(keyPath('points system')),
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('PointsAnalytics', {
      ...rangeFields,
      periods: Type.Array(Type.Object({ ...periodFields, gained: Count, spent: Count, awards: Count })),
      sources: PointsFlow,
      sinks: PointsFlow,
      outstanding: integer('Points that all users have now.'),
      levels: Type.Array(
        Type.Object({
          level: PointsLevelResponse,
          users: Count,
          points: integer('Points that these users have.'),
        }),
        { description: 'Present number of users by level.' },
      ),
    }),
  },
});

const LeaderboardHealth = Type.Object(
  {
    moved: integer(
      `Of the ranked users, those whose own changes of the last ${LEADERBOARD_MOVES_DAYS} days led from one rank to another.`,
    ),
    movedRate: nullable(Rate),
    entered: integer(
      `Of the ranked users, those who came into the run in the last ${LEADERBOARD_MOVES_DAYS} days.`,
    ),
    topGap: nullable(double('Difference between the values of the best and the second best rank.')),
    medianGap: nullable(
      double('Median of the difference between the value of a user and that of the next better rank.'),
    ),
  },
  { description: 'How much moves in the present ranking, and what users need to pass the next one.' },
);

export const GetLeaderboardAnalytics = operation({
  name: 'getLeaderboardAnalytics',
  route: 'GET /analytics/leaderboards/{key}',
  tag: 'Analytics',
  summary: 'Get who takes part in a leaderboard and how ranks change',
  csv: 'periods',
  path: Type.Object(keyPath('leaderboard')),
  query: Type.Object({ ...rangeQuery, ...userAttributesQuery, ...formatQuery }),
  responses: {
    200: named('LeaderboardAnalytics', {
      ...rangeFields,
      periods: Type.Array(
        Type.Object({
          ...periodFields,
          participants: number('Users whose rank or score changed on a day; mean of the days.'),
          entered: Count,
          left: Count,
          up: integer('Changes of the rank to a better one.'),
          down: Count,
        }),
      ),
      ranked: nullable(
        integer(
          'Users in the present ranking. With breakdown attributes, in the group that `userAttributes` selects; null if it is absent.',
        ),
      ),
      health: nullable(LeaderboardHealth),
      scores: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), users: Count }), {
        description:
          'Their scores in up to ten equal ranges, `to` included. Whole scores have ranges of whole scores.',
      }),
    }),
  },
});
