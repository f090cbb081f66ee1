import {
  type Aggregate,
  type Condition,
  type CountingPeriod,
  EVENT_VALUE,
} from '../contract/conditions/condition.ts';
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
  /** Within each of these periods; null for ever. What cannot have one leaves it out. */
  per?: CountingPeriod | null;
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
  { eventAttributes, where, aggregate, per = null }: Counting = ALL_EVENTS,
): string {
  const pairs = eventAttributes.map((pair) => `${pair.attributeId}=${JSON.stringify(pair.attributeValue)}`);
  const rest = isComputed({ where, aggregate, per }) ? [identityOf([where, aggregate, per])] : [];
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
export function typedAttributesOf({
  where,
  aggregate,
}: Pick<Counting, 'where' | 'aggregate'>): NamedAttribute[] {
  const key = attributeOf(aggregate);
  return [...attributesIn(where), ...(key === null ? [] : [{ type: 'event' as const, key }])];
}

/** Whether servers and scripts must find out what an event adds. */
export const isComputed = ({ where, aggregate, per }: Omit<Counting, 'eventAttributes'>): boolean =>
  where !== null || aggregate !== null || (per ?? null) !== null;

/** The key of the event attribute that an aggregate names; null if it names none. */
export const attributeOf = (aggregate: Aggregate | null): string | null =>
  typeof aggregate === 'object' && aggregate !== null && 'distinct' in aggregate
    ? aggregate.distinct
    : numberAttributeOf(aggregate);

/** The key of the event attribute of which an aggregate takes the number; null if there is none. */
export function numberAttributeOf(aggregate: Aggregate | null): string | null {
  if (typeof aggregate !== 'object' || aggregate === null) return null;
  if ('sum' in aggregate) return aggregate.sum;
  return 'max' in aggregate && aggregate.max !== EVENT_VALUE ? aggregate.max : null;
}
