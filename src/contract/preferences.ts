import Type from 'typebox';
import { DAYS_OFF_MAX, EVENT_VALUE_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import { boolean, named, userPath } from './schemas.ts';

/** Metrics of a user's own streak. */
const STREAK_METRICS_MAX = 100;

export const NotificationChannel = Type.Enum(['email', 'push'], { $id: 'NotificationChannel' });
export type NotificationChannel = Type.Static<typeof NotificationChannel>;

const channels = Type.Optional(Type.Array(NotificationChannel, { uniqueItems: true }));

/** Channels by type of notification. An empty list turns the type off; an absent list was never set. */
export const NotificationPreferences = named(
  'NotificationPreferences',
  {
    achievement_completed: channels,
    challenge_ending: channels,
    message: channels,
    recap: channels,
    reactivation: channels,
    streak_reminder: channels,
  },
  { additionalProperties: false },
);
export type NotificationPreferences = Type.Static<typeof NotificationPreferences>;
export type NotificationType = keyof NotificationPreferences;
export const NOTIFICATION_TYPES = Object.keys(NotificationPreferences.properties) as NotificationType[];

export const StreakEvaluationModePreference = Type.Enum(['OR', 'AND'], {
  $id: 'StreakEvaluationModePreference',
});
export type StreakEvaluationMode = Type.Static<typeof StreakEvaluationModePreference>;

export const StreakMetricPreference = named('StreakMetricPreference', {
  key: Type.String({ minLength: 1, description: 'Key of a metric.' }),
  threshold: Type.Number({ exclusiveMinimum: 0, maximum: EVENT_VALUE_MAX }),
});

/** Whether the user has a streak, and the user's own conditions if the tenant allows them. */
export const StreakPreferences = named('StreakPreferences', {
  enabled: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'If false, the user has no streak, and the current one is lost.',
    }),
  ),
  evaluationMode: Type.Optional(StreakEvaluationModePreference),
  daysOff: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
      uniqueItems: true,
      maxItems: DAYS_OFF_MAX,
      description:
        'Weekdays on which a daily streak needs nothing: 0 is Sunday, 6 is Saturday. They replace those of the tenant.',
    }),
  ),
  metrics: Type.Optional(Type.Array(StreakMetricPreference, { minItems: 1, maxItems: STREAK_METRICS_MAX })),
});
export type StreakPreferences = Type.Static<typeof StreakPreferences>;

/** Whether the user has places on leaderboards. */
export const LeaderboardPreferences = named('LeaderboardPreferences', {
  visible: boolean(
    'If false, the user keeps the scores but has no place on any leaderboard until it is true.',
  ),
});

const leaderboards = Type.Optional(LeaderboardPreferences);

export const UserPreferencesResponse = named('UserPreferencesResponse', {
  notifications: NotificationPreferences,
  streak: Type.Optional(StreakPreferences),
  leaderboards,
});
export type UserPreferencesResponse = Type.Static<typeof UserPreferencesResponse>;

export const UpdateUserPreferencesRequest = named('UpdateUserPreferencesRequest', {
  notifications: Type.Optional(NotificationPreferences),
  streak: Type.Optional(StreakPreferences),
  leaderboards,
});
export type UpdateUserPreferencesRequest = Type.Static<typeof UpdateUserPreferencesRequest>;

export const GetUserPreferences = operation({
  name: 'getUserPreferences',
  route: 'GET /users/{id}/preferences',
  tag: 'Users',
  summary: 'Get preferences',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  responses: { 200: UserPreferencesResponse },
});

export const UpdateUserPreferences = operation({
  name: 'updateUserPreferences',
  route: 'PATCH /users/{id}/preferences',
  tag: 'Users',
  summary: 'Change preferences',
  description:
    'Changes the fields that are passed. Own metrics, mode and days off of the streak are refused with 403 if the tenant does not allow them.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  request: UpdateUserPreferencesRequest,
  responses: { 200: UserPreferencesResponse },
});
