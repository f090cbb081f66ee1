import Type from 'typebox';
import { analytics, Count, formatQuery, periodFields, rangeFields, rangeQuery } from './analytics.ts';
import { operation } from './operation.ts';
import { PointsLevelResponse, PointsTriggerResponse } from './points.ts';
import { keyPath, Named, nullable, userAttributesQuery } from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** Analytics of achievements, streaks, points and leaderboards. */

export const ListAchievementAnalytics = operation({
  ...analytics,
  summary: 'Get how often achievements are completed',
  csv: 'achievements',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        totalUsers: Count,
        achievements: Type.Array(
          Type.Object({
            id: Type.String(),
            key: Type.String(),
            name: Type.String(),
            badgeUrl: nullable(Type.String()),
            completions: Type.Integer({ description: 'Completions in the range.' }),
            totalCompletions: Type.Integer({ description: 'Users who have completed it.' }),
            rate: nullable(Type.Number({ description: '`totalCompletions` / `totalUsers`.' })),
            meanDaysToComplete: nullable(
              Type.Number({
                description:
                  'Time from the creation of the user to the completion, for completions in the range.',
              }),
            ),
          }),
        ),
        periods: Type.Array(
          Type.Object({ achievement: Type.String(), ...periodFields, completions: Count }),
          {
            description: 'Without periods in which nothing happened.',
          },
        ),
      },
      { $id: 'AchievementsAnalytics' },
    ),
  },
});

export const GetAchievementAnalytics = operation({
  ...analytics,
  summary: 'Get how long an achievement takes, and how active users are before and after it',
  csv: 'timeToComplete',
  path: Type.Object(keyPath('achievement')),
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        completions: Count,
        meanDaysToComplete: nullable(Type.Number()),
        timeToComplete: Type.Array(
          Type.Object({
            fromDays: Count,
            toDays: nullable(Type.Integer({ description: 'Exclusive; null: no upper bound.' })),
            users: Count,
          }),
        ),
        activity: Type.Object(
          {
            users: Type.Integer({
              description:
                'Number of the latest users, at most 1,000, for whom the 14 days after the completion have passed.',
            }),
            daysBefore: nullable(
              Type.Number({ description: 'Mean number of active days in the 14 days before.' }),
            ),
            daysAfter: nullable(
              Type.Number({ description: 'Mean number of active days in the 14 days after.' }),
            ),
          },
          { description: 'The day of the completion is not counted.' },
        ),
      },
      { $id: 'AchievementAnalytics' },
    ),
  },
  mayMiss: true,
});

export const GetStreakAnalytics = operation({
  ...analytics,
  summary: 'Get how long streaks are and how many survive',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
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
            atRisk: Type.Integer({ description: 'Streaks that have reached the length.' }),
            lost: Type.Integer({ description: 'Streaks that were lost with this length.' }),
            rate: Type.Number({
              description:
                'Estimated share of streaks that become longer than this (Kaplan and Meier, 1958).',
            }),
          }),
          { description: 'Survival of streaks that were lost in the range and of current streaks.' },
        ),
      },
      { $id: 'StreakAnalytics' },
    ),
  },
});

const PointsFlow = Type.Array(
  Type.Object({
    trigger: nullable(PointsTriggerResponse),
    type: Type.String({
      description: 'Type of the trigger, `adjustment`, `import`, `leaderboard`, or `deleted`.',
    }),
    leaderboard: Type.Optional(Named),
    awards: Count,
    points: Count,
  }),
);

export const GetPointsAnalytics = operation({
  ...analytics,
  summary: 'Get where points come from and where they go',
  csv: 'periods',
  path: Type.Object(keyPath('points system')),
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        periods: Type.Array(Type.Object({ ...periodFields, gained: Count, spent: Count, awards: Count })),
        sources: PointsFlow,
        sinks: PointsFlow,
        levels: Type.Array(Type.Object({ level: PointsLevelResponse, users: Count }), {
          description: 'Present number of users by level.',
        }),
      },
      { $id: 'PointsAnalytics' },
    ),
  },
  mayMiss: true,
});

export const GetLeaderboardAnalytics = operation({
  ...analytics,
  summary: 'Get who takes part in a leaderboard and how ranks change',
  csv: 'periods',
  path: Type.Object(keyPath('leaderboard')),
  query: Type.Object({ ...rangeQuery, ...userAttributesQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        periods: Type.Array(
          Type.Object({
            ...periodFields,
            participants: Type.Number({
              description: 'Users whose rank or score changed on a day; mean of the days.',
            }),
            entered: Count,
            left: Count,
            up: Type.Integer({ description: 'Changes of the rank to a better one.' }),
            down: Count,
          }),
        ),
        ranked: nullable(
          Type.Integer({
            description:
              'Users in the present ranking. With breakdown attributes, in the group that `userAttributes` selects; null if it is absent.',
          }),
        ),
        scores: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), users: Count }), {
          description:
            'Their scores in up to ten equal ranges, `to` included. Whole scores have ranges of whole scores.',
        }),
      },
      { $id: 'LeaderboardAnalytics' },
    ),
  },
  mayMiss: true,
});
