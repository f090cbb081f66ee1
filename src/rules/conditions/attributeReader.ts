import type { Config, Counter, Metric } from '../config.ts';
import { DerivedAttributes, type DerivedPairs } from './derivedAttributes.ts';
import type { GivenAttributes } from './holds.ts';
import { CounterNames, type NamedCounters } from './namedCounters.ts';

const NOTHING_DERIVED: DerivedPairs = [];

/** Finds out what the server tells the scripts of an event of a metric. */
export class AttributeReader {
  readonly #derived: DerivedAttributes;
  readonly #names: CounterNames;

  /** @param named the counters that such an event may name */
  constructor(config: Config, metric: Metric, named: readonly Counter[]) {
    this.#derived = new DerivedAttributes(config, metric);
    this.#names = new CounterNames(config, named);
  }

  read(attributes: GivenAttributes, value: number): { derived: DerivedPairs; named: NamedCounters } {
    return {
      derived: this.#derived.isEmpty ? NOTHING_DERIVED : this.#derived.of(attributes),
      named: this.#names.of(attributes, value),
    };
  }
}
