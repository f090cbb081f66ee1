import Type from 'typebox';
import { AWARDS_PER_READ_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  eventAttributeFields,
  Instant,
  keyPath,
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
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const PointsTriggerResponse = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...TRIGGER_TYPES, 'adjustment', 'import', 'leaderboard'], {
      description: '`adjustment` by an administrator, `leaderboard`: the reward of a run.',
    }),
    points: Type.Integer({ description: 'Points awarded each time. A negative number takes points.' }),
    status: Type.Enum(['active', 'inactive', 'archived']),
    achievementId: Type.Optional(Type.String()),
    achievementName: Type.Optional(Type.String()),
    metricId: Type.Optional(Type.String()),
    metricName: Type.Optional(Type.String()),
    metricThreshold: Type.Optional(
      Type.Integer({ description: 'Points are awarded each time the total crosses a multiple of this.' }),
    ),
    streakLengthThreshold: Type.Optional(
      Type.Integer({ description: 'Points are awarded at every multiple of this streak length.' }),
    ),
    timeUnit: Type.Optional(Type.Enum(['hour', 'day'])),
    timeInterval: Type.Optional(Type.Integer()),
    leaderboardKey: Type.Optional(Type.String()),
    leaderboardName: Type.Optional(Type.String()),
    run: Type.Optional(
      Type.String({ format: 'date', description: 'First day of the run that gave a reward.' }),
    ),
    rank: Type.Optional(Type.Integer({ description: 'Rank of the user in that run.' })),
    userAttributes: Type.Array(AttributePair, {
      description: 'Only users with all of these attribute values get the points.',
    }),
    ...eventAttributeFields,
    created: Instant,
    updated: Instant,
  },
  { $id: 'PointsTrigger' },
);
export type PointsTriggerResponse = Type.Static<typeof PointsTriggerResponse>;

export const PointsBoostResponse = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Type.Enum(['active', 'scheduled', 'finished']),
    start: Type.String(),
    end: nullable(Type.String()),
    multiplier: Type.Number(),
    rounding: Type.Enum(['down', 'up', 'nearest']),
  },
  { $id: 'PointsBoost' },
);
export type PointsBoostResponse = Type.Static<typeof PointsBoostResponse>;

export const PointsLevelResponse = Type.Object(
  {
    id: Type.String(),
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    badgeUrl: nullable(Type.String()),
    points: Type.Integer({ description: 'Total that reaches the level.' }),
  },
  { $id: 'PointsLevel' },
);
export type PointsLevelResponse = Type.Static<typeof PointsLevelResponse>;

export const PointsAward = Type.Object(
  {
    id: Type.Optional(Type.String()),
    awarded: Type.Optional(Type.Integer({ description: 'Points awarded. Negative if points were taken.' })),
    date: Type.Optional(Instant),
    total: Type.Optional(Type.Integer({ description: 'Total after the award.' })),
    trigger: Type.Optional(PointsTriggerResponse),
    boosts: Type.Optional(
      Type.Array(PointsBoostResponse, { description: 'Boosts that multiplied the award.' }),
    ),
  },
  { $id: 'PointsAward' },
);
export type PointsAward = Type.Static<typeof PointsAward>;

export const PointsResponse = Type.Object(systemFields, { $id: 'PointsResponse' });
export type PointsResponse = Type.Static<typeof PointsResponse>;

export const MetricEventPointsResponse = Type.Object(
  {
    ...systemFields,
    total: Type.Integer(),
    level: Type.Optional(nullable(PointsLevelResponse)),
    added: Type.Integer({ description: 'Points that this call added. Negative if it took points.' }),
    awards: Type.Array(PointsAward),
  },
  { $id: 'MetricEventPointsResponse', description: '`level` is present only if this call changed it.' },
);
export type MetricEventPointsResponse = Type.Static<typeof MetricEventPointsResponse>;

export const GetUserPointsResponse = Type.Object(
  {
    ...systemFields,
    total: Type.Integer(),
    level: nullable(PointsLevelResponse),
    awards: Type.Array(PointsAward),
  },
  { $id: 'GetUserPointsResponse' },
);
export type GetUserPointsResponse = Type.Static<typeof GetUserPointsResponse>;

export const PointsSystemResponse = Type.Object(
  { ...systemFields, triggers: Type.Array(PointsTriggerResponse) },
  { $id: 'PointsSystemResponse' },
);
export type PointsSystemResponse = Type.Static<typeof PointsSystemResponse>;

export const PointsRange = Type.Object(
  { from: Type.Integer(), to: Type.Integer(), users: Type.Integer() },
  { $id: 'PointsRange' },
);
export const PointsSummaryResponse = Type.Array(PointsRange, { $id: 'PointsSummaryResponse' });
export type PointsSummaryResponse = Type.Static<typeof PointsSummaryResponse>;

export const PointsLevelSummaryResponse = Type.Array(
  Type.Object({ level: PointsLevelResponse, users: Type.Integer() }),
  {
    $id: 'PointsLevelSummaryResponse',
  },
);
export type PointsLevelSummaryResponse = Type.Static<typeof PointsLevelSummaryResponse>;

const systemPath = keyPath('points system');

export const GetUserPoints = operation({
  tag: 'Points',
  summary: "Get a user's points",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...systemPath }),
  query: Type.Object({
    awards: Type.Integer({
      minimum: 0,
      maximum: AWARDS_PER_READ_MAX,
      default: 10,
      description: 'Number of latest awards to answer. With 0 the history is not read.',
    }),
  }),
  responses: { 200: GetUserPointsResponse },
  mayMiss: true,
});

export const ListUserPointsBoosts = operation({
  tag: 'Points',
  summary: "List a user's boosts",
  description: 'Boosts that multiply the points of this user now or later.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...systemPath }),
  responses: { 200: Type.Array(PointsBoostResponse) },
  mayMiss: true,
});

export const GetPointsEventSummary = operation({
  tag: 'Points',
  summary: "Summarize a user's points",
  description: 'One item for each period of the range.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...systemPath }),
  query: EventSummaryQuery,
  responses: { 200: EventSummary },
  mayMiss: true,
});

export const GetPointsSystem = operation({
  tag: 'Points',
  summary: 'Get a points system',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(systemPath),
  responses: { 200: PointsSystemResponse },
  mayMiss: true,
});

export const ListPointsBoosts = operation({
  tag: 'Points',
  summary: 'List the boosts of a points system',
  description: 'Boosts that are not limited to one user.',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(systemPath),
  query: Type.Object({ includeFinished: Type.Boolean({ default: false }) }),
  responses: { 200: Type.Array(PointsBoostResponse) },
  mayMiss: true,
});

export const ListPointsLevels = operation({
  tag: 'Points',
  summary: 'List the levels of a points system',
  description: 'Lowest first.',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(systemPath),
  responses: { 200: Type.Array(PointsLevelResponse) },
  mayMiss: true,
});

export const GetPointsLevelSummary = operation({
  tag: 'Points',
  summary: 'Count users by level',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(systemPath),
  query: Type.Object(userAttributesQuery),
  responses: { 200: PointsLevelSummaryResponse },
  mayMiss: true,
});

export const GetPointsSummary = operation({
  tag: 'Points',
  summary: 'Count users by points',
  description:
    'Eleven ranges: 0, then ten equal ranges up to the highest total, rounded up to a power of ten.',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(systemPath),
  query: Type.Object(userAttributesQuery),
  responses: { 200: PointsSummaryResponse },
  mayMiss: true,
});
