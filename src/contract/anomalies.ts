import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { date, formatQuery } from './analytics.ts';
import { operation } from './operation.ts';
import { CalendarDate, double, named, text } from './schemas.ts';

export const ListAnomalies = operation({
  name: 'listAnomalies',
  route: 'GET /analytics/anomalies',
  tag: 'Analytics',
  summary: 'List days of users far outside the distribution of their metric',
  description:
    'The sum of a listed day is above that of 99.9 % of the active users, and above five times the median of the days of the ' +
    'user in the 30 days before. Days are those of the user; a day is examined once it has ended in every time zone. ' +
    'A listed day has no effect on the user.',
  csv: 'anomalies',
  query: Type.Object({
    from: date('First day; 29 days before `to` by default.'),
    to: date('Last day; today by default.'),
    metric: Type.Optional(text('Key of a metric. Default: all metrics.')),
    ...pageQuery.properties,
    ...formatQuery,
  }),
  responses: {
    200: named('Anomalies', {
      anomalies: Type.Array(
        Type.Object({
          date: CalendarDate,
          metric: text('Key of the metric.'),
          userId: Type.String(),
          value: double('Sum of the day.'),
          bound: double('The sum that one in a thousand of the active users exceeded.'),
          median: double('Median sum of a day of the user in the 30 days before.'),
        }),
        { description: 'The latest day first.' },
      ),
    }),
  },
});
