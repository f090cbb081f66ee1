import Type from 'typebox';
import {
  ATTRIBUTE_VALUE_CHARS_MAX,
  ATTRIBUTES_PER_CALL_MAX,
  BATCH_BODY_BYTES_MAX,
  BATCH_EVENTS_MAX,
  EVENT_VALUE_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
} from '../base/limits.ts';
import { UserAchievementResponse } from './achievement.ts';
import { MetricEventLeaderboardResponse } from './leaderboard.ts';
import { operation } from './operation.ts';
import { MetricEventPointsResponse } from './points.ts';
import { keyPath } from './schemas.ts';
import { MetricEventStreakResponse } from './streak.ts';
import { UpsertedUser } from './user.ts';

/** Body of a metric event (spec: Record a metric event). */
export const EventRequest = Type.Object(
  {
    user: UpsertedUser,
    value: Type.Number({
      format: 'double',
      minimum: -EVENT_VALUE_MAX,
      maximum: EVENT_VALUE_MAX,
      description: 'Is added to the total; may be negative.',
    }),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: ATTRIBUTE_VALUE_CHARS_MAX }), {
        maxProperties: ATTRIBUTES_PER_CALL_MAX,
        description: 'Values by the keys of event attributes, which must exist.',
      }),
    ),
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
        description: 'Any text. Makes repeating the event harmless, as the header Idempotency-Key does.',
      }),
    ),
  },
  { $id: 'EventRequest' },
);
export type EventRequest = Type.Static<typeof EventRequest>;

/** One event of a batch: what a single event takes, with the metric and the idempotency key beside it. */
export const BatchMetricEvent = Type.Object(
  {
    key: Type.String({ minLength: 1, description: 'Key of the metric.' }),
    ...EventRequest.properties,
  },
  { $id: 'BatchMetricEvent' },
);
export type BatchMetricEvent = Type.Static<typeof BatchMetricEvent>;

export const EventResponse = Type.Object(
  {
    eventId: Type.String(),
    metricId: Type.String(),
    total: Type.Number({ format: 'double', description: "The user's total of the metric." }),
    achievements: Type.Array(UserAchievementResponse, { description: 'Completed by this event.' }),
    currentStreak: MetricEventStreakResponse,
    points: Type.Record(Type.String(), MetricEventPointsResponse, {
      description: 'Points systems that changed, by key.',
    }),
    leaderboards: Type.Record(Type.String(), MetricEventLeaderboardResponse, {
      description: 'Leaderboards on which the place or score changed, by key.',
    }),
    idempotencyKey: Type.Optional(Type.String()),
    idempotentReplayed: Type.Optional(Type.Boolean({ description: 'Whether this was a repetition.' })),
  },
  { $id: 'EventResponse' },
);

export type EventResponse = Type.Static<typeof EventResponse>;

export const BatchEventResult = Type.Object(
  {
    status: Type.Integer({ description: 'What a call with this event alone would have been answered with.' }),
    event: Type.Optional(EventResponse),
    error: Type.Optional(Type.String()),
  },
  { $id: 'BatchEventResult' },
);
export type BatchEventResult = Type.Static<typeof BatchEventResult>;

export const RefusedBatchEvent = Type.Object(
  {
    index: Type.Integer({ description: 'Place in the request, from 0.' }),
    status: Type.Integer({ description: 'What a call with this event alone would have been answered with.' }),
    error: Type.String(),
  },
  { $id: 'RefusedBatchEvent' },
);

export const BatchEventsResponse = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events that were recorded now or, by their idempotency key, before.' }),
    refused: Type.Array(RefusedBatchEvent, {
      description: 'Events that were not recorded, in the order of the request.',
    }),
    results: Type.Optional(Type.Array(BatchEventResult, { description: 'In the order of the request.' })),
  },
  { $id: 'BatchEventsResponse' },
);

export const RecordEventBatch = operation({
  tag: 'Events',
  summary: 'Record a batch of metric events',
  description:
    'The batch is checked whole before anything happens: when an item is not valid, nothing is recorded and the error ' +
    'names every such item by its index. Then the events are evaluated, those of a user in order, before the answer. An ' +
    'event that its user cannot make (no points left, e-mails without an address) does not hold up the others.',
  access: 'admin',
  query: Type.Object({
    results: Type.Boolean({ default: false, description: 'Also answer what each event changed.' }),
  }),
  request: Type.Array(BatchMetricEvent, {
    minItems: 1,
    maxItems: BATCH_EVENTS_MAX,
    examples: [[{ key: 'lessons', user: { id: 'ada' }, value: 1, idempotencyKey: 'lesson-4711' }]],
  }),
  bodyBytesMax: BATCH_BODY_BYTES_MAX,
  responses: { 202: BatchEventsResponse },
});

export const RecordEvents = operation({
  tag: 'Events',
  summary: 'Record a metric event',
  description:
    'Creates or updates the user, adds the value to the metric and evaluates everything that depends on it, whole or not ' +
    'at all. With an `Idempotency-Key` that this user has used for this metric the answer is 202, shows the state as it ' +
    'is, and nothing changes.',
  access: 'ownUser',
  path: Type.Object(keyPath('metric')),
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
        pattern: '^[\\x20-\\x7e]*$',
        description:
          'Makes repeating the call harmless. Printable ASCII; any other text goes into the field `idempotencyKey` of the body.',
      }),
    ),
  }),
  request: EventRequest,
  responses: { 201: EventResponse, 202: EventResponse },
  mayMiss: true,
});
