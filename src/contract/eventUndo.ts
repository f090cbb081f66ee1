import Type from 'typebox';
import { Reason } from './adminFields.ts';
import { operation } from './operation.ts';
import {
  boolean,
  CalendarDate,
  Double,
  double,
  Instant,
  integer,
  Named,
  named,
  nullable,
  Uuid,
  userPath,
  uuid,
} from './schemas.ts';

/** An administrator undoes an event of a user. */

const path = Type.Object({
  ...userPath,
  eventId: uuid('`eventId` of the event, as the timeline shows it.'),
});

const Rank = nullable(Type.Integer());
const Score = nullable(Type.Number({ format: 'double' }));

export const EventUndo = named('EventUndo', {
  eventId: Uuid,
  metric: Named,
  value: double('By which the total and the sums fall.'),
  timestamp: Instant,
  total: double("The user's total of the metric now."),
  leaderboards: Type.Array(
    Type.Object({
      leaderboard: Named,
      run: CalendarDate,
      isTotal: Type.Boolean(),
      needsPoints: Type.Boolean(),
      value: Score,
      valueAfter: Score,
      rank: Rank,
      rankAfter: Rank,
    }),
    {
      description:
        'Leaderboards on which the score changes, with the first day of the run, and score and rank now and after the ' +
        'undo. `isTotal`: it ranks by the total. `needsPoints`: only with `points: true`.',
    },
  ),
  points: Type.Array(
    Type.Object({
      pointsSystem: Named,
      awarded: integer('Points that the event was awarded by triggers of its metric.'),
      total: integer("The user's points now."),
    }),
    { description: 'What `points: true` takes back. A total does not fall below 0.' },
  ),
  achievements: Type.Array(Named, {
    description:
      'Completed achievements that no longer hold without the event, and those that require them. `achievements: true` revokes them.',
  }),
  challenges: Type.Array(
    Type.Object({
      challenge: Named,
      run: CalendarDate,
      goal: Named,
      progress: Double,
      progressAfter: Double,
    }),
    {
      description:
        'Goals of challenges whose progress falls, with the first day of the run. What was reached stays reached.',
    },
  ),
  undoneAt: nullable(Instant),
});
export type EventUndo = Type.Static<typeof EventUndo>;

const STAYS =
  'The streak and final runs stay, and so do points and achievements unless the call takes them back. The history keeps both events.';
const REFUSED =
  'Only events with a positive value can be undone; not one that undoes another one, a total that an import has set, ' +
  'or an event that is no longer kept.';

export const GetEventUndo = operation({
  name: 'getEventUndo',
  route: 'GET /users/{id}/events/{eventId}/undo',
  tag: 'Events',
  summary: 'Get what undoing an event would change',
  description: `${STAYS} ${REFUSED}`,
  path,
  responses: { 200: EventUndo },
});

/** What an undo takes back beside the value. */
export const takenBack = {
  points: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Takes back the points that triggers of the metric gave for the event. They can be earned again.',
    }),
  ),
  achievements: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Revokes the achievements that no longer hold. They can be completed again. Needs `points: true`.',
    }),
  ),
};

export const UndoEvent = operation({
  name: 'undoEvent',
  route: 'POST /users/{id}/events/{eventId}/undo',
  tag: 'Events',
  summary: 'Undo an event',
  description:
    'Records an event with the opposite value and the same attributes as of the same instant, as a late event without guards. The total ' +
    `falls, and the sums in runs that are not final; best and latest values are those of the other events. ${STAYS} An event is undone once; repeating the call changes nothing. ` +
    `${REFUSED} An event of a blocked user is refused.`,
  role: 'operate',
  path,
  request: Type.Object(
    {
      reason: Reason,
      ...takenBack,
    },
    // An event is undone once, so a misspelt field must not be left out.
    { additionalProperties: false, examples: [{ reason: 'Sent twice by the app', points: true }] },
  ),
  responses: {
    200: named('UndoneEvent', {
      eventId: Uuid,
      id: uuid('Of the event that undoes it.'),
      undone: boolean('False if the event had been undone before.'),
      total: Double,
    }),
  },
});
