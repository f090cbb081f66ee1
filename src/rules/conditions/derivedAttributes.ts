import type { Condition } from '../../contract/conditions/condition.ts';
import { countersOfGoals } from '../challenges/goals.ts';
import type { Config, Counter, Metric } from '../config.ts';
import { mayFall } from '../counterMarks.ts';
import { type Counting, counterIdentity, identityOf, isComputed, numberAttributeOf } from '../counting.ts';
import { conditionTest, type GivenAttributes } from './holds.ts';
import { readTyped, type TypeOf, typesOf } from './typedValues.ts';

/*
 * The server finds out once what follows from what it knows of an event. If that is all that a counter
 * asks, the event names the counter (namedCounters.ts). What is a part of a condition, the scripts get as
 * attributes of the event that are not configured: with negative numbers, `true` where it holds, and a number
 * that a counter adds. So a condition on attributes costs a script no more than a filter.
 */

/** What the attributes of an event tell. */
export type Derived = { holds: Condition } | { number: string };

/** Of an event without the attribute, and where the condition does not hold, nothing. */
export type DerivedPairs = (number | true)[];

type Find = (attributes: GivenAttributes) => number | true | null;

/** Whether all parts of a condition are of these forms. */
function isOfForms(condition: Condition, forms: readonly string[]): boolean {
  if ('all' in condition) return condition.all.every((part) => isOfForms(part, forms));
  if ('any' in condition) return condition.any.every((part) => isOfForms(part, forms));
  if ('not' in condition) return isOfForms(condition.not, forms);
  return forms.some((form) => form in condition);
}

/** Whether a condition looks at nothing but attributes. */
export const isOfAttributes = (condition: Condition): boolean => isOfForms(condition, ['attribute']);

/** What the server knows of an event. The script knows its value only if a guard may reduce it. */
const formsOfServer = ({ guards }: Pick<Metric, 'guards'>): string[] =>
  guards?.action === 'clamp' ? ['attribute'] : ['attribute', 'value'];

/**
 * Whether what the server knows of an event of the metric decides whether it counts. Then the event names the
 * counter, and a script looks at no counter that an event does not concern.
 */
export const isNamed = (
  metric: Pick<Metric, 'guards'>,
  { eventAttributes, where, aggregate, per = null }: Counting,
): boolean =>
  (eventAttributes.length > 0 || isComputed({ where, aggregate, per })) &&
  (where === null || isOfForms(where, formsOfServer(metric))) &&
  per === null &&
  aggregate !== 'days' &&
  mayFall({ eventAttributes, where, aggregate });

/** What holds if the whole does, in parts that are as small as possible. */
const conjuncts = (condition: Condition): Condition[] =>
  'all' in condition ? condition.all.flatMap(conjuncts) : [condition];

/** A condition in the parts that the server and the script test, each null if there is none. */
export interface SplitCondition {
  derived: Condition | null;
  ofScript: Condition[];
}

export function splitCondition(where: Condition | null): SplitCondition {
  const parts = where === null ? [] : conjuncts(where);
  const derived = parts.filter(isOfAttributes);
  return {
    derived: derived.length === 0 ? null : derived.length === 1 ? derived[0]! : { all: derived },
    ofScript: parts.filter((part) => !isOfAttributes(part)),
  };
}

/** The largest parts of a condition that look at nothing but attributes. */
function derivedParts(condition: Condition): Condition[] {
  if (isOfAttributes(condition)) return [condition];
  if ('all' in condition) return condition.all.flatMap(derivedParts);
  if ('any' in condition) return condition.any.flatMap(derivedParts);
  return 'not' in condition ? derivedParts(condition.not) : [];
}

const derivedOf = ({ where, aggregate }: Counting): Derived[] => {
  const { derived, ofScript } = splitCondition(where);
  const number = numberAttributeOf(aggregate);
  const conditions = [...(derived === null ? [] : [derived]), ...ofScript.flatMap(derivedParts)];
  return [...conditions.map((holds) => ({ holds })), ...(number === null ? [] : [{ number }])];
};

/** The derived attributes of the events of a metric, with their numbers. */
export class DerivedAttributes {
  readonly #numbers = new Map<string, number>();
  readonly #found: { no: number; find: Find }[] = [];

  constructor(config: Config, metric: Metric) {
    const typeOf = typesOf(config);
    const ofGoals = countersOfGoals(config.challenges);
    const isDerived = (counter: Counter): boolean =>
      isComputed(counter) && (!isNamed(metric, counter) || ofGoals.has(counterIdentity(metric.id, counter)));
    const counted = config.counters.filter((counter) => counter.metricId === metric.id && isDerived(counter));
    for (const derived of counted.flatMap(derivedOf)) {
      const identity = identityOf(derived);
      if (this.#numbers.has(identity)) continue;
      const no = -1 - this.#numbers.size;
      this.#numbers.set(identity, no);
      this.#found.push({ no, find: findOf(derived, typeOf) });
    }
  }

  /** The number of a derived attribute; undefined if no counter of the metric needs it. */
  no(derived: Derived): number | undefined {
    return this.#numbers.get(identityOf(derived));
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** The derived attributes of an event with these attributes (by key), as the scripts take them. */
  of(attributes: GivenAttributes): DerivedPairs {
    const pairs: DerivedPairs = [];
    for (const { no, find } of this.#found) {
      const value = find(attributes);
      if (value !== null) pairs.push(no, value);
    }
    return pairs;
  }
}

function findOf(derived: Derived, typeOf: TypeOf): Find {
  if ('number' in derived) return (attributes) => numberOf(attributes[derived.number]);
  const holds = conditionTest(derived.holds, typeOf);
  return (attributes) => (holds({ attributes, value: 0, day: 0, second: 0, user: {} }) ? true : null);
}

/** The number that an attribute holds; null if it holds none. */
export function numberOf(given: GivenAttributes[string]): number | null {
  return given === null || given === undefined ? null : (readTyped('number', given) as number | null);
}
