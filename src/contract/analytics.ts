import Type from 'typebox';
import { operation } from './operation.ts';
import { CalendarDate, Double, integer, named, nullable, number, text } from './schemas.ts';

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
export const Rate = number('0 to 1.');

export const DeleteAnalytics = operation({
  name: 'deleteAnalytics',
  route: 'DELETE /analytics',
  tag: 'Analytics',
  summary: 'Delete the counts of all days',
  description:
    'The counts of days keep what erased users did. Without any user, nothing else is in them, and they can be deleted: before an app goes ' +
    'live, after its test users are erased. Refused while there are users.',
  role: 'admin',
  responses: { 200: Type.Object({ deleted: Type.Literal(true) }) },
});

export const GetActivity = operation({
  name: 'getActivity',
  route: 'GET /analytics/activity',
  tag: 'Analytics',
  summary: 'Get how many users are active',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('ActivityAnalytics', {
      ...rangeFields,
      periods: Type.Array(
        Type.Object({
          ...periodFields,
          activeUsers: integer('Users with an event in the period.'),
          newUsers: integer('Users who were created in the period.'),
          returningUsers: integer('Active users whose first event was in an earlier period.'),
          dailyActiveUsers: number('Mean of the days of the period that have begun.'),
          weeklyActiveUsers: integer('Users with an event in the 7 days up to the last of these days.'),
          monthlyActiveUsers: integer('Users with an event in the 30 days up to the last of these days.'),
          stickiness: nullable(
            number('`dailyActiveUsers` / `monthlyActiveUsers`; null without active users.'),
          ),
        }),
      ),
    }),
  },
});

export const GetMetricAnalytics = operation({
  name: 'getMetricAnalytics',
  route: 'GET /analytics/metrics',
  tag: 'Analytics',
  summary: 'Get users, events and sums of metrics',
  csv: 'periods',
  query: Type.Object({
    ...rangeQuery,
    metric: Type.Optional(Type.String({ minLength: 1, description: 'Key of a metric; all by default.' })),
    ...formatQuery,
  }),
  responses: {
    200: named('MetricAnalytics', {
      ...rangeFields,
      periods: Type.Array(
        Type.Object({
          metric: text('Key.'),
          metricName: Type.String(),
          ...periodFields,
          users: integer('Users with an event of the metric.'),
          events: Count,
          sum: Double,
        }),
        { description: 'Without periods in which nothing happened.' },
      ),
    }),
  },
});

export const GetNotificationAnalytics = operation({
  name: 'getNotificationAnalytics',
  route: 'GET /analytics/notifications',
  tag: 'Analytics',
  summary: 'Get how many notifications were sent, suppressed or failed',
  description: 'By the day on which a notification became due, and by its status now.',
  csv: 'periods',
  query: Type.Object({ ...rangeQuery, ...formatQuery }),
  responses: {
    200: named('NotificationAnalytics', {
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
    }),
  },
});
