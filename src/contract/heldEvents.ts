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
import { takenBack } from './eventUndo.ts';
import { GUARD_NAMES } from './guards.ts';
import { operation } from './operation.ts';
import { Double, Instant, instant, integer, named, nullable, text, Uuid, uuid } from './schemas.ts';

/** Events that guards hold for a review (docs/guards.md). */

export const HELD_STATUSES = ['held', 'approving', 'approved', 'undone', 'rejected', 'expired'] as const;

export const HeldEvent = named('HeldEvent', {
  id: uuid('`eventId` of the answer to the event.'),
  userId: Type.String(),
  metric: text('Key. `#` and its number if the metric was deleted.'),
  value: Double,
  attributes: Type.Record(Type.String(), Type.String()),
  timestamp: instant('When the event happened: the instant that it gave, or `heldAt`.'),
  guard: nullable(
    Type.Enum(GUARD_NAMES, {
      description: 'null if a server ended before it had stored the event, and the event was repeated.',
    }),
  ),
  heldAt: Instant,
  status: Type.Enum(HELD_STATUSES, {
    description:
      '`approving`: the event is approved, and recorded or about to be. `undone`: it was approved and undone.',
  }),
  decidedAt: nullable(Instant),
  reason: nullable(Type.String()),
});
export type HeldEvent = Type.Static<typeof HeldEvent>;

export const ListedHeldEvent = named('ListedHeldEvent', {
  ...HeldEvent.properties,
  userName: nullable(text('null if the user has no name, and before the first event that counts.')),
});
export type ListedHeldEvent = Type.Static<typeof ListedHeldEvent>;

const valueBound = (description: string) =>
  Type.Number({ minimum: -EVENT_VALUE_MAX, maximum: EVENT_VALUE_MAX, description });

/** Which events: all conditions hold. */
const filterFields = {
  user: Type.Optional(Type.String({ minLength: 1, description: 'Id of a user.' })),
  metric: Type.Optional(text('Key of a metric.')),
  guard: Type.Optional(Type.Enum(GUARD_NAMES)),
  since: Type.Optional(instant('Only events that were held at this instant or later.')),
  until: Type.Optional(instant('Only events that were held before this instant.')),
  minValue: Type.Optional(valueBound('Minimum value.')),
  maxValue: Type.Optional(valueBound('Maximum value.')),
};
export type HeldEventConditions = Type.Static<Type.TObject<typeof filterFields>>;

const decidedFields = {
  ...filterFields,
  decidedSince: Type.Optional(instant('Only events that were decided on at this instant or later.')),
  decidedUntil: Type.Optional(instant('Only events that were decided on before this instant.')),
};
export type DecidedEventConditions = Type.Static<Type.TObject<typeof decidedFields>>;

export const ListHeldEvents = operation({
  name: 'listHeld',
  route: 'GET /held-events',
  tag: 'Events',
  summary: 'List the events that guards hold for a review',
  description: 'The latest first.',
  query: Type.Object({
    status: Type.Enum(HELD_STATUSES, { default: 'held' }),
    ...filterFields,
    limit: Type.Integer({ minimum: 1, maximum: HELD_EVENTS_PER_READ_MAX, default: 20 }),
    ...cursorQuery,
  }),
  responses: {
    200: named('HeldEventPage', {
      events: Type.Array(ListedHeldEvent),
      waiting: integer(`Number of events that wait for a review, at most ${HELD_EVENTS_COUNTED_MAX}.`),
      cursor: nextCursor,
    }),
  },
});

export const SummarizeHeldEvents = operation({
  name: 'summarizeHeld',
  route: 'GET /held-events/summary',
  tag: 'Events',
  summary: 'Sum up held events, before all of them are approved or rejected, or undone',
  query: Type.Object({
    status: Type.Enum(['held', 'approved'], {
      default: 'held',
      description: '`approved`: events that an undo would change, which have a positive value.',
    }),
    ...decidedFields,
  }),
  responses: {
    200: named('HeldEventSummary', {
      events: integer(`Number, at most ${HELD_EVENTS_SUMMED_MAX}.`),
      users: Type.Integer(),
      metrics: Type.Array(
        Type.Object({
          metric: text('Key.'),
          events: Type.Integer(),
          sum: Double,
          lowest: Double,
          highest: Double,
        }),
      ),
      until: nullable(
        instant(
          'These events were held before this instant; null without events. As `until` of a decision, it ' +
            'leaves out later ones.',
        ),
      ),
    }),
  },
});

const SOME_ID = '0199d2a5-7c1e-7000-8000-000000000001';

/** The events of a call: these, or the next ones that match. */
const askedFields = (conditions: typeof filterFields, matching: string) => ({
  ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: HELD_EVENTS_DECIDED_MAX })),
  filter: Type.Optional(
    Type.Object(conditions, {
      additionalProperties: false,
      minProperties: 1,
      description: `Instead of \`ids\`: up to ${HELD_EVENTS_DECIDED_MAX} ${matching}, the oldest first.`,
    }),
  ),
  ...cursorQuery,
  reason: Reason,
});

const request = (reason: string) =>
  Type.Object(askedFields(filterFields, 'events that wait'), { examples: [{ ids: [SOME_ID], reason }] });

const Decided = named('DecidedEvents', {
  events: Type.Array(
    Type.Object({
      id: Uuid,
      status: nullable(
        Type.Enum(HELD_STATUSES, { description: 'After the call; null if no such event is held.' }),
      ),
      error: Type.Optional(text('Why the event is not in the status asked for.')),
    }),
    { description: 'In the order of the request; with `filter`, the oldest first.' },
  ),
  cursor: Type.Optional(nextCursor),
});

export const ApproveHeldEvents = operation({
  name: 'approveHeldEvents',
  route: 'POST /held-events/approve',
  tag: 'Events',
  summary: 'Approve held events',
  description:
    'Each event is recorded once, whatever is repeated, as an event that arrives late: with its own timestamp, ' +
    'however old. No guard applies to it. An event of a blocked user stays held.',
  role: 'operate',
  request: request('A lesson with a coach'),
  responses: { 200: Decided },
});

export const RejectHeldEvents = operation({
  name: 'rejectHeldEvents',
  route: 'POST /held-events/reject',
  tag: 'Events',
  summary: 'Reject held events',
  description: 'They change nothing. Rejecting again changes nothing.',
  role: 'operate',
  request: request('Sent by a bot'),
  responses: { 200: Decided },
});

export const UndoApprovedEvents = operation({
  name: 'undoApprovedEvents',
  route: 'POST /held-events/undo',
  tag: 'Events',
  summary: 'Undo approved events',
  description:
    'Undoes each event as `POST /users/{id}/events/{eventId}/undo` does. Repeating the call changes nothing. ' +
    'A rejected event has changed nothing, so it cannot be undone: send it again.',
  role: 'operate',
  request: Type.Object(
    { ...askedFields(decidedFields, 'approved events with a positive value'), ...takenBack },
    {
      // An event is undone once, so a misspelt field must not be left out.
      additionalProperties: false,
      examples: [{ ids: [SOME_ID], reason: 'Approved by mistake', points: true }],
    },
  ),
  responses: { 200: Decided },
});
