import Type from 'typebox';
import { UserAchievementResponse } from './achievement.ts';
import { UserLeaderboardResponse } from './leaderboard.ts';
import { operation } from './operation.ts';
import { CalendarDate, nullable, userPath } from './schemas.ts';
import { StreakFrequency } from './streak.ts';
import { User } from './user.ts';

const changeFields = {
  currentTotal: Type.Number({ description: 'Current total.' }),
  changeThisPeriod: Type.Number(),
  percentChange: Type.Number({
    description: 'Change relative to the total before the period. 100 if that was 0.',
  }),
  percentileThisPeriod: Type.Optional(
    Type.Number({ description: 'Percentage of users who did not do more in the period.' }),
  ),
};

const metricFields = { name: Type.String(), units: Type.Optional(nullable(Type.String())), ...changeFields };

export const WrappedMetric = Type.Object(
  {
    ...metricFields,
    byAttribute: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.Partial(Type.Object(metricFields))),
      {
        description: 'The same counts by event attribute, then by its value.',
      },
    ),
  },
  { $id: 'WrappedMetric' },
);

export const WrappedPoints = Type.Object(
  { name: Type.String(), description: Type.Optional(nullable(Type.String())), ...changeFields },
  { $id: 'WrappedPoints' },
);

export const WrappedStreak = Type.Object(
  {
    length: Type.Integer(),
    frequency: StreakFrequency,
    periodStart: nullable(CalendarDate),
    periodEnd: nullable(CalendarDate),
    started: nullable(CalendarDate),
  },
  { $id: 'WrappedStreak' },
);

const activityFields = {
  metrics: Type.Record(Type.String(), WrappedMetric),
  points: Type.Record(Type.String(), WrappedPoints),
  achievements: Type.Array(UserAchievementResponse),
  leaderboards: Type.Record(Type.String(), UserLeaderboardResponse),
};

export const WrappedActivity = Type.Object(
  {
    daysActive: Type.Integer(),
    weeksActive: Type.Integer(),
    monthsActive: Type.Integer(),
    mostActiveDay: Type.Object({ ...activityFields, date: CalendarDate }, { $id: 'WrappedMostActiveDay' }),
    mostActiveWeek: Type.Object(
      { ...activityFields, start: CalendarDate, end: CalendarDate },
      { $id: 'WrappedMostActiveWeek' },
    ),
    mostActiveMonth: Type.Object(
      { ...activityFields, month: Type.Integer({ minimum: 0, maximum: 11, description: '0 is January.' }) },
      { $id: 'WrappedMostActiveMonth' },
    ),
    entireYear: Type.Object(
      { ...activityFields, longestStreak: WrappedStreak },
      { $id: 'WrappedEntireYear' },
    ),
  },
  { $id: 'WrappedActivity' },
);

export const WrappedResponse = Type.Object(
  { user: User, activity: WrappedActivity },
  { $id: 'WrappedResponse' },
);
export type WrappedResponse = Type.Static<typeof WrappedResponse>;

export const GetUserWrapped = operation({
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
  mayMiss: true,
});
