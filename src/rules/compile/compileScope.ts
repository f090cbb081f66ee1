import type { ChangeOrigin } from '../changeOrigin.ts';
import type { AttributeValue, Config, Counter, Metric } from '../config.ts';
import { counterIdentity } from '../counters.ts';
import type { Filter } from '../scriptRules.ts';

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
  readonly mayExtendStreak: boolean;
  readonly mayLengthenStreak: boolean;
  readonly #counters: Map<string, Counter>;
  readonly #used = new Map<number, { no: number; filter: Filter }>();

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
      config.counters.map((counter) => [counterIdentity(counter.metricId, counter.eventAttributes), counter]),
    );
  }

  /** The number of the counter of a metric's events that match a filter. */
  counterNo(metricId: string, filter: AttributeValue[]): number {
    const counter = this.#counters.get(counterIdentity(metricId, filter));
    if (counter === undefined) throw new Error(`no counter for metric ${metricId}`);
    return counter.no;
  }

  /** The same for a counter that the event must add to. */
  useCounter(metricId: string, filter: AttributeValue[]): number {
    const no = this.counterNo(metricId, filter);
    this.#used.set(no, { no, filter: this.compileFilter(filter) });
    return no;
  }

  /** Every counter that `useCounter` has returned. */
  get usedCounters(): { no: number; filter: Filter }[] {
    return [...this.#used.values()];
  }
}
