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

const achievementFields = {
  id: Type.String(),
  name: Type.String(),
  trigger: Type.Enum(['metric', 'streak', 'api', 'achievement'], { description: 'What completes it.' }),
  description: nullable(Type.String()),
  badgeUrl: nullable(Type.String()),
  key: Type.Optional(Type.String()),
  streakLength: Type.Optional(Type.Integer({ description: 'Length to reach; trigger `streak`.' })),
  achievementIds: Type.Optional(Type.Array(Type.String(), { description: 'Prerequisites; trigger `achievement`.' })),
  metricId: Type.Optional(Type.String()),
  metricName: Type.Optional(Type.String()),
  metricValue: Type.Optional(Type.Number({ format: 'double', description: 'Total to reach; trigger `metric`.' })),
  userAttributes: Type.Array(AttributePair, { description: 'Only users with all of these values can complete it.' }),
  ...eventAttributeFields,
};

const statisticsFields = {
  completions: Type.Integer({ description: 'Users who completed it.' }),
  rarity: Type.Number({ format: 'double', description: 'The same as a percentage of all users.' }),
};

const userFields = {
  achievedAt: nullable(Instant),
  progress: Type.Optional(
    Type.Object(
      { current: Double, target: Double },
      { description: 'How far the user is, in the unit of the trigger, while it is not completed.' },
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

/** Body of a completion by API. */
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
    'With how many users completed each. With `userAttributes`, those that a user who has them can complete.',
  access: 'anyUser',
  query: Type.Object(userAttributesQuery),
  responses: { 200: Type.Array(AchievementWithStatsResponse) },
});

export const ListUserAchievements = operation({
  tag: 'Achievements',
  summary: "List a user's achievements",
  access: 'ownUser',
  path: Type.Object(userPath),
  query: Type.Object({
    includeIncomplete: Type.Boolean({ default: false, description: 'Also those not yet completed.' }),
  }),
  responses: { 200: Type.Array(UserAchievementWithStatsResponse) },
  mayMiss: true,
});

export const CompleteAchievement = operation({
  tag: 'Achievements',
  summary: 'Complete an achievement',
  description: 'For achievements of trigger `api`. Again, it answers with the first completion and no points.',
  access: 'ownUser',
  path: Type.Object(keyPath('achievement')),
  request: CompletionRequest,
  responses: { 201: AchievementCompletionResponse },
  mayMiss: true,
});
