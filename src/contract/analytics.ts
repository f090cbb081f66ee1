import Type from 'typebox';
import { operation } from './operation.ts';
import { CalendarDate, Double, nullable } from './schemas.ts';

/** Analytics of days, weeks and months in the tenant's time zone (docs/analytics.md says what each means). */

export const date = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

export const formatQuery = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      description: '`csv` is the same as `Accept: text/csv`. CSV contains the list of the response.',
    }),
  ),
};

export const rangeQuery = {
  from: date('First day; 29 days before `to` by default.'),
  to: date('Last day; today by default.'),
  interval: Type.Enum(['day', 'week', 'month'], {
    default: 'day',
    description:
      'Weeks and months are whole: the range is extended to the begin of the first and the end of the last one.',
  }),
};

/** The range and interval that the response covers. */
export const rangeFields = {
  timeZone: Type.String(),
  interval: Type.Enum(['day', 'week', 'month']),
  from: CalendarDate,
  to: CalendarDate,
};
export const periodFields = { start: CalendarDate, end: CalendarDate };
export const Count = Type.Integer();
export const Rate = Type.Number({ description: '0 to 1.' });

export const analytics = { tag: 'Analytics', access: 'admin' } as const;

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
            returningUsers: Type.Integer({
              description: 'Active users whose first event was in an earlier period.',
            }),
            dailyActiveUsers: Type.Number({ description: 'Mean of the days of the period that have begun.' }),
            weeklyActiveUsers: Type.Integer({
              description: 'Users with an event in the 7 days up to the last of these days.',
            }),
            monthlyActiveUsers: Type.Integer({
              description: 'Users with an event in the 30 days up to the last of these days.',
            }),
            stickiness: nullable(
              Type.Number({
                description: '`dailyActiveUsers` / `monthlyActiveUsers`; null without active users.',
              }),
            ),
          }),
        ),
      },
      { $id: 'ActivityAnalytics' },
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

export const GetNotificationAnalytics = operation({
  ...analytics,
  summary: 'Get how many notifications were sent, suppressed or failed',
  description: 'By the day on which a notification became due, and by its status now.',
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
