import Type from 'typebox';
import { operation } from './operation.ts';
import { MetricEventPointsResponse } from './points.ts';
import {
  AttributePair,
  Double,
  eventAttributeFields,
  Instant,
  keyPath,
  nullable,
  userAttributesQuery,
  userPath,
} from './schemas.ts';
import { UpsertedUser } from './user.ts';

/** What completes an achievement. */
export const ACHIEVEMENT_TRIGGERS = ['metric', 'streak', 'api', 'achievement', 'anniversary'] as const;
export type AchievementTrigger = (typeof ACHIEVEMENT_TRIGGERS)[number];

const achievementFields = {
  id: Type.String(),
  name: Type.String(),
  trigger: Type.Enum(ACHIEVEMENT_TRIGGERS, { description: 'What completes it.' }),
  description: nullable(Type.String()),
  badgeUrl: nullable(Type.String()),
  key: Type.Optional(Type.String()),
  streakLength: Type.Optional(
    Type.Integer({ description: 'Streak length to reach. Trigger `streak` only.' }),
  ),
  anniversaryYears: Type.Optional(
    Type.Integer({ description: 'Years after the sign-up date of the user. Trigger `anniversary` only.' }),
  ),
  achievementIds: Type.Optional(
    Type.Array(Type.String(), { description: 'Ids of the prerequisites. Trigger `achievement` only.' }),
  ),
  metricId: Type.Optional(Type.String()),
  metricName: Type.Optional(Type.String()),
  metricValue: Type.Optional(
    Type.Number({ format: 'double', description: 'Total to reach. Trigger `metric` only.' }),
  ),
  userAttributes: Type.Array(AttributePair, {
    description: 'Only users with all of these values can complete it.',
  }),
  ...eventAttributeFields,
};

const statisticsFields = {
  completions: Type.Integer({ description: 'Number of users who completed it.' }),
  rarity: Type.Number({ format: 'double', description: 'Percentage of all users who completed it.' }),
};

const userFields = {
  achievedAt: nullable(Instant),
  progress: Type.Optional(
    Type.Object(
      { current: Double, target: Double },
      {
        description:
          'Progress of the user in the unit of the trigger, at most the target. Absent once the achievement is completed, and for anniversaries.',
      },
    ),
  ),
};

export const AchievementResponse = Type.Object(achievementFields, { $id: 'AchievementResponse' });
export type AchievementResponse = Type.Static<typeof AchievementResponse>;

export const UserAchievementResponse = Type.Object(
  { ...achievementFields, ...userFields },
  { $id: 'UserAchievementResponse' },
);
export type UserAchievementResponse = Type.Static<typeof UserAchievementResponse>;

export const AchievementWithStatsResponse = Type.Object(
  { ...achievementFields, ...statisticsFields },
  { $id: 'AchievementWithStatsResponse' },
);
export type AchievementWithStatsResponse = Type.Static<typeof AchievementWithStatsResponse>;

export const UserAchievementWithStatsResponse = Type.Object(
  { ...achievementFields, ...statisticsFields, ...userFields },
  { $id: 'UserAchievementWithStatsResponse' },
);
export type UserAchievementWithStatsResponse = Type.Static<typeof UserAchievementWithStatsResponse>;

/** Body of a completion by the API. */
export const CompletionRequest = Type.Object({ user: UpsertedUser }, { $id: 'CompletionRequest' });

export const AchievementCompletionResponse = Type.Object(
  {
    completionId: Type.String(),
    achievement: UserAchievementResponse,
    points: Type.Record(Type.String(), MetricEventPointsResponse, {
      description: 'Points systems that changed, by key.',
    }),
  },
  { $id: 'AchievementCompletionResponse' },
);
export type AchievementCompletionResponse = Type.Static<typeof AchievementCompletionResponse>;

export const ListAchievements = operation({
  tag: 'Achievements',
  summary: 'List all achievements',
  description:
    'Each with the number of users who completed it. `userAttributes` leaves out achievements that a user with these ' +
    'attributes cannot complete.',
  access: 'anyUser',
  isPublished: true,
  query: Type.Object(userAttributesQuery),
  responses: { 200: Type.Array(AchievementWithStatsResponse) },
});

export const ListUserAchievements = operation({
  tag: 'Achievements',
  summary: "List a user's achievements",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  query: Type.Object({
    includeIncomplete: Type.Boolean({
      default: false,
      description: 'Also list achievements that the user has not completed.',
    }),
  }),
  responses: { 200: Type.Array(UserAchievementWithStatsResponse) },
  mayMiss: true,
});

export const CompleteAchievement = operation({
  tag: 'Achievements',
  summary: 'Complete an achievement',
  description:
    'For achievements with the trigger `api`. If the user has already completed it, the answer is the first completion ' +
    'and no points are awarded.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(keyPath('achievement')),
  request: CompletionRequest,
  responses: { 201: AchievementCompletionResponse },
  mayMiss: true,
});
