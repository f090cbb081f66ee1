import Type from 'typebox';
import { UserAchievementResponse } from './achievement.ts';
import { UserLeaderboardResponse } from './leaderboard.ts';
import { operation } from './operation.ts';
import { CalendarDate, named, nullable, number, userPath } from './schemas.ts';
import { StreakFrequency } from './streak.ts';
import { User } from './user.ts';

const changeFields = {
  currentTotal: number('Current total.'),
  changeThisPeriod: Type.Number(),
  percentChange: number('Change relative to the total before the period. 100 if that was 0.'),
  percentileThisPeriod: Type.Optional(number('Percentage of users who did not do more in the period.')),
};

const metricFields = { name: Type.String(), units: Type.Optional(nullable(Type.String())), ...changeFields };

export const WrappedMetric = named('WrappedMetric', {
  ...metricFields,
  byAttribute: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.Partial(Type.Object(metricFields))),
    { description: 'The same counts by event attribute, then by its value.' },
  ),
});

export const WrappedPoints = named('WrappedPoints', {
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  ...changeFields,
});

export const WrappedStreak = named('WrappedStreak', {
  length: Type.Integer(),
  frequency: StreakFrequency,
  periodStart: nullable(CalendarDate),
  periodEnd: nullable(CalendarDate),
  started: nullable(CalendarDate),
});

const activityFields = {
  metrics: Type.Record(Type.String(), WrappedMetric),
  points: Type.Record(Type.String(), WrappedPoints),
  achievements: Type.Array(UserAchievementResponse),
  leaderboards: Type.Record(Type.String(), UserLeaderboardResponse),
};

export const WrappedActivity = named('WrappedActivity', {
  daysActive: Type.Integer(),
  weeksActive: Type.Integer(),
  monthsActive: Type.Integer(),
  mostActiveDay: named('WrappedMostActiveDay', { ...activityFields, date: CalendarDate }),
  mostActiveWeek: named('WrappedMostActiveWeek', {
    ...activityFields,
    start: CalendarDate,
    end: CalendarDate,
  }),
  mostActiveMonth: named('WrappedMostActiveMonth', {
    ...activityFields,
    month: Type.Integer({ minimum: 0, maximum: 11, description: '0 is January.' }),
  }),
  entireYear: named('WrappedEntireYear', { ...activityFields, longestStreak: WrappedStreak }),
});

export const WrappedResponse = named('WrappedResponse', { user: User, activity: WrappedActivity });
export type WrappedResponse = Type.Static<typeof WrappedResponse>;

export const GetUserWrapped = operation({
  name: 'getUserWrapped',
  route: 'GET /users/{id}/wrapped',
  tag: 'Users',
  summary: "Get a user's year in review",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  query: Type.Object({
    year: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 9999, description: 'Default: the current year.' }),
    ),
  }),
  responses: { 200: WrappedResponse },
});
