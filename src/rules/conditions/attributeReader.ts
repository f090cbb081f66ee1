import type { Config, Counter } from '../config.ts';
import { DerivedAttributes, type DerivedPairs } from './derivedAttributes.ts';
import type { GivenAttributes } from './holds.ts';
import { CounterNames, type NamedCounters } from './namedCounters.ts';

const NOTHING_DERIVED: DerivedPairs = [];

/** Finds out what the attributes of an event of a metric tell the scripts. */
export class AttributeReader {
  readonly #derived: DerivedAttributes;
  readonly #names: CounterNames;

  /** @param named the counters that such an event may name */
  constructor(config: Config, metricId: string, named: readonly Counter[]) {
    this.#derived = new DerivedAttributes(config, metricId);
    this.#names = new CounterNames(config, named);
  }

  read(attributes: GivenAttributes): { derived: DerivedPairs; named: NamedCounters } {
    return {
      derived: this.#derived.isEmpty ? NOTHING_DERIVED : this.#derived.of(attributes),
      named: this.#names.of(attributes),
    };
  }
}
