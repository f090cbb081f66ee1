import Type from 'typebox';
import { MATCHED_EVENTS_MAX, MATCHED_EXAMPLES_MAX } from '../../base/trialLimits.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { ConditionSchema } from '../conditions/conditionSchemas.ts';
import { operation } from '../operation.ts';
import { double, Instant, integer, named, nullable, Uuid } from '../schemas.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

const { eventAttributes } = ADMIN_RESOURCES.achievements.create.properties;

const MatchedEvent = named('MatchedEvent', {
  eventId: Uuid,
  userId: Type.String(),
  name: nullable(Type.String()),
  at: Instant,
  value: double('The value of the event.'),
  attributes: Type.Record(Type.String(), Type.String()),
  matches: Type.Boolean(),
});
export type MatchedEvent = Type.Static<typeof MatchedEvent>;

export const MatchEvents = operation({
  name: 'matchEvents',
  route: 'POST /metrics/match',
  tag: 'Metrics',
  summary: 'Try a condition on the latest events of a metric',
  description:
    `Says how many of the latest events, up to ${MATCHED_EVENTS_MAX}, a condition holds for. Nothing changes. ` +
    'Where the history does not hold the clock or the attributes of a user at an event, those of today count.',
  role: 'read',
  request: Type.Object(
    { metricId: Uuid, where: ConditionSchema, eventAttributes },
    { examples: [{ metricId: EXAMPLE_ID, where: { value: { gte: 10 } } }] },
  ),
  responses: {
    200: named('MatchedEvents', {
      events: integer('Number of events that were looked at.'),
      matching: integer('Number of these that count.'),
      examples: Type.Array(MatchedEvent, {
        description: `The latest ${MATCHED_EXAMPLES_MAX} that count and the latest ${MATCHED_EXAMPLES_MAX} that do not, the latest first.`,
      }),
    }),
  },
});
