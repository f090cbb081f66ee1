import Type from 'typebox';
import { LONG_STREAK_PERIODS_MIN, STREAK_LENGTH_MAX, STREAKS_AT_RISK_MAX } from '../base/consoleLimits.ts';
import { Count, date, formatQuery, periodFields } from './analytics.ts';
import { operation } from './operation.ts';
import { boolean, CalendarDate, calendarDate, integer, named, nullable } from './schemas.ts';

export const GetLifecycle = operation({
  name: 'getLifecycle',
  route: 'GET /analytics/lifecycle',
  tag: 'Analytics',
  summary: 'Get new, retained, returned and dormant users by week',
  csv: 'weeks',
  query: Type.Object({
    from: date('First day; 29 days before `to` by default.'),
    to: date('Last day; today by default.'),
    ...formatQuery,
  }),
  responses: {
    200: named('Lifecycle', {
      timeZone: Type.String(),
      from: CalendarDate,
      to: CalendarDate,
      weeks: Type.Array(
        Type.Object({
          ...periodFields,
          newUsers: integer('Users whose first event is in the week.'),
          retainedUsers: integer('Users with an event in the week and in the week before.'),
          returnedUsers: integer('Other users with an event in the week.'),
          dormantUsers: integer('Users with an event in the week before, and none in the week.'),
        }),
      ),
    }),
  },
});

export const GetStreaksAtRisk = operation({
  name: 'getStreaksAtRisk',
  route: 'GET /analytics/streaks-at-risk',
  tag: 'Analytics',
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
    200: named('StreaksAtRisk', {
      lastDay: calendarDate("Last day of the present period, in the tenant's time zone."),
      isComplete: boolean(
        `False if there are more than the ${STREAKS_AT_RISK_MAX.toLocaleString('en')} that are listed.`,
      ),
      streaks: Type.Array(
        Type.Object({ userId: Type.String(), name: nullable(Type.String()), length: Count }),
      ),
    }),
  },
});
