import Type from 'typebox';
import { CompletionRule } from './completionRule.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  boolean,
  CalendarDate,
  calendarDate,
  countingFields,
  Double,
  double,
  Instant,
  instant,
  integer,
  keyPath,
  Named,
  named,
  nullable,
  text,
  userPath,
} from './schemas.ts';

/** Challenges in the Application API (docs/challenges.md). */

/** Units of the runs of a challenge. Weeks begin on Monday. */
export const CHALLENGE_UNITS = ['day', 'week', 'month', 'year'] as const;

const ChallengeReward = named('ChallengeReward', {
  points: Type.Array(Type.Object({ key: text('Key of the points system.'), points: Type.Integer() })),
  achievement: nullable(Named),
});
export type ChallengeReward = Type.Static<typeof ChallengeReward>;

const rewards = { ...ChallengeReward, description: 'What is given for it, once in a run.' };

const GoalProgress = named('ChallengeGoalProgress', {
  key: Type.String(),
  name: Type.String(),
  progress: double('At most the target.'),
  target: Double,
  completed: boolean('Whether the target was reached in the run. It stays so if an event is undone.'),
});
export type GoalProgress = Type.Static<typeof GoalProgress>;

const progressFields = {
  run: calendarDate('First day of the run.'),
  goals: Type.Array(GoalProgress, { description: 'The goals of the user in this run.' }),
  completed: Type.Boolean(),
  rewards,
};

/** A challenge that an event has changed. */
export const EventChallenge = named('MetricEventChallengeResponse', {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  ...progressFields,
});
export type EventChallenge = Type.Static<typeof EventChallenge>;

const challengeFields = {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  badgeUrl: nullable(Type.String()),
};

export const ChallengeResponse = named('ChallengeResponse', {
  ...challengeFields,
  status: Type.Enum(['scheduled', 'active'], { description: 'By the date of the default time zone.' }),
  start: CalendarDate,
  end: nullable(CalendarDate),
  runUnit: nullable(Type.Enum(CHALLENGE_UNITS)),
  runInterval: nullable(Type.Integer()),
  goals: Type.Array(
    Type.Object({
      key: Type.String(),
      name: Type.String(),
      metricKey: Type.String(),
      metricName: Type.String(),
      target: Double,
      eventAttributes: Type.Optional(Type.Array(AttributePair)),
      ...countingFields,
    }),
  ),
  complete: { ...CompletionRule, description: 'How many goals complete it: `all`, `any`, or so many.' },
  pick: Type.Optional(integer('How many of the goals each user gets in a run.')),
  rewards,
});
export type ChallengeResponse = Type.Static<typeof ChallengeResponse>;

export const UserChallengeResponse = named('UserChallengeResponse', {
  ...challengeFields,
  ...progressFields,
  start: instant('When the run begins for the user.'),
  end: nullable(instant('When the run ends for the user, exclusive.')),
  completedAt: nullable(Instant),
});
export type UserChallengeResponse = Type.Static<typeof UserChallengeResponse>;

const runQuery = {
  run: Type.Optional(
    Type.String({
      format: 'date',
      description: 'A day of the run: the present one, which is the default, or the one before.',
    }),
  ),
};

export const ListChallenges = operation({
  name: 'listChallenges',
  route: 'GET /challenges',
  tag: 'Challenges',
  summary: 'List the challenges that are not over',
  access: 'anyUser',
  responses: { 200: Type.Array(ChallengeResponse) },
});

export const ListUserChallenges = operation({
  name: 'listUserChallenges',
  route: 'GET /users/{id}/challenges',
  tag: 'Challenges',
  summary: "List a user's challenges",
  description: 'Those in which the user takes part, in the present run or in the one that holds `run`.',
  access: 'ownUser',
  path: Type.Object(userPath),
  query: Type.Object(runQuery),
  responses: { 200: Type.Array(UserChallengeResponse) },
});

export const GetUserChallenge = operation({
  name: 'getUserChallenge',
  route: 'GET /users/{id}/challenges/{key}',
  tag: 'Challenges',
  summary: 'Get a challenge of a user',
  access: 'ownUser',
  path: Type.Object({ ...userPath, ...keyPath('challenge') }),
  query: Type.Object(runQuery),
  responses: { 200: UserChallengeResponse },
});
