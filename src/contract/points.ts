import Type from 'typebox';
import { AWARDS_PER_READ_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  calendarDate,
  eventAttributeFields,
  Instant,
  integer,
  keyPath,
  named,
  nullable,
  userAttributesQuery,
  userPath,
} from './schemas.ts';
import { EventSummary, EventSummaryQuery } from './summary.ts';

const systemFields = {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  badgeUrl: nullable(Type.String()),
  maxPoints: nullable(Type.Number()),
};

/** What can award points. */
export const TRIGGER_TYPES = ['metric', 'achievement', 'streak', 'time', 'user_creation'] as const;

export const PointsTriggerResponse = named('PointsTrigger', {
  id: Type.String(),
  type: Type.Enum([...TRIGGER_TYPES, 'adjustment', 'import', 'leaderboard', 'challenge'], {
    description:
      '`adjustment` by an administrator, `leaderboard`: the reward of a run, `challenge`: that of a completed challenge.',
  }),
  points: integer('Points awarded each time. A negative number takes points.'),
  status: Type.Enum(['active', 'inactive', 'archived']),
  achievementId: Type.Optional(Type.String()),
  achievementName: Type.Optional(Type.String()),
  metricId: Type.Optional(Type.String()),
  metricName: Type.Optional(Type.String()),
  metricThreshold: Type.Optional(
    integer('Points are awarded each time the total crosses a multiple of this.'),
  ),
  streakLengthThreshold: Type.Optional(
    integer('Points are awarded at every multiple of this streak length.'),
  ),
  timeUnit: Type.Optional(Type.Enum(['hour', 'day'])),
  timeInterval: Type.Optional(Type.Integer()),
  leaderboardKey: Type.Optional(Type.String()),
  leaderboardName: Type.Optional(Type.String()),
  challengeKey: Type.Optional(Type.String()),
  challengeName: Type.Optional(Type.String()),
  run: Type.Optional(calendarDate('First day of the run that gave a reward.')),
  rank: Type.Optional(integer('Rank of the user in that run.')),
  userAttributes: Type.Array(AttributePair, {
    description: 'Only users with all of these attribute values get the points.',
  }),
  ...eventAttributeFields,
  created: Instant,
  updated: Instant,
});
export type PointsTriggerResponse = Type.Static<typeof PointsTriggerResponse>;

export const PointsBoostResponse = named('PointsBoost', {
  id: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'scheduled', 'finished']),
  start: Type.String(),
  end: nullable(Type.String()),
  multiplier: Type.Number(),
  rounding: Type.Enum(['down', 'up', 'nearest']),
  challengeKey: Type.Optional(
    Type.String({
      description:
        'The boost is a reward of this challenge, which has its id and name. In an award, start and end are those of the challenge; in the list of a user, the instants between which it multiplies.',
    }),
  ),
});
export type PointsBoostResponse = Type.Static<typeof PointsBoostResponse>;

export const PointsLevelResponse = named('PointsLevel', {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  badgeUrl: nullable(Type.String()),
  points: integer('Total that reaches the level.'),
});
export type PointsLevelResponse = Type.Static<typeof PointsLevelResponse>;

export const PointsAward = named('PointsAward', {
  id: Type.Optional(Type.String()),
  awarded: Type.Optional(integer('Points awarded. Negative if points were taken.')),
  date: Type.Optional(Instant),
  total: Type.Optional(integer('Total after the award.')),
  trigger: Type.Optional(PointsTriggerResponse),
  boosts: Type.Optional(
    Type.Array(PointsBoostResponse, { description: 'Boosts that multiplied the award.' }),
  ),
});
export type PointsAward = Type.Static<typeof PointsAward>;

export const PointsResponse = named('PointsResponse', systemFields);
export type PointsResponse = Type.Static<typeof PointsResponse>;

export const MetricEventPointsResponse = named(
  'MetricEventPointsResponse',
  {
    ...systemFields,
    total: Type.Integer(),
    level: Type.Optional(nullable(PointsLevelResponse)),
    added: integer('Points that this call added. Negative if it took points.'),
    awards: Type.Array(PointsAward),
  },
  { description: '`level` is present only if this call changed it.' },
);
export type MetricEventPointsResponse = Type.Static<typeof MetricEventPointsResponse>;

export const GetUserPointsResponse = named('GetUserPointsResponse', {
  ...systemFields,
  total: Type.Integer(),
  level: nullable(PointsLevelResponse),
  awards: Type.Array(PointsAward),
});
export type GetUserPointsResponse = Type.Static<typeof GetUserPointsResponse>;

const PointsSystemResponse = named('PointsSystemResponse', {
  ...systemFields,
  triggers: Type.Array(PointsTriggerResponse),
});

export const PointsRange = named('PointsRange', {
  from: Type.Integer(),
  to: Type.Integer(),
  users: Type.Integer(),
});
export const PointsSummaryResponse = Type.Array(PointsRange, { $id: 'PointsSummaryResponse' });
export type PointsSummaryResponse = Type.Static<typeof PointsSummaryResponse>;

const PointsLevelSummaryResponse = Type.Array(
  Type.Object({ level: PointsLevelResponse, users: Type.Integer() }),
  {
    $id: 'PointsLevelSummaryResponse',
  },
);

const systemPath = keyPath('points system');
const published = { tag: 'Points', isPublished: true } as const;
const ofSystem = { ...published, access: 'anyUser', path: Type.Object(systemPath) } as const;
const ofUser = {
  ...published,
  access: 'ownUser',
  path: Type.Object({ ...userPath, ...systemPath }),
} as const;

export const GetUserPoints = operation({
  name: 'getUserPoints',
  route: 'GET /users/{id}/points/{key}',
  summary: "Get a user's points",
  ...ofUser,
  query: Type.Object({
    awards: Type.Integer({
      minimum: 0,
      maximum: AWARDS_PER_READ_MAX,
      default: 10,
      description: 'Number of latest awards to answer. With 0 the history is not read.',
    }),
  }),
  responses: { 200: GetUserPointsResponse },
});

export const ListUserPointsBoosts = operation({
  name: 'listUserPointsBoosts',
  route: 'GET /users/{id}/points/{key}/boosts',
  summary: "List a user's boosts",
  description: 'Boosts that multiply the points of this user now or later.',
  ...ofUser,
  responses: { 200: Type.Array(PointsBoostResponse) },
});

export const GetPointsEventSummary = operation({
  name: 'getPointsEventSummary',
  route: 'GET /users/{id}/points/{key}/event-summary',
  summary: "Summarize a user's points",
  description: 'One item for each period of the range.',
  ...ofUser,
  query: EventSummaryQuery,
  responses: { 200: EventSummary },
});

export const GetPointsSystem = operation({
  name: 'getPointsSystem',
  route: 'GET /points/{key}',
  summary: 'Get a points system',
  ...ofSystem,
  responses: { 200: PointsSystemResponse },
});

export const ListPointsBoosts = operation({
  name: 'listPointsBoosts',
  route: 'GET /points/{key}/boosts',
  summary: 'List the boosts of a points system',
  description: 'Boosts that are not limited to one user.',
  ...ofSystem,
  query: Type.Object({ includeFinished: Type.Boolean({ default: false }) }),
  responses: { 200: Type.Array(PointsBoostResponse) },
});

export const ListPointsLevels = operation({
  name: 'listPointsLevels',
  route: 'GET /points/{key}/levels',
  summary: 'List the levels of a points system',
  description: 'Lowest first.',
  ...ofSystem,
  responses: { 200: Type.Array(PointsLevelResponse) },
});

export const GetPointsLevelSummary = operation({
  name: 'getPointsLevelSummary',
  route: 'GET /points/{key}/level-summary',
  summary: 'Count users by level',
  ...ofSystem,
  query: Type.Object(userAttributesQuery),
  responses: { 200: PointsLevelSummaryResponse },
});

export const GetPointsSummary = operation({
  name: 'getPointsSummary',
  route: 'GET /points/{key}/summary',
  summary: 'Count users by points',
  description:
    'Eleven ranges: 0, then ten equal ranges up to the highest total, rounded up to a power of ten.',
  ...ofSystem,
  query: Type.Object(userAttributesQuery),
  responses: { 200: PointsSummaryResponse },
});
