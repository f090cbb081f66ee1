import Type from 'typebox';
import {
  ATTRIBUTES_PER_CALL_MAX,
  BATCH_BODY_BYTES_MAX,
  BATCH_EVENTS_MAX,
  EVENT_VALUE_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
} from '../base/limits.ts';
import { UserAchievementResponse } from './achievement.ts';
import { EventChallenge } from './challenge.ts';
import { MetricEventLeaderboardResponse } from './leaderboard.ts';
import { operation } from './operation.ts';
import { MetricEventPointsResponse } from './points.ts';
import { refusal } from './refusal.ts';
import { AttributeInput, boolean, double, integer, KEYS_OF, keyPath, named, Uuid, uuid } from './schemas.ts';
import { MetricEventStreakResponse } from './streak.ts';
import { UpsertedUser } from './user.ts';

/** Longest text of a timestamp. */
const TIMESTAMP_CHARS_MAX = 40;

const value = Type.Number({
  format: 'double',
  minimum: -EVENT_VALUE_MAX,
  maximum: EVENT_VALUE_MAX,
  description: 'Added to the total. It may be negative.',
});

/** Body of a metric event. */
export const EventRequest = named('EventRequest', {
  user: UpsertedUser,
  value,
  attributes: Type.Optional(
    Type.Record(Type.String(), AttributeInput, {
      maxProperties: ATTRIBUTES_PER_CALL_MAX,
      description: 'Values by key of the event attribute. The attributes must exist.',
      [KEYS_OF]: 'eventAttributes',
    }),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      description: 'Makes it safe to repeat the event, like the header `Idempotency-Key`. Any text.',
    }),
  ),
  timestamp: Type.Optional(
    Type.String({
      maxLength: TIMESTAMP_CHARS_MAX,
      description:
        'When the event happened, if not now: an ISO 8601 instant with an offset. The setting `lateEvents.maxAgeSeconds` ' +
        'limits its age.',
      examples: ['2026-11-17T18:30:00+01:00'],
    }),
  ),
});
export type EventRequest = Type.Static<typeof EventRequest>;

/** Metrics for which one event counts, at most. */
export const METRICS_PER_EVENT_MAX = 20;

const { value: _value, ...fieldsOfMetricsEvent } = EventRequest.properties;
/** Body of an event that counts for several metrics. */
export const MetricsEventRequest = named('MetricsEventRequest', {
  ...fieldsOfMetricsEvent,
  metrics: Type.Record(Type.String(), value, {
    minProperties: 1,
    maxProperties: METRICS_PER_EVENT_MAX,
    description: 'Values by key of the metric. All of them count, or none does.',
    examples: [{ km: 10, minutes: 55, runs: 1 }],
    [KEYS_OF]: 'metrics',
  }),
});
export type MetricsEventRequest = Type.Static<typeof MetricsEventRequest>;

/** A batch cannot set the sign-up date. */
const user = Type.Omit(UpsertedUser, ['signUpDate']);

/** One event of a batch: the body of a single event, plus the metric. */
export const BatchMetricEvent = named('BatchMetricEvent', {
  key: Type.String({ minLength: 1, description: 'Key of the metric.', [KEYS_OF]: 'metrics' }),
  ...EventRequest.properties,
  user,
});
export type BatchMetricEvent = Type.Static<typeof BatchMetricEvent>;

/** One event of a batch that counts for several metrics. */
export const BatchMetricsEvent = named('BatchMetricsEvent', { ...MetricsEventRequest.properties, user });
export type BatchMetricsEvent = Type.Static<typeof BatchMetricsEvent>;

export type BatchEvent = BatchMetricEvent | BatchMetricsEvent;

/** An event with a metric of its own has `value`; then a field `metrics` is not known. */
export const isMetricsEvent = (event: unknown): event is BatchMetricsEvent =>
  typeof event === 'object' && event !== null && 'metrics' in event && !('value' in event);

export const EventResponse = named('EventResponse', {
  eventId: Type.String(),
  metricId: Type.String(),
  total: double("The user's total of the metric."),
  achievements: Type.Array(UserAchievementResponse, {
    description: 'Achievements that this event completed.',
  }),
  currentStreak: MetricEventStreakResponse,
  points: Type.Record(Type.String(), MetricEventPointsResponse, {
    description: 'Points systems that this event changed, by key.',
  }),
  leaderboards: Type.Record(Type.String(), MetricEventLeaderboardResponse, {
    description: 'Leaderboards on which the rank or the score changed, by key.',
  }),
  challenges: Type.Optional(
    Type.Record(Type.String(), EventChallenge, {
      description: 'Challenges of which a goal changed, by key. Absent unless challenges are configured.',
    }),
  ),
  clampedFrom: Type.Optional(double('The value that was sent. Guards of the metric have reduced it.')),
  idempotencyKey: Type.Optional(Type.String()),
  idempotentReplayed: Type.Optional(boolean('True if the idempotency key had been used before.')),
});

export type EventResponse = Type.Static<typeof EventResponse>;

const repetition = {
  idempotencyKey: EventResponse.properties.idempotencyKey,
  idempotentReplayed: EventResponse.properties.idempotentReplayed,
};

/** Answer to an event that counts for several metrics. */
export const MetricsEventResponse = named('MetricsEventResponse', {
  metrics: Type.Record(Type.String(), EventResponse, {
    description: 'What an event of this metric alone would have been answered, by key of the metric.',
  }),
  ...repetition,
});
export type MetricsEventResponse = Type.Static<typeof MetricsEventResponse>;

/** Answer to an event that a guard holds for a review. */
export const HeldEventResponse = named('HeldEventResponse', {
  held: Type.Literal(true),
  eventId: Uuid,
  metricId: Type.String(),
});

/** Answer to a sender that prefers `return=minimal`. */
const MinimalEventResponse = Type.Pick(EventResponse, ['eventId', 'total', 'clampedFrom']);

const MinimalMetricsEventResponse = Type.Object({
  metrics: Type.Record(Type.String(), MinimalEventResponse),
});

export const BatchEventResult = named('BatchEventResult', {
  status: integer('Status that the event would have been answered with in a call of its own.'),
  event: Type.Optional(EventResponse),
  metrics: Type.Optional(MetricsEventResponse.properties.metrics),
  held: Type.Optional(Type.Literal(true, { description: 'A guard holds the event for a review.' })),
  eventId: Type.Optional(uuid('Of a held event.')),
  error: Type.Optional(Type.String()),
  ...refusal,
});
export type BatchEventResult = Type.Static<typeof BatchEventResult>;

export const RefusedBatchEvent = named('RefusedBatchEvent', {
  index: integer('Index of the event in the request, from 0.'),
  status: integer('Status that the event would have been answered with in a call of its own.'),
  error: Type.String(),
  ...refusal,
});

export const BatchEventsResponse = named('BatchEventsResponse', {
  accepted: integer(
    'Number of events recorded by this call or, according to their idempotency key, by an earlier one.',
  ),
  refused: Type.Array(RefusedBatchEvent, {
    description: 'Events that were not recorded, in the order of the request.',
  }),
  held: Type.Optional(
    Type.Array(Type.Object({ index: Type.Integer(), eventId: Uuid }), {
      description: 'Events that guards hold for a review; absent without any.',
    }),
  ),
  results: Type.Optional(Type.Array(BatchEventResult, { description: 'In the order of the request.' })),
});

export const RecordEventBatch = operation({
  name: 'recordEventBatch',
  route: 'POST /metrics/events',
  role: 'operate',
  tag: 'Events',
  summary: 'Record a batch of metric events',
  description:
    'The whole batch is checked first. If any event is invalid, nothing is recorded and the error names each invalid event ' +
    'by its index. Events of one user are evaluated in order. An item with `metrics` counts for several metrics, and as many ' +
    'times towards the limit. An event that is refused when it is evaluated (no points left, ' +
    'emails without an address) does not affect the others.',
  isPublished: true,
  query: Type.Object({
    results: Type.Boolean({ default: false, description: 'Also answer what each event changed.' }),
    strict: Type.Boolean({
      default: false,
      description:
        'Refuse events with fields that are not known, which are ignored else. The other events are recorded.',
    }),
  }),
  request: Type.Array(Type.Union([BatchMetricEvent, BatchMetricsEvent]), {
    minItems: 1,
    maxItems: BATCH_EVENTS_MAX,
    examples: [[{ key: 'lessons', user: { id: 'ada' }, value: 1, idempotencyKey: 'lesson-4711' }]],
  }),
  bodyBytesMax: BATCH_BODY_BYTES_MAX,
  responses: { 202: BatchEventsResponse },
});

const queryOfEvent = Type.Object({
  strict: Type.Boolean({
    default: false,
    description: 'Refuse fields that are not known, which are ignored else.',
  }),
});
const headersOfEvent = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      pattern: '^[\\x20-\\x7e]*$',
      description:
        'Makes it safe to repeat the call. Printable ASCII only; other text can stand in `idempotencyKey` in the body.',
    }),
  ),
  Prefer: Type.Optional(
    Type.String({
      description:
        'With `return=minimal` (RFC 7240) the answer is only `{"eventId": …, "total": …}`, with the header ' +
        '`Preference-Applied: return=minimal`.',
      examples: ['return=minimal'],
    }),
  ),
});

export const RecordEvents = operation({
  name: 'recordEvents',
  route: 'POST /metrics/{key}/event',
  tag: 'Events',
  summary: 'Record a metric event',
  description:
    'Creates or updates the user, adds the value to the metric and evaluates everything that depends on it, completely or ' +
    'not at all. Unknown fields are ignored and named in the header `X-Ignored-Fields`. If this user has used the `Idempotency-Key` for this metric before, nothing changes; the answer is 202 ' +
    'with the current state.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(keyPath('metric')),
  query: queryOfEvent,
  headers: headersOfEvent,
  request: EventRequest,
  responses: { 201: EventResponse, 202: Type.Union([EventResponse, HeldEventResponse]) },
  minimalResponse: MinimalEventResponse,
});

export const RecordMetricsEvent = operation({
  name: 'recordMetricsEvent',
  route: 'POST /events',
  tag: 'Events',
  summary: 'Record an event that counts for several metrics',
  description:
    'Records an event for each of the metrics, in the order of the configuration: all of them or none. The error says which ' +
    'metric refuses. Everything else is as for an event of one metric, with one idempotency key for all.',
  access: 'ownUser',
  query: queryOfEvent,
  headers: headersOfEvent,
  request: MetricsEventRequest,
  responses: { 201: MetricsEventResponse, 202: Type.Union([MetricsEventResponse, HeldEventResponse]) },
  minimalResponse: MinimalMetricsEventResponse,
});
