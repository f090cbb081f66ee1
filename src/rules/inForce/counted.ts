import { numberOf } from '../conditions/derivedAttributes.ts';
import { CLOCK, type Facts, factsNeeded, userFact } from '../conditions/facts.ts';
import { conditionTest, type GivenAttributes } from '../conditions/holds.ts';
import { typesOf } from '../conditions/typedValues.ts';
import type { Attribute } from '../config.ts';
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
  facts: Facts;
}

/**
 * What an event adds to a counter of its metric that is a sum or a number of events; 1 to a number of days, 0
 * to a number of values. null if it does not count.
 */
export function addendOf(rules: Rules, counting: Counting, event: CountedEvent): number | null {
  const { eventAttributes, where, aggregate } = counting;
  if (!matchesAll(rules, eventAttributes, event.attributes)) return null;
  if (!isComputed(counting)) return event.value;
  const { value, day, facts } = event;
  const users = rules.userAttributeByKey;
  if (factsNeeded(counting, users).some((key) => !(key in facts))) return null;
  const attributes = byKey(rules.eventAttributeByKey, (no) => event.attributes.get(no));
  if (where !== null) {
    const user = byKey(users, (no) => facts[userFact(no)]);
    const seen = { attributes, value, day, second: Number(facts[CLOCK] ?? 0), user };
    if (!conditionTest(where, typesOf(rules.config))(seen)) return null;
  }
  if (aggregate === 'count' || aggregate === 'days') return 1;
  const number = numberAttributeOf(aggregate);
  if (number !== null) return numberOf(attributes[number]);
  const attribute = attributeOf(aggregate);
  if (attribute === null) return value;
  return attributes[attribute] === undefined ? null : 0;
}

const byKey = (
  known: ReadonlyMap<string, Attribute>,
  find: (no: number) => string | null | undefined,
): GivenAttributes => Object.fromEntries(Array.from(known.values(), ({ key, no }) => [key, find(no)]));
