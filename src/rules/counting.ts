import type { Aggregate, Condition } from '../contract/conditions/condition.ts';
import type { AttributeType } from '../contract/kinds/attributeKind.ts';
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

/** A text that is the same for equal values. PostgreSQL orders the fields of an object in its own way. */
export const identityOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Identifies a counter: two filters with the same pairs, in whatever order, share one. */
export function counterIdentity(
  metricId: string,
  { eventAttributes, where, aggregate }: Counting = ALL_EVENTS,
): string {
  const pairs = eventAttributes.map((pair) => `${pair.attributeId}=${JSON.stringify(pair.attributeValue)}`);
  const rest = where === null && aggregate === null ? [] : [identityOf([where, aggregate])];
  return [metricId, ...pairs.sort(), ...rest].join('&');
}

/** An attribute of events or users, by key. */
export interface NamedAttribute {
  type: AttributeType;
  key: string;
}

/** The attributes that a condition names, which need not be valid. */
function attributesIn(condition: unknown, type: AttributeType = 'event'): NamedAttribute[] {
  if (typeof condition !== 'object' || condition === null) return [];
  return Object.entries(condition).flatMap(([name, part]) =>
    name === 'attribute' && typeof part === 'string'
      ? [{ type, key: part }]
      : attributesIn(part, name === 'user' ? name : type),
  );
}

/** The attributes whose type matters. */
export const typedAttributesOf = ({
  where,
  aggregate,
}: Pick<Counting, 'where' | 'aggregate'>): NamedAttribute[] => [
  ...attributesIn(where),
  ...(aggregate === null || aggregate === 'count' ? [] : [{ type: 'event' as const, key: aggregate.sum }]),
];

/** Whether servers and scripts must find out what an event adds. */
export const isComputed = ({ where, aggregate }: Counting): boolean => where !== null || aggregate !== null;
