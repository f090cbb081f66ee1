import type { AttributeType } from '../../contract/kinds/attributeKind.ts';
import type { ChangeOrigin } from '../changeOrigin.ts';
import { compileCounter } from '../conditions/compileCounter.ts';
import { DerivedAttributes, isNamed } from '../conditions/derivedAttributes.ts';
import type { Attribute, AttributeValue, Config, Counter, Metric } from '../config.ts';
import { ALL_EVENTS, type Counting, counterIdentity } from '../counting.ts';
import type { Filter, ScriptCounter, ScriptRepeat } from '../scriptRules.ts';

/** Replaces the ids of attributes in filters by their numbers. */
export function filterCompiler(config: Config): (pairs: AttributeValue[]) => Filter {
  const attributeNo = new Map(config.attributes.map((attribute) => [attribute.id, attribute.no]));
  return (pairs) =>
    pairs.length > 0 && pairs.flatMap((pair) => [attributeNo.get(pair.attributeId)!, pair.attributeValue]);
}

/** What the parts of one compilation share: the lookups from id to number, and the counters used so far. */
export class CompileScope {
  readonly config: Config;
  readonly origin: ChangeOrigin;
  /** The metric of an event; null without one. */
  readonly metric: Metric | null;
  readonly compileFilter: (pairs: AttributeValue[]) => Filter;
  /** True when the origin is an event of a metric that the streak's settings name. */
  readonly isStreakCondition: boolean;
  /** By key. */
  readonly attributes: Record<AttributeType, ReadonlyMap<string, Attribute>>;
  readonly mayExtendStreak: boolean;
  readonly mayLengthenStreak: boolean;
  readonly #counters: Map<string, Counter>;
  readonly #derived: DerivedAttributes | null;
  readonly #used = new Map<number, ScriptCounter>();
  readonly #named = new Set<Counter>();

  constructor(config: Config, origin: ChangeOrigin) {
    const metric = 'metric' in origin ? origin.metric : null;
    const { metrics, enabled, customizationEnabled } = config.streak;
    this.config = config;
    this.origin = origin;
    this.metric = metric;
    this.compileFilter = filterCompiler(config);
    this.isStreakCondition = metric !== null && metrics.some(({ key }) => key === metric.key);
    this.mayExtendStreak = enabled && metric !== null && (this.isStreakCondition || customizationEnabled);
    this.mayLengthenStreak = this.mayExtendStreak || (enabled && origin.kind === 'restoredStreak');
    this.#counters = new Map(
      config.counters.map((counter) => [counterIdentity(counter.metricId, counter), counter]),
    );
    const ofType = (wanted: AttributeType) =>
      new Map(
        config.attributes
          .filter(({ type }) => type === wanted)
          .map((attribute) => [attribute.key, attribute]),
      );
    this.attributes = { event: ofType('event'), user: ofType('user') };
    this.#derived = metric && new DerivedAttributes(config, metric);
  }

  /** The number of the counter of a metric's events. */
  counterNo(metricId: string, counting: Counting): number {
    return this.#counterOf(metricId, counting).no;
  }

  #counterOf(metricId: string, counting: Counting): Counter {
    const counter = this.#counters.get(counterIdentity(metricId, counting));
    if (counter === undefined) throw new Error(`no counter for metric ${metricId}`);
    return counter;
  }

  /** The same for a counter to which an event must add, if it is of the metric of the event. */
  useCounter(metricId: string, counting: Counting = ALL_EVENTS): number {
    const counter = this.#counterOf(metricId, counting);
    const { no } = counter;
    if (this.metric === null || metricId !== this.metric.id) return no;
    if (isNamed(this.metric, counting)) this.#named.add(counter);
    else if (!this.#used.has(no)) this.#used.set(no, this.compileCounter(metricId, counting));
    return no;
  }

  /** What the scripts test and add for a way of counting the metric of the event. */
  compileCounter(metricId: string, counting: Counting): ScriptCounter {
    const filter = this.compileFilter(counting.eventAttributes);
    const no = this.counterNo(metricId, counting);
    return compileCounter(no, counting, filter, this.#derived!, this.attributes);
  }

  /** Has an achievement completed whenever a period of a counter reaches a value. */
  repeatBy(counter: number, repeat: ScriptRepeat): void {
    const used = this.#used.get(counter);
    if (used) used.repeated = [...(used.repeated ?? []), repeat];
  }

  /** The counters to which the script finds out what an event adds. */
  get usedCounters(): ScriptCounter[] {
    return [...this.#used.values()];
  }

  /** Those that the event names. */
  get namedCounters(): Counter[] {
    return [...this.#named];
  }
}
