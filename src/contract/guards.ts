import Type from 'typebox';
import {
  EVENT_VALUE_MAX,
  GUARD_COOLDOWN_SECONDS_MAX,
  GUARD_EVENTS_MAX,
  GUARD_LIMITS_MAX,
} from '../base/limits.ts';

/** Guards of a metric: what its events must satisfy (docs/guards.md). */

export const GUARD_PERIODS = ['hour', 'day'] as const;

/** Names of the guards in answers and metrics. */
export const GUARD_NAMES = ['minValue', 'maxValue', 'cooldownSeconds', 'limits'] as const;
export type GuardName = (typeof GUARD_NAMES)[number];

const value = (description: string) =>
  Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -EVENT_VALUE_MAX,
      maximum: EVENT_VALUE_MAX,
      description,
    }),
  );

/** Exactly one of `events` and `value` is given. */
const GuardLimit = Type.Object(
  {
    per: Type.Enum(GUARD_PERIODS, { description: 'Hours are those of UTC. Days are those of the user.' }),
    events: Type.Optional(
      Type.Integer({ minimum: 1, maximum: GUARD_EVENTS_MAX, description: 'Number of events that count.' }),
    ),
    value: Type.Optional(
      Type.Number({
        format: 'double',
        exclusiveMinimum: 0,
        maximum: EVENT_VALUE_MAX,
        description: 'Sum of the values of the events that count.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Guards = Type.Object(
  {
    minValue: value('Minimum value of an event.'),
    maxValue: value('Maximum value of an event.'),
    cooldownSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: GUARD_COOLDOWN_SECONDS_MAX,
        description: 'Time between two events of a user that count.',
      }),
    ),
    limits: Type.Optional(
      Type.Array(GuardLimit, {
        maxItems: GUARD_LIMITS_MAX,
        description: 'Maximum per user and hour or day.',
      }),
    ),
    action: Type.Optional(
      Type.Enum(['refuse', 'clamp', 'hold'], {
        description:
          '`refuse` answers 422 and records nothing. `clamp` reduces the value to what is allowed; an event of which nothing is left is refused. `hold` answers 202 and keeps the event for a review.',
        default: 'refuse',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Guards = Type.Static<typeof Guards>;
