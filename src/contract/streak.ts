import Type from 'typebox';
import { STREAK_HISTORY_PERIODS_MAX, USERS_IN_QUERY_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import {
  boolean,
  CalendarDate,
  calendarDate,
  Instant,
  instant,
  integer,
  named,
  nullable,
  Uuid,
  userPath,
} from './schemas.ts';

export const StreakFrequency = Type.Enum(['daily', 'weekly', 'monthly'], { $id: 'StreakFrequency' });

/** The dates are null without a streak (length 0). */
const streakFields = {
  length: integer('Number of consecutive periods.'),
  frequency: StreakFrequency,
  started: nullable(CalendarDate),
  periodStart: nullable(CalendarDate),
  periodEnd: nullable(CalendarDate),
  expires: nullable(calendarDate('Last day on which the streak can be extended.')),
  freezes: Type.Optional(
    integer('Number of freezes that the user has. Each saves the streak for one period.'),
  ),
  maxFreezes: Type.Optional(Type.Integer()),
  freezeAutoEarnInterval: Type.Optional(integer('Days after which the user earns freezes.')),
  freezeAutoEarnAmount: Type.Optional(integer('Number of freezes earned each time.')),
};

export const BaseStreakResponse = named('BaseStreakResponse', streakFields);
export type BaseStreakResponse = Type.Static<typeof BaseStreakResponse>;

export const MetricEventStreakResponse = named('MetricEventStreakResponse', {
  ...streakFields,
  extended: boolean('Whether this event extended the streak.'),
});

export const StreakResponse = named('StreakResponse', {
  ...streakFields,
  extended: nullable(instant('When the streak was last extended.')),
  streakHistory: Type.Array(
    Type.Object({
      periodStart: CalendarDate,
      periodEnd: CalendarDate,
      length: integer('Length of the streak in this period, 0 without a streak.'),
      usedFreeze: Type.Optional(Type.Boolean()),
      usedPause: Type.Boolean(),
      resetAt: Type.Optional(instant('When an administrator reset the streak in this period, at last.')),
    }),
  ),
  pauses: Type.Array(Type.Object({ id: Uuid, start: CalendarDate, end: CalendarDate })),
});
export type StreakResponse = Type.Static<typeof StreakResponse>;

export const BulkStreakResponse = Type.Array(
  Type.Object({ userId: Type.String(), streakLength: Type.Integer(), extended: nullable(Instant) }),
  { $id: 'BulkStreakResponse' },
);
export type BulkStreakResponse = Type.Static<typeof BulkStreakResponse>;

export const StreakRankings = Type.Array(
  Type.Object({ userId: Type.String(), name: nullable(Type.String()), streakLength: Type.Integer() }),
  { $id: 'StreakRankings' },
);
export type StreakRankings = Type.Static<typeof StreakRankings>;

export const GetUserStreak = operation({
  name: 'getUserStreak',
  route: 'GET /users/{id}/streak',
  tag: 'Streaks',
  summary: "Get a user's streak",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  query: Type.Object({
    historyPeriods: Type.Integer({
      minimum: 0,
      maximum: STREAK_HISTORY_PERIODS_MAX,
      default: 7,
      description: 'Number of periods in `streakHistory`, including the current one.',
    }),
  }),
  responses: { 200: StreakResponse },
});

export const ListStreaks = operation({
  name: 'listStreaks',
  route: 'GET /streaks',
  tag: 'Streaks',
  summary: 'List the streaks of users',
  description: 'Longest first. Unknown users are left out.',
  access: 'ownUser',
  isPublished: true,
  query: Type.Object({
    userIds: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: USERS_IN_QUERY_MAX,
      description:
        'Ids of users, separated by commas. An id with a comma is passed as `userIds[]`, once for each id.',
    }),
  }),
  responses: { 200: BulkStreakResponse },
});

export const ListStreakRankings = operation({
  name: 'listStreakRankings',
  route: 'GET /streaks/rankings',
  tag: 'Streaks',
  summary: 'Rank users by streak',
  access: 'anyUser',
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: USERS_IN_QUERY_MAX, default: 10 }),
    type: Type.Enum(['active', 'longest'], {
      default: 'active',
      description: '`active`: by the current streak. `longest`: by the longest streak ever reached.',
    }),
  }),
  responses: { 200: StreakRankings },
});
