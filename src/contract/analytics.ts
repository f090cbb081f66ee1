import Type from 'typebox';
import { ANALYTICS_WEEKS_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import { PointsLevel, PointsTrigger } from './points.ts';
import { CalendarDate, Double, keyPath, nullable, userAttributesQuery } from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** Figures of days, weeks and months in the tenant's time zone (docs/analytics.md says what each means). */

const date = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const formatQuery = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: 'The same as `Accept: text/csv`. CSV holds the list of the answer.' }),
  ),
};

const rangeQuery = {
  from: date('First day; 29 days before `to` by default.'),
  to: date('Last day; today by default.'),
  interval: Type.Enum(['day', 'week', 'month'], {
    default: 'day',
    description:
      'Weeks and months are whole: the range is widened to the beginning of the first and the end of the last one.',
  }),
};

/** What was asked for, as it was understood. */
const rangeFields = {
  timeZone: Type.String(),
  interval: Type.Enum(['day', 'week', 'month']),
  from: CalendarDate,
  to: CalendarDate,
};
const periodFields = { start: CalendarDate, end: CalendarDate };
const Count = Type.Integer();
const Mean = Type.Number();
const Rate = Type.Number({ description: '0 to 1.' });

const analytics = { tag: 'Analytics', access: 'admin' } as const;

export const GetActivity = operation({
  ...analytics,
  summary: 'Get how many users are active',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        periods: Type.Array(
          Type.Object({
            ...periodFields,
            activeUsers: Type.Integer({ description: 'Users with an event in the period.' }),
            newUsers: Type.Integer({ description: 'Users who were created in the period.' }),
            returningUsers: Type.Integer({ description: 'Active users whose first event was in an earlier period.' }),
            dailyActiveUsers: Type.Number({ description: 'Mean of the days of the period that have begun.' }),
            weeklyActiveUsers: Type.Integer({
              description: 'Users with an event in the 7 days up to the last of these days.',
            }),
            monthlyActiveUsers: Type.Integer({
              description: 'Users with an event in the 30 days up to the last of these days.',
            }),
            stickiness: nullable(
              Type.Number({ description: '`dailyActiveUsers` / `monthlyActiveUsers`; null without active users.' }),
            ),
          }),
        ),
      },
      { $id: 'ActivityAnalytics' },
    ),
  },
});

const cohortQuery = {
  from: date('A day of the first cohort; 11 weeks before `to` by default.'),
  to: date('A day of the last cohort; today by default.'),
  weeks: Type.Integer({
    minimum: 1,
    maximum: ANALYTICS_WEEKS_MAX,
    default: 8,
    description: 'How many weeks after the first one.',
  }),
};

const Retained = Type.Array(
  Type.Object({
    week: Count,
    users: Type.Integer({ description: 'Of the cohort.' }),
    retained: Count,
    rate: nullable(Rate),
  }),
  { description: 'Week 0 is the week in which the users were created. Only weeks that are over.' },
);

export const GetRetention = operation({
  ...analytics,
  summary: 'Get how many users come back, by week',
  description:
    'Users who were created in the same week are a cohort. A user is retained in a week with an event. Follows events within half a ' +
    'minute.',
  csv: 'groups',
  query: Type.Object({
    ...cohortQuery,
    splitBy: Type.Enum(['none', 'control', 'attribute', 'streak'], {
      default: 'none',
      description: '`streak`: the longest streak that the users have reached.',
    }),
    attribute: Type.Optional(
      Type.String({ minLength: 1, description: 'Key of a user attribute, with `splitBy=attribute`.' }),
    ),
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        timeZone: Type.String(),
        splitBy: Type.Enum(['none', 'control', 'attribute', 'streak']),
        groups: Type.Array(
          Type.Object({
            group: Type.String({
              description: '`all`, `control` or `treated`, the value, or the least length of the streak.',
            }),
            users: Count,
            weeks: Retained,
          }),
          { description: 'All cohorts together, the largest group first; at most 50.' },
        ),
        cohorts: Type.Array(Type.Object({ start: CalendarDate, group: Type.String(), users: Count, weeks: Retained })),
      },
      { $id: 'RetentionAnalytics' },
    ),
  },
});

export const GetExperiment = operation({
  ...analytics,
  summary: 'Get what the features change: treated users against the control group',
  description:
    'Of users created in the same weeks, how many come back in each week. The interval is that of Newcombe (1998), method 10.',
  csv: 'weeks',
  query: Type.Object({
    ...cohortQuery,
    confidence: Type.Integer({ minimum: 50, maximum: 99, default: 95, description: 'Of the interval, in percent.' }),
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        timeZone: Type.String(),
        controlRatio: Type.Number({ description: 'Of new users, now.' }),
        method: Type.String(),
        confidence: Type.Integer({ description: 'Percent.' }),
        weeks: Type.Array(
          Type.Object({
            week: Count,
            treatedUsers: Count,
            treatedRetained: Count,
            treatedRate: nullable(Rate),
            controlUsers: Count,
            controlRetained: Count,
            controlRate: nullable(Rate),
            difference: nullable(Type.Number({ description: '`treatedRate` − `controlRate`.' })),
            differenceLow: nullable(Type.Number()),
            differenceHigh: nullable(Type.Number()),
            lift: nullable(Type.Number({ description: '`difference` / `controlRate`.' })),
            isSignificant: Type.Boolean({ description: 'Whether the interval of the difference leaves out 0.' }),
          }),
        ),
      },
      { $id: 'ExperimentAnalytics' },
    ),
  },
});

export const GetMetricAnalytics = operation({
  ...analytics,
  summary: 'Get users, events and sums of metrics',
  csv: 'periods',
  query: Type.Object({
    ...rangeQuery,
    metric: Type.Optional(Type.String({ minLength: 1, description: 'Key of a metric; all by default.' })),
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        periods: Type.Array(
          Type.Object({
            metric: Type.String({ description: 'Key.' }),
            metricName: Type.String(),
            ...periodFields,
            users: Type.Integer({ description: 'Users with an event of the metric.' }),
            events: Count,
            sum: Double,
          }),
          { description: 'Without periods in which nothing happened.' },
        ),
      },
      { $id: 'MetricAnalytics' },
    ),
  },
  mayMiss: true,
});

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
            completions: Type.Integer({ description: 'In the range.' }),
            totalCompletions: Count,
            rate: nullable(Type.Number({ description: '`totalCompletions` / `totalUsers`.' })),
            meanDaysToComplete: nullable(
              Type.Number({ description: 'From the creation of the user, of the completions in the range.' }),
            ),
          }),
        ),
        periods: Type.Array(Type.Object({ achievement: Type.String(), ...periodFields, completions: Count }), {
          description: 'Without periods in which nothing happened.',
        }),
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
        meanDaysToComplete: nullable(Mean),
        timeToComplete: Type.Array(
          Type.Object({
            fromDays: Count,
            toDays: nullable(Type.Integer({ description: 'Exclusive; null: any number more.' })),
            users: Count,
          }),
        ),
        activity: Type.Object(
          {
            users: Type.Integer({ description: 'The latest users, at most 1,000, whose 14 days after are over.' }),
            daysBefore: nullable(Type.Number({ description: 'Mean number of active days in the 14 days before.' })),
            daysAfter: nullable(Type.Number({ description: 'The same in the 14 days after.' })),
          },
          { description: 'The day of the completion counts for neither.' },
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
              description: 'Estimated share of streaks that become longer than this (Kaplan and Meier, 1958).',
            }),
          }),
          { description: 'Of streaks that were lost in the range and of those that go on.' },
        ),
      },
      { $id: 'StreakAnalytics' },
    ),
  },
});

const PointsFlow = Type.Array(
  Type.Object({
    trigger: nullable(PointsTrigger),
    type: Type.String({ description: 'Of the trigger, `adjustment`, or `deleted`.' }),
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
        levels: Type.Array(Type.Object({ level: PointsLevel, users: Count }), { description: 'Users by level, now.' }),
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
            participants: Type.Number({ description: 'Users whose rank or score changed on a day; mean of the days.' }),
            entered: Count,
            left: Count,
            up: Type.Integer({ description: 'Changes of the rank to a better one.' }),
            down: Count,
          }),
        ),
        ranked: nullable(
          Type.Integer({
            description:
              'Users in the present ranking. With breakdown attributes, of the group that `userAttributes` names; null without it.',
          }),
        ),
        scores: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), users: Count }), {
          description: 'Their scores in ten equal ranges, `to` included.',
        }),
      },
      { $id: 'LeaderboardAnalytics' },
    ),
  },
  mayMiss: true,
});

export const GetNotificationAnalytics = operation({
  ...analytics,
  summary: 'Get how many notifications were sent, suppressed or failed',
  description: 'Follows deliveries within a few minutes.',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: Type.Object(
      {
        ...rangeFields,
        periods: Type.Array(
          Type.Object({
            ...periodFields,
            type: Type.String(),
            channel: Type.String(),
            pending: Count,
            sent: Count,
            suppressed: Count,
            failed: Count,
          }),
          { description: 'Without periods in which there were none.' },
        ),
      },
      { $id: 'NotificationAnalytics' },
    ),
  },
});
