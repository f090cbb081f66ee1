import Type from 'typebox';
import { EVENT_VALUE_MAX, NAME_CHARS_MAX } from '../base/limits.ts';
import { AttributeFilter, idOf, optional } from './adminFields.ts';
import type { Aggregate, Condition } from './conditions/condition.ts';
import { AggregateSchema, ConditionSchema } from './conditions/conditionSchemas.ts';
import { Fields, filter } from './configFields.ts';
import { KEY_PATTERN, text } from './schemas.ts';

/** Goals of a challenge (docs/challenges.md). */

/** What is counted within a run, and how much of it the goal asks for. */
export interface Goal {
  /** Unique within the challenge. */
  key: string;
  name: string;
  metricId: string;
  aggregate: Aggregate | null;
  target: number;
  eventAttributes: Type.Static<typeof AttributeFilter>;
  where: Condition | null;
  /** Since when it counts, ISO 8601: events that arrived before are not part of its progress. */
  since: string;
}

const KEY = 'Key of the goal, unique within the challenge.';
const NAME = 'Name shown to people.';
const FILTER = 'Only events with all of these attribute values count.';
const WHERE = 'Only events for which this condition holds count.';
const AGGREGATE =
  'What is counted: events (`count`), local days with an event (`days`), the `sum` or the `max` of the numbers in an attribute, or its different values (`distinct`, up to 64). Default: the sum of the values.';
const TARGET = 'What the user must reach within a run.';

/** In a configuration file. */
export const GoalItem = Fields({
  key: Type.String({ pattern: KEY_PATTERN, maxLength: NAME_CHARS_MAX, description: KEY }),
  name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description: NAME }),
  metric: text('Key of the metric.'),
  aggregate: Type.Optional({ ...AggregateSchema, description: AGGREGATE }),
  target: Type.Number({ exclusiveMinimum: 0, maximum: EVENT_VALUE_MAX, description: TARGET }),
  eventAttributes: filter(FILTER),
  where: Type.Optional({ ...ConditionSchema, description: WHERE }),
});
export type FileGoal = Type.Static<typeof GoalItem>;

/** In the Admin API. */
export const GoalInput = Type.Object({
  key: text(KEY),
  name: text(NAME),
  metricId: idOf('the metric'),
  aggregate: optional({ ...AggregateSchema, description: AGGREGATE }),
  target: Type.Number({ format: 'double', description: TARGET }),
  eventAttributes: optional({ ...AttributeFilter, description: FILTER }),
  where: optional({ ...ConditionSchema, description: WHERE }),
});
export type GoalInput = Type.Static<typeof GoalInput>;
