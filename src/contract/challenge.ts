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
  number,
  text,
  userPath,
} from './schemas.ts';

/** Challenges in the Application API (docs/challenges.md). */

/** Units of the runs of a challenge. Weeks begin on Monday. */
export const CHALLENGE_UNITS = ['day', 'week', 'month', 'year'] as const;
/** What a user or an event does to a run of a challenge, beyond progress. */
export const CHALLENGE_STEPS = ['joined', 'left', 'completed', 'claimed'] as const;
export type ChallengeStep = (typeof CHALLENGE_STEPS)[number];
/** Who takes part: every user, or users who have joined the run. */
export const JOINING = ['automatic', 'optIn'] as const;
/** When rewards are given: with the completion, or when the user claims them. */
export const CLAIMING = ['automatic', 'manual'] as const;

const ChallengeReward = named('ChallengeReward', {
  points: Type.Array(Type.Object({ key: text('Key of the points system.'), points: Type.Integer() })),
  achievement: nullable(Named),
  freezes: nullable(integer('Freezes of the streak.')),
  boost: nullable(
    Type.Object(
      {
        key: text('Key of the points system.'),
        multiplier: number('Factor of positive awards.'),
        hours: integer('For how many hours from the reward on.'),
      },
      { description: 'A boost for the user alone.' },
    ),
  ),
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
  claimable: boolean('Whether the user can claim the rewards now.'),
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
  join: Type.Enum(JOINING),
  claim: Type.Enum(CLAIMING),
  claimDays: Type.Optional(integer('Days after the completion in which rewards can be claimed.')),
  rewards,
});
export type ChallengeResponse = Type.Static<typeof ChallengeResponse>;

export const UserChallengeResponse = named('UserChallengeResponse', {
  ...challengeFields,
  ...progressFields,
  start: instant('When the run begins for the user.'),
  end: nullable(instant('When the run ends for the user, exclusive.')),
  joined: boolean('Whether events of the user count: the user has joined the run, or need not.'),
  joinedAt: nullable(instant('null if the user has not joined, or need not.')),
  completedAt: nullable(Instant),
  completions: integer('How many runs the user has completed, over all time.'),
  claimedAt: nullable(instant('When the rewards were given: null before that, and if there are none.')),
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

const ofUser = {
  tag: 'Challenges',
  access: 'ownUser',
  path: Type.Object({ ...userPath, ...keyPath('challenge') }),
  responses: { 200: UserChallengeResponse },
} as const;

export const JoinChallenge = operation({
  name: 'joinChallenge',
  route: 'POST /users/{id}/challenges/{key}/join',
  summary: 'Join the present run of a challenge',
  description:
    'Of a challenge with `join: optIn`: later events of the user count. A repetition changes nothing and answers the same. Refused with 422 if users take part without joining, or if the user may not take part.',
  ...ofUser,
});

export const LeaveChallenge = operation({
  name: 'leaveChallenge',
  route: 'POST /users/{id}/challenges/{key}/leave',
  summary: 'Leave the present run of a challenge',
  description:
    'Of a challenge with `join: optIn`: the progress in the run is forgotten. A repetition changes nothing and answers the same. Refused with 422 if the user has completed the challenge, or if users take part without joining.',
  ...ofUser,
});

export const ClaimChallenge = operation({
  name: 'claimChallenge',
  route: 'POST /users/{id}/challenges/{key}/claim',
  summary: 'Claim the rewards of a challenge',
  description:
    'Of the present run, or of the one that holds `run`. The rewards are given once: a repetition changes nothing and answers the same. Refused with 422 if the challenge is not completed, or if the rewards have lapsed.',
  ...ofUser,
  query: Type.Object(runQuery),
});
