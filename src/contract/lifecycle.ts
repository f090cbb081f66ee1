import Type from 'typebox';
import { LONG_STREAK_PERIODS_MIN, STREAK_LENGTH_MAX, STREAKS_AT_RISK_MAX } from '../base/consoleLimits.ts';
import { analytics, Count, date, formatQuery, periodFields } from './analytics.ts';
import { operation } from './operation.ts';
import { CalendarDate, nullable } from './schemas.ts';

export const GetLifecycle = operation({
  ...analytics,
  summary: 'Get new, retained, returned and dormant users by week',
  csv: 'weeks',
  query: Type.Object({
    from: date('First day; 29 days before `to` by default.'),
    to: date('Last day; today by default.'),
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        timeZone: Type.String(),
        from: CalendarDate,
        to: CalendarDate,
        weeks: Type.Array(
          Type.Object({
            ...periodFields,
            newUsers: Type.Integer({ description: 'Users whose first event is in the week.' }),
            retainedUsers: Type.Integer({
              description: 'Users with an event in the week and in the week before.',
            }),
            returnedUsers: Type.Integer({
              description: 'Other users with an event in the week.',
            }),
            dormantUsers: Type.Integer({
              description: 'Users with an event in the week before, and none in the week.',
            }),
          }),
        ),
      },
      { $id: 'Lifecycle' },
    ),
  },
});

export const GetStreaksAtRisk = operation({
  ...analytics,
  summary: 'List streaks that end with the present period unless their users are active',
  description: 'The longest first. A freeze or a pause may still save a streak.',
  csv: 'streaks',
  query: Type.Object({
    minLength: Type.Integer({
      minimum: 1,
      maximum: STREAK_LENGTH_MAX,
      default: LONG_STREAK_PERIODS_MIN,
      description: 'Shortest streak that is listed.',
    }),
    ...formatQuery,
  }),
  responses: {
    200: Type.Object(
      {
        lastDay: Type.String({
          format: 'date',
          description: "Last day of the present period, in the tenant's time zone.",
        }),
        isComplete: Type.Boolean({
          description: `False if there are more than the ${STREAKS_AT_RISK_MAX.toLocaleString('en')} that are listed.`,
        }),
        streaks: Type.Array(
          Type.Object({ userId: Type.String(), name: nullable(Type.String()), length: Count }),
        ),
      },
      { $id: 'StreaksAtRisk' },
    ),
  },
});
