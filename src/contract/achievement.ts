import Type from 'typebox';
import { PERIODS } from './conditions/condition.ts';
import { operation } from './operation.ts';
import { MetricEventPointsResponse } from './points.ts';
import {
  AttributePair,
  Double,
  double,
  eventAttributeFields,
  Instant,
  integer,
  keyPath,
  named,
  nullable,
  userAttributesQuery,
  userPath,
} from './schemas.ts';
import { UpsertedUser } from './user.ts';

/** What completes an achievement. */
export const ACHIEVEMENT_TRIGGERS = ['metric', 'streak', 'api', 'achievement', 'anniversary'] as const;

const achievementFields = {
  id: Type.String(),
  name: Type.String(),
  trigger: Type.Enum(ACHIEVEMENT_TRIGGERS, { description: 'How it is completed.' }),
  description: nullable(Type.String()),
  badgeUrl: nullable(Type.String()),
  key: Type.Optional(Type.String()),
  streakLength: Type.Optional(integer('Streak length to reach. Trigger `streak` only.')),
  anniversaryYears: Type.Optional(
    integer('Years after the sign-up date of the user. Trigger `anniversary` only.'),
  ),
  achievementIds: Type.Optional(
    Type.Array(Type.String(), { description: 'Ids of the prerequisites. Trigger `achievement` only.' }),
  ),
  atLeast: Type.Optional(integer('How many of the prerequisites must be completed, if not all.')),
  metricId: Type.Optional(Type.String()),
  metricName: Type.Optional(Type.String()),
  metricValue: Type.Optional(double('Total to reach. Trigger `metric` only.')),
  userAttributes: Type.Array(AttributePair, {
    description: 'Only users with all of these values can complete it.',
  }),
  ...eventAttributeFields,
  per: Type.Optional(
    Type.Enum(PERIODS, { description: 'The period of the user’s calendar within which is counted.' }),
  ),
  repeat: Type.Optional(
    Type.Enum(PERIODS, { description: 'It is completed once in every such period, which is that of `per`.' }),
  ),
};

const statisticsFields = {
  completions: integer('Number of users who completed it.'),
  rarity: double('Percentage of all users who completed it.'),
};

const userFields = {
  achievedAt: nullable({
    ...Instant,
    description: 'When it was completed; the first time, unless it has just been completed again.',
  }),
  timesCompleted: Type.Optional(integer('How often the user has completed it. With `repeat` only.')),
  progress: Type.Optional(
    Type.Object(
      { current: Double, target: Double },
      {
        description:
          'Progress of the user in the unit of the trigger, at most the target. Absent for anniversaries, and once the achievement is completed unless it is active and has `repeat`.',
      },
    ),
  ),
};

export const AchievementResponse = named('AchievementResponse', achievementFields);
export type AchievementResponse = Type.Static<typeof AchievementResponse>;

export const UserAchievementResponse = named('UserAchievementResponse', {
  ...achievementFields,
  ...userFields,
});
export type UserAchievementResponse = Type.Static<typeof UserAchievementResponse>;

export const AchievementWithStatsResponse = named('AchievementWithStatsResponse', {
  ...achievementFields,
  ...statisticsFields,
});
export type AchievementWithStatsResponse = Type.Static<typeof AchievementWithStatsResponse>;

export const UserAchievementWithStatsResponse = named('UserAchievementWithStatsResponse', {
  ...achievementFields,
  ...statisticsFields,
  ...userFields,
});
export type UserAchievementWithStatsResponse = Type.Static<typeof UserAchievementWithStatsResponse>;

/** Body of a completion by the API. */
export const CompletionRequest = named('CompletionRequest', { user: UpsertedUser });

const AchievementCompletionResponse = named('AchievementCompletionResponse', {
  completionId: Type.String(),
  achievement: UserAchievementResponse,
  points: Type.Record(Type.String(), MetricEventPointsResponse, {
    description: 'Points systems that changed, by key.',
  }),
});

export const ListAchievements = operation({
  name: 'listAchievements',
  route: 'GET /achievements',
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
  name: 'listUserAchievements',
  route: 'GET /users/{id}/achievements',
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
});

export const CompleteAchievement = operation({
  name: 'completeAchievement',
  route: 'POST /achievements/{key}/complete',
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
});
