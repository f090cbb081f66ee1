import Type from 'typebox';
import { STREAK_LOSS_EVENTS_MAX } from '../base/consoleLimits.ts';
import { operation } from './operation.ts';
import { CalendarDate, Double, Instant, Named, nullable, Uuid, userPath } from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** Why a user lost a streak, and what a restore would bring back. */

const Period = Type.Object({ start: CalendarDate, end: CalendarDate });

const StreakLoss = Type.Object(
  {
    lostAt: Instant,
    frequency: StreakFrequency,
    length: Type.Integer({ description: 'Length that was lost.' }),
    timeZone: Type.String({ description: 'Time zone of the user today, in which periods are counted.' }),
    missed: Type.Object(Period.properties, {
      description: 'The period in which the conditions were not met.',
    }),
    evaluationMode: Type.Enum(['AND', 'OR'], {
      description: '`AND`: all conditions must be met. `OR`: one of them.',
    }),
    conditions: Type.Array(
      Type.Object({
        metric: Named,
        threshold: Double,
        reached: Type.Number({ format: 'double', description: 'Sum of the events in the missed period.' }),
      }),
      { description: 'As configured today, or as the user has chosen.' },
    ),
    hasFreezes: Type.Boolean({ description: 'Whether freezes are configured. None was left.' }),
    lastFreeze: nullable(
      Type.Object(Period.properties, { description: 'Period that the last freeze before the loss saved.' }),
    ),
    events: Type.Array(
      Type.Object({
        eventId: Uuid,
        at: Instant,
        metric: Named,
        value: Double,
        counts: Type.Boolean({ description: 'Whether the metric is one of the conditions.' }),
      }),
      {
        description: `At most ${STREAK_LOSS_EVENTS_MAX} events of the missed period, the day before it and the day after it, newest first.`,
      },
    ),
  },
  { $id: 'StreakLoss' },
);
export type StreakLoss = Type.Static<typeof StreakLoss>;

export const GetStreakLoss = operation({
  tag: 'Streaks',
  summary: 'Get why a user lost a streak',
  description:
    'The conditions of the period that the user missed, what the user reached, and the events near it. Streaks that an administrator reset ' +
    'are not lost in this sense.',
  access: 'admin',
  path: Type.Object(userPath),
  query: Type.Object({
    at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'The last streak that was lost until then. Default: the last one.',
      }),
    ),
  }),
  responses: {
    200: Type.Object(
      {
        length: Type.Integer({ description: 'Length of the current streak.' }),
        restorable: Type.Integer({
          description:
            'Length that `POST /admin/v1/streaks/restore` would add; 0 if there is nothing to restore.',
        }),
        loss: nullable(StreakLoss),
      },
      { $id: 'StreakLossReport' },
    ),
  },
  mayMiss: true,
});
