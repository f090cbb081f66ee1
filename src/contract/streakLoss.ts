import Type from 'typebox';
import { STREAK_LOSS_EVENTS_MAX } from '../base/consoleLimits.ts';
import { operation } from './operation.ts';
import {
  boolean,
  CalendarDate,
  Double,
  double,
  Instant,
  instant,
  integer,
  Named,
  named,
  nullable,
  text,
  Uuid,
  userPath,
} from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** Why a user lost a streak, and what a restore would bring back. */

const Period = Type.Object({ start: CalendarDate, end: CalendarDate });

const StreakLoss = named('StreakLoss', {
  lostAt: Instant,
  frequency: StreakFrequency,
  length: integer('Length that was lost.'),
  timeZone: text('Time zone of the user today, in which periods are counted.'),
  missed: Type.Object(Period.properties, { description: 'The period in which the conditions were not met.' }),
  evaluationMode: Type.Enum(['AND', 'OR'], {
    description: '`AND`: all conditions must be met. `OR`: one of them.',
  }),
  conditions: Type.Array(
    Type.Object({
      metric: Named,
      threshold: Double,
      reached: double('Sum of the events in the missed period.'),
    }),
    { description: 'As configured today, or as the user has chosen.' },
  ),
  hasFreezes: boolean('Whether freezes are configured. None was left.'),
  lastFreeze: nullable(
    Type.Object(Period.properties, { description: 'Period that the last freeze before the loss saved.' }),
  ),
  events: Type.Array(
    Type.Object({
      eventId: Uuid,
      at: Instant,
      metric: Named,
      value: Double,
      counts: boolean('Whether the metric is one of the conditions.'),
    }),
    {
      description: `At most ${STREAK_LOSS_EVENTS_MAX} events of the missed period, the day before it and the day after it, newest first.`,
    },
  ),
});
export type StreakLoss = Type.Static<typeof StreakLoss>;

export const GetStreakLoss = operation({
  name: 'getStreakLoss',
  route: 'GET /users/{id}/streak-loss',
  tag: 'Streaks',
  summary: 'Get why a user lost a streak',
  description:
    'The conditions of the period that the user missed, what the user reached, and the events near it. Streaks that an administrator reset ' +
    'are not lost in this sense.',
  path: Type.Object(userPath),
  query: Type.Object({
    at: Type.Optional(instant('The last streak that was lost until then. Default: the last one.')),
  }),
  responses: {
    200: named('StreakLossReport', {
      length: integer('Length of the current streak.'),
      restorable: integer(
        'Length that `POST /admin/v1/streaks/restore` would add; 0 if there is nothing to restore.',
      ),
      loss: nullable(StreakLoss),
    }),
  },
});
