import Type from 'typebox';
import { TEXT_CHARS_MAX } from '../base/limits.ts';
import { operation } from './operation.ts';
import { CalendarDate, Double, Instant, Named, nullable, Uuid, userPath } from './schemas.ts';

/** An administrator undoes an event of a user. */

const path = Type.Object({
  ...userPath,
  eventId: Type.String({ format: 'uuid', description: '`eventId` of the event, as the timeline shows it.' }),
});

export const EventUndo = Type.Object(
  {
    eventId: Uuid,
    metric: Named,
    value: Type.Number({ format: 'double', description: 'By which the total and the scores fall.' }),
    timestamp: Instant,
    total: Type.Number({ format: 'double', description: "The user's total of the metric now." }),
    leaderboards: Type.Array(
      Type.Object({ leaderboard: Named, run: CalendarDate, isTotal: Type.Boolean() }),
      {
        description:
          'Leaderboards on which the score falls, with the first day of the run. `isTotal`: it ranks by the total.',
      },
    ),
    undoneAt: nullable(Instant),
  },
  { $id: 'EventUndo' },
);
export type EventUndo = Type.Static<typeof EventUndo>;

const STAYS =
  'The streak, achievements, points, best and latest values and final runs stay. The history keeps both events.';
const REFUSED =
  'Only events with a positive value can be undone; not one that undoes another one, a total that an import has set, ' +
  'or an event that is no longer kept.';

export const GetEventUndo = operation({
  tag: 'Events',
  summary: 'Get what undoing an event would change',
  description: `${STAYS} ${REFUSED}`,
  access: 'admin',
  path,
  responses: { 200: EventUndo },
  mayMiss: true,
});

export const UndoEvent = operation({
  tag: 'Events',
  summary: 'Undo an event',
  description:
    'Records an event with the opposite value and the same attributes as of the same instant, as a late event without guards. The total ' +
    `falls, and the scores in runs that are not final. ${STAYS} An event is undone once; repeating the call changes nothing. ` +
    `${REFUSED} An event of a blocked user is refused.`,
  access: 'admin',
  role: 'operate',
  path,
  request: Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: TEXT_CHARS_MAX,
        description: 'For the audit log and the timeline.',
      }),
    },
    { examples: [{ reason: 'Sent twice by the app' }] },
  ),
  responses: {
    200: Type.Object(
      {
        eventId: Uuid,
        id: Type.String({ format: 'uuid', description: 'Of the event that undoes it.' }),
        undone: Type.Boolean({ description: 'False if the event had been undone before.' }),
        total: Double,
      },
      { $id: 'UndoneEvent' },
    ),
  },
  mayMiss: true,
});
