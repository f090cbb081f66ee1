import { numberOf } from '../conditions/derivedAttributes.ts';
import { conditionTest } from '../conditions/holds.ts';
import { typesOf } from '../conditions/typedValues.ts';
import { attributeOf, type Counting, isComputed, numberAttributeOf } from '../counting.ts';
import { matchesAll } from './filters.ts';
import type { Rules } from './rules.ts';

/** An event of the history. */
export interface CountedEvent {
  value: number;
  /** Values of event attributes, by number. */
  attributes: ReadonlyMap<number, string>;
  /** Local day ordinal. */
  day: number;
}

/**
 * What an event adds to a counter of its metric that is a sum or a number of events; 1 to a number of days, 0
 * to a number of values. null if it does not count.
 */
export function addendOf(rules: Rules, counting: Counting, event: CountedEvent): number | null {
  const { eventAttributes, where, aggregate } = counting;
  if (!matchesAll(rules, eventAttributes, event.attributes)) return null;
  if (!isComputed(counting)) return event.value;
  const byKey = rules.eventAttributeByKey;
  const attributes = Object.fromEntries(
    Array.from(byKey.values(), ({ key, no }) => [key, event.attributes.get(no)]),
  );
  const { value, day } = event;
  if (where !== null && !conditionTest(where, typesOf(rules.config))({ attributes, value, day })) return null;
  if (aggregate === 'count' || aggregate === 'days') return 1;
  const number = numberAttributeOf(aggregate);
  if (number !== null) return numberOf(attributes[number]);
  const attribute = attributeOf(aggregate);
  if (attribute === null) return value;
  return attributes[attribute] === undefined ? null : 0;
}
