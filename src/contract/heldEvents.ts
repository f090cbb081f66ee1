import Type from 'typebox';
import {
  HELD_EVENTS_COUNTED_MAX,
  HELD_EVENTS_DECIDED_MAX,
  HELD_EVENTS_PER_READ_MAX,
  HELD_EVENTS_SUMMED_MAX,
} from '../base/guardLimits.ts';
import { EVENT_VALUE_MAX } from '../base/limits.ts';
import { Reason } from './adminFields.ts';
import { cursorQuery, nextCursor } from './adminUsers.ts';
import { GUARD_NAMES } from './guards.ts';
import { operation } from './operation.ts';
import { Double, Instant, nullable, Uuid } from './schemas.ts';

/** Events that guards hold for a review (docs/guards.md). */

export const HELD_STATUSES = ['held', 'approving', 'approved', 'rejected', 'expired'] as const;

export const HeldEvent = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: '`eventId` of the answer to the event.' }),
    userId: Type.String(),
    metric: Type.String({ description: 'Key. `#` and its number if the metric was deleted.' }),
    value: Double,
    attributes: Type.Record(Type.String(), Type.String()),
    timestamp: Type.String({
      format: 'date-time',
      description: 'When the event happened: the instant that it gave, or `heldAt`.',
    }),
    guard: nullable(
      Type.Enum(GUARD_NAMES, {
        description: 'null if a server ended before it had stored the event, and the event was repeated.',
      }),
    ),
    heldAt: Instant,
    status: Type.Enum(HELD_STATUSES, {
      description: '`approving`: the event is approved, and recorded or about to be.',
    }),
    decidedAt: nullable(Instant),
    reason: nullable(Type.String()),
  },
  { $id: 'HeldEvent' },
);
export type HeldEvent = Type.Static<typeof HeldEvent>;

export const ListedHeldEvent = Type.Object(
  {
    ...HeldEvent.properties,
    userName: nullable(
      Type.String({ description: 'null if the user has no name, and before the first event that counts.' }),
    ),
  },
  { $id: 'ListedHeldEvent' },
);
export type ListedHeldEvent = Type.Static<typeof ListedHeldEvent>;

const valueBound = (description: string) =>
  Type.Number({ minimum: -EVENT_VALUE_MAX, maximum: EVENT_VALUE_MAX, description });

/** Which events: all conditions hold. */
const filterFields = {
  user: Type.Optional(Type.String({ minLength: 1, description: 'Id of a user.' })),
  metric: Type.Optional(Type.String({ description: 'Key of a metric.' })),
  guard: Type.Optional(Type.Enum(GUARD_NAMES)),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only events that were held at this instant or later.' }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only events that were held before this instant.' }),
  ),
  minValue: Type.Optional(valueBound('Least value.')),
  maxValue: Type.Optional(valueBound('Greatest value.')),
};
export type HeldEventConditions = Type.Static<Type.TObject<typeof filterFields>>;

export const ListHeldEvents = operation({
  tag: 'Events',
  summary: 'List the events that guards hold for a review',
  description: 'The latest first.',
  access: 'admin',
  query: Type.Object({
    status: Type.Enum(HELD_STATUSES, { default: 'held' }),
    ...filterFields,
    limit: Type.Integer({ minimum: 1, maximum: HELD_EVENTS_PER_READ_MAX, default: 20 }),
    ...cursorQuery,
  }),
  responses: {
    200: Type.Object(
      {
        events: Type.Array(ListedHeldEvent),
        waiting: Type.Integer({
          description: `Number of events that wait for a review, at most ${HELD_EVENTS_COUNTED_MAX}.`,
        }),
        cursor: nextCursor,
      },
      { $id: 'HeldEventPage' },
    ),
  },
  mayMiss: true,
});

export const SummarizeHeldEvents = operation({
  tag: 'Events',
  summary: 'Sum up held events, before all of them are approved or rejected',
  access: 'admin',
  query: Type.Object(filterFields),
  responses: {
    200: Type.Object(
      {
        events: Type.Integer({ description: `Number, at most ${HELD_EVENTS_SUMMED_MAX}.` }),
        users: Type.Integer(),
        metrics: Type.Array(
          Type.Object({
            metric: Type.String({ description: 'Key.' }),
            events: Type.Integer(),
            sum: Double,
            lowest: Double,
            highest: Double,
          }),
        ),
        until: nullable(
          Type.String({
            format: 'date-time',
            description:
              'These events were held before this instant; null without events. As `until` of a decision, it ' +
              'leaves out later ones.',
          }),
        ),
      },
      { $id: 'HeldEventSummary' },
    ),
  },
});

const request = (reason: string) =>
  Type.Object(
    {
      ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: HELD_EVENTS_DECIDED_MAX })),
      filter: Type.Optional(
        Type.Object(filterFields, {
          additionalProperties: false,
          minProperties: 1,
          description: `Instead of \`ids\`: up to ${HELD_EVENTS_DECIDED_MAX} events that wait, the oldest first.`,
        }),
      ),
      ...cursorQuery,
      reason: Reason,
    },
    { examples: [{ ids: ['0199d2a5-7c1e-7000-8000-000000000001'], reason }] },
  );

const Decided = Type.Object(
  {
    events: Type.Array(
      Type.Object({
        id: Uuid,
        status: nullable(
          Type.Enum(HELD_STATUSES, { description: 'After the call; null if no such event is held.' }),
        ),
        error: Type.Optional(Type.String({ description: 'Why the event is not in the status asked for.' })),
      }),
      { description: 'In the order of the request; with `filter`, the oldest first.' },
    ),
    cursor: Type.Optional(nextCursor),
  },
  { $id: 'DecidedEvents' },
);

export const ApproveHeldEvents = operation({
  tag: 'Events',
  summary: 'Approve held events',
  description:
    'Each event is recorded once, whatever is repeated, as an event that arrives late: with its own timestamp, ' +
    'however old. No guard applies to it. An event of a blocked user stays held.',
  access: 'admin',
  role: 'operate',
  request: request('A lesson with a coach'),
  responses: { 200: Decided },
});

export const RejectHeldEvents = operation({
  tag: 'Events',
  summary: 'Reject held events',
  description: 'They change nothing. Rejecting again changes nothing.',
  access: 'admin',
  role: 'operate',
  request: request('Sent by a bot'),
  responses: { 200: Decided },
});
