import {
  type AttributeCondition,
  type Comparison,
  type Condition,
  DISTINCT_VALUES_MAX,
} from '../../src/contract/conditions/condition.ts';
import type { Achievement, AttributeValue, Config } from '../../src/rules/config.ts';
import type { Counting } from '../../src/rules/counting.ts';
import { type LocalDate, withSeconds } from './modelCalendar.ts';

/** What counts, by docs/conditions.md. */

/** Values by attribute id. */
export type Attributes = Record<string, string>;
type Typed = string | number | boolean;

/**
 * What conditions look at: attributes by id, and by key as what they are compared as; the date and the time
 * (HH:mm:ss) on the user's clock; the attributes that the user had.
 */
export interface Countable {
  value: number;
  attributes: Attributes;
  typed: Record<string, Typed>;
  localDate: LocalDate;
  clock: string;
  user: Record<string, Typed>;
  /** The event that this one undoes. */
  undoes?: Countable;
  /** Whether it stands for a total that an import has set, which nothing but the metric itself counts. */
  isTotal?: boolean;
}

/** The achievements that one asks for, and how many of them. */
export function prerequisites({ achievementIds: asked }: Pick<Achievement, 'achievementIds'>): {
  ids: string[];
  needed: number;
} {
  return 'of' in asked ? { ids: asked.of, needed: asked.atLeast } : { ids: asked, needed: asked.length };
}

/** True when the attributes have every pair of the filter. */
export function matches(filter: AttributeValue[], attributes: Attributes): boolean {
  return filter.every((pair) => attributes[pair.attributeId] === pair.attributeValue);
}

/** The attributes of an event or a user by key, as what their types say. */
export function typedAttributes(config: Config, attributes: Attributes): Record<string, Typed> {
  const typed: Record<string, Typed> = {};
  for (const { id, key, valueType } of config.attributes) {
    const text = attributes[id];
    if (text === undefined) continue;
    typed[key] = valueType === 'number' ? Number(text) : valueType === 'boolean' ? text === 'true' : text;
  }
  return typed;
}

/** What an event adds; null if it does not count. What one has added, another one takes away that undoes it. */
export function addedBy(counting: Counting, event: Countable): number | null {
  const { eventAttributes, where, aggregate, per = null } = counting;
  if (event.isTotal && (eventAttributes.length > 0 || where !== null || aggregate !== null || per !== null))
    return null;
  if (event.undoes !== undefined) {
    const added = addedBy(counting, event.undoes);
    return added === null ? null : onlyRises(counting) ? 0 : -added;
  }
  if (!matches(eventAttributes, event.attributes)) return null;
  if (where !== null && !holds(where, event)) return null;
  if (aggregate === null) return event.value;
  if (typeof aggregate === 'string') return 1;
  if ('sum' in aggregate) return (event.typed[aggregate.sum] as number | undefined) ?? null;
  if ('max' in aggregate)
    return aggregate.max === 'value'
      ? event.value
      : ((event.typed[aggregate.max] as number | undefined) ?? null);
  return event.typed[aggregate.distinct] === undefined ? null : 1;
}

/** Greatest and different values. */
const onlyRises = ({ aggregate }: Counting): boolean =>
  aggregate !== null && typeof aggregate === 'object' && !('sum' in aggregate);

/** What a counter has of some events, which all count. */
export class CountedTogether {
  readonly #counting: Counting;
  readonly #different = new Set<unknown>();
  /** Number of events by date. */
  readonly #dates = new Map<string, number>();
  #value = 0;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  /** @returns the value with one more event */
  add(event: Countable): number {
    const { aggregate } = this.#counting;
    const added = addedBy(this.#counting, event)!;
    if (aggregate === 'days') {
      const date = event.localDate.toISODate()!;
      this.#dates.set(date, (this.#dates.get(date) ?? 0) + added);
      this.#value = [...this.#dates.values()].filter((count) => count > 0).length;
    } else if (event.undoes !== undefined && onlyRises(this.#counting)) {
      return this.#value;
    } else if (aggregate !== null && typeof aggregate === 'object' && 'distinct' in aggregate) {
      this.#different.add(event.typed[aggregate.distinct]);
      this.#value = Math.min(this.#different.size, DISTINCT_VALUES_MAX);
    } else if (aggregate !== null && typeof aggregate === 'object' && 'max' in aggregate) {
      this.#value = Math.max(this.#value, added);
    } else {
      this.#value = Number((this.#value + added).toFixed(6));
    }
    return this.#value;
  }
}

function holds(condition: Condition, event: Countable): boolean {
  if ('all' in condition) return !condition.all.some((one) => !holds(one, event));
  if ('any' in condition) return condition.any.some((one) => holds(one, event));
  if ('not' in condition) return !holds(condition.not, event);
  if ('weekday' in condition) {
    const name = event.localDate.toFormat('ccc', { locale: 'en' }).toLowerCase();
    return (condition.weekday as string[]).includes(name);
  }
  if ('value' in condition) return compare(event.value, condition.value);
  if ('localTime' in condition) {
    const [from, to] = [withSeconds(condition.localTime.from), withSeconds(condition.localTime.to)];
    const { clock } = event;
    return from < to ? clock >= from && clock < to : clock >= from || clock < to;
  }
  if ('user' in condition) return attributeHolds(condition.user, event.user[condition.user.attribute]);
  return attributeHolds(condition, event.typed[condition.attribute]);
}

function attributeHolds({ attribute: _, exists, ...compared }: AttributeCondition, value?: Typed): boolean {
  if (value === undefined) {
    if (exists === true) return false;
    return Object.keys(compared).every((name) => name === 'ne');
  }
  return exists !== false && compare(value, compared);
}

function compare(value: Typed, comparison: Comparison): boolean {
  return Object.entries(comparison).every(([name, to]) => {
    switch (name) {
      case 'eq':
        return value === to;
      case 'ne':
        return value !== to;
      case 'gt':
        return value > to;
      case 'gte':
        return value >= to;
      case 'lt':
        return value < to;
      case 'lte':
        return value <= to;
      default:
        return (to as Typed[]).includes(value);
    }
  });
}
