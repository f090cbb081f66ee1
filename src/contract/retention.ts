import Type from 'typebox';
import { ANALYTICS_WEEKS_MAX } from '../base/limits.ts';
import { Count, date, formatQuery, Rate } from './analytics.ts';
import { operation } from './operation.ts';
import { CalendarDate, integer, named, nullable, text } from './schemas.ts';

/** Retention of users by week. */

/** Users of which cohorts, and how long they are followed. */
export const cohortQuery = {
  from: date('A day of the first cohort; 11 weeks before `to` by default.'),
  to: date('A day of the last cohort; today by default.'),
  weeks: Type.Integer({
    minimum: 1,
    maximum: ANALYTICS_WEEKS_MAX,
    default: 8,
    description: 'How many weeks after the first one.',
  }),
};

const SplitBy = ['none', 'control', 'attribute', 'streak', 'achievement', 'firstMetric'] as const;

const Retained = Type.Array(
  Type.Object({
    week: Count,
    users: integer('Users of the cohort.'),
    retained: Count,
    rate: nullable(Rate),
  }),
  { description: 'Week 0 is the week in which the users were created. Only weeks that are over.' },
);

export const GetRetention = operation({
  name: 'getRetention',
  route: 'GET /analytics/retention',
  tag: 'Analytics',
  summary: 'Get how many users come back, by week',
  description:
    'Users who were created in the same week are a cohort. A user is retained in a week with an event. Follows events within half a ' +
    'minute.',
  csv: 'groups',
  query: Type.Object({
    ...cohortQuery,
    splitBy: Type.Enum(SplitBy, {
      default: 'none',
      description:
        '`streak`: the longest streak that the users have reached. `achievement`: achievements completed in the 7 days after the user was ' +
        'created, each beside the users without it. `firstMetric`: the metrics of the first day with an event. A user with several is in ' +
        'several groups.',
    }),
    attribute: Type.Optional(
      Type.String({ minLength: 1, description: 'Key of a user attribute, with `splitBy=attribute`.' }),
    ),
    ...formatQuery,
  }),
  responses: {
    200: named('RetentionAnalytics', {
      timeZone: Type.String(),
      splitBy: Type.Enum(SplitBy),
      groups: Type.Array(
        Type.Object({
          group: text(
            '`all`, `control` or `treated`, the value, the least length of the streak, or the key of the achievement or metric.',
          ),
          users: Count,
          weeks: Retained,
          others: Type.Optional(
            Type.Object(
              { users: Count, weeks: Retained },
              {
                description:
                  'With `splitBy=achievement`: users of all these cohorts without the achievement.',
              },
            ),
          ),
        }),
        { description: 'All cohorts together, the largest group first; at most 20.' },
      ),
      cohorts: Type.Array(
        Type.Object({ start: CalendarDate, group: Type.String(), users: Count, weeks: Retained }),
      ),
    }),
  },
});
