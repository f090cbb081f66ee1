import type { Aggregate, Condition } from '../contract/conditions/condition.ts';
import type { AttributeValue } from '../contract/kinds/field.ts';

/** Which events of a metric count, and what each adds. */
export interface Counting {
  /** All must match. */
  eventAttributes: AttributeValue[];
  /** null holds for every event. */
  where: Condition | null;
  /** null adds the value of the event. */
  aggregate: Aggregate | null;
}

export const ALL_EVENTS: Counting = { eventAttributes: [], where: null, aggregate: null };

/** Identifies a counter: two filters with the same pairs, in whatever order, share one. */
export function counterIdentity(
  metricId: string,
  { eventAttributes, where, aggregate }: Counting = ALL_EVENTS,
): string {
  const pairs = eventAttributes.map((pair) => `${pair.attributeId}=${JSON.stringify(pair.attributeValue)}`);
  const rest = where === null && aggregate === null ? [] : [JSON.stringify([where, aggregate])];
  return [metricId, ...pairs.sort(), ...rest].join('&');
}

/** Keys of the event attributes that a condition names. */
function keysOf(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(keysOf);
  if ('any' in condition) return condition.any.flatMap(keysOf);
  if ('not' in condition) return keysOf(condition.not);
  return 'attribute' in condition ? [condition.attribute] : [];
}

/** Keys of the event attributes whose type matters. */
export const typedKeysOf = ({ where, aggregate }: Pick<Counting, 'where' | 'aggregate'>): string[] => [
  ...(where === null ? [] : keysOf(where)),
  ...(aggregate === null || aggregate === 'count' ? [] : [aggregate.sum]),
];

/** Whether servers and scripts must find out what an event adds. */
export const isComputed = ({ where, aggregate }: Counting): boolean => where !== null || aggregate !== null;
