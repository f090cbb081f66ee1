import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { analytics, date, formatQuery } from './analytics.ts';
import { operation } from './operation.ts';
import { CalendarDate } from './schemas.ts';

export const ListAnomalies = operation({
  ...analytics,
  summary: 'List days of users far outside the distribution of their metric',
  description:
    'The sum of a listed day is above that of 99.9 % of the active users, and above five times the median of the days of the ' +
    'user in the 30 days before. Days are those of the user; a day is examined once it has ended in every time zone. ' +
    'A listed day has no effect on the user.',
  csv: 'anomalies',
  query: Type.Object({
    from: date('First day; 29 days before `to` by default.'),
    to: date('Last day; today by default.'),
    metric: Type.Optional(Type.String({ description: 'Key of a metric. Default: all metrics.' })),
    ...pageQuery.properties,
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        anomalies: Type.Array(
          Type.Object({
            date: CalendarDate,
            metric: Type.String({ description: 'Key of the metric.' }),
            userId: Type.String(),
            value: Type.Number({ format: 'double', description: 'Sum of the day.' }),
            bound: Type.Number({
              format: 'double',
              description: 'The sum that one in a thousand of the active users exceeded.',
            }),
            median: Type.Number({
              format: 'double',
              description: 'Median sum of a day of the user in the 30 days before.',
            }),
          }),
          { description: 'The latest day first.' },
        ),
      },
      { $id: 'Anomalies' },
    ),
  },
  mayMiss: true,
});
