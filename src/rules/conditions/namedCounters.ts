import type { Config, Counter } from '../config.ts';
import { type Counting, numberAttributeOf } from '../counting.ts';
import { numberOf } from './derivedAttributes.ts';
import { conditionTest, type GivenAttributes } from './holds.ts';
import { typesOf } from './typedValues.ts';

/** The counters that an event names, as the scripts take them; false without any. */
export interface NamedCounters {
  /** Numbers of those that add its value. */
  counters: number[] | false;
  /** Those that add something else: flat list of COUNTER_ADDEND. */
  addends: number[] | false;
}

const NONE: NamedCounters = { counters: false, addends: false };

interface Test {
  no: number;
  aggregate: Counting['aggregate'];
  holds(attributes: GivenAttributes, value: number): boolean;
}

/** Finds out which of these counters an event names. */
export class CounterNames {
  readonly #tests: Test[];

  /** @param counters each `isNamed` (derivedAttributes.ts) */
  constructor(config: Config, counters: readonly Counter[]) {
    const typeOf = typesOf(config);
    const keyOf = new Map(config.attributes.map(({ id, key }) => [id, key]));
    this.#tests = counters.map(({ no, eventAttributes, where, aggregate }) => {
      const filter = eventAttributes.map(
        (pair) => [keyOf.get(pair.attributeId)!, pair.attributeValue] as const,
      );
      const test = where === null ? null : conditionTest(where, typeOf);
      return {
        no,
        aggregate,
        holds: (attributes, value) =>
          filter.every(([key, text]) => textOf(attributes[key]) === text) &&
          (test === null || test({ attributes, value, day: 0, second: 0, user: {} })),
      };
    });
  }

  of(attributes: GivenAttributes, value: number): NamedCounters {
    if (this.#tests.length === 0) return NONE;
    const [counters, addends]: [number[], number[]] = [[], []];
    for (const { no, aggregate, holds } of this.#tests) {
      if (!holds(attributes, value)) continue;
      if (aggregate === null) counters.push(no);
      else {
        const addend = addendOf(aggregate, attributes);
        if (addend !== null) addends.push(no, addend);
      }
    }
    return { counters: counters.length > 0 && counters, addends: addends.length > 0 && addends };
  }
}

/** What takes back an event that names these counters. Its value is taken back anyway. */
export const takenBack = ({ counters, addends }: NamedCounters): NamedCounters => ({
  counters,
  addends: addends ? addends.map((part, i) => (i % 2 === 0 ? part : -part)) : false,
});

/** The text as which the value of an attribute is stored. */
const textOf = (value: GivenAttributes[string]): string | null =>
  value === null || value === undefined ? null : String(value);

const addendOf = (
  aggregate: NonNullable<Counting['aggregate']>,
  attributes: GivenAttributes,
): number | null => (aggregate === 'count' ? 1 : numberOf(attributes[numberAttributeOf(aggregate)!]));
