/**
 * Conditions on an event, as files, the Admin API and stored entities have them (docs/conditions.md). The
 * console has this file, so it stays without the schema library.
 */

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Of each form: leaves in all, groups within each other, and values of `in`. */
export const CONDITION_LEAVES_MAX = 20;
export const CONDITION_DEPTH_MAX = 4;
export const CONDITION_VALUES_MAX = 50;

export type ComparedValue = string | number | boolean;

/** One or two comparisons, which must all hold. */
export interface Comparison<V extends ComparedValue = ComparedValue> {
  eq?: V;
  ne?: V;
  gt?: V;
  gte?: V;
  lt?: V;
  lte?: V;
  in?: V[];
}
export const COMPARISONS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] as const;
export const COMPARISONS_MAX = 2;

/** The attribute of an event or of its user, named by key, which cannot change. */
export interface AttributeCondition extends Comparison {
  attribute: string;
  exists?: boolean;
}

/** Times of day, HH:MM or HH:MM:SS; `to` does not belong to it. It goes over midnight if `from` is later. */
export interface TimeRange {
  from: string;
  to: string;
}

export type Condition =
  | AttributeCondition
  | { value: Comparison<number> }
  | { localTime: TimeRange }
  | { user: AttributeCondition }
  | { weekday: Weekday[] }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

/**
 * What is counted; null stands for the sum of the values: events, local days with an event, the sum or the
 * greatest of an attribute (or, for `value`, of the event's value), or the different values of an attribute.
 */
export type Aggregate = 'count' | 'days' | { sum: string } | { max: string } | { distinct: string };

/** What `max` names beside attributes: the value of the event. */
export const EVENT_VALUE = 'value';
/** Different values that are counted. */
export const DISTINCT_VALUES_MAX = 64;

/** The periods of the user's calendar within which something is counted. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type CountingPeriod = (typeof PERIODS)[number];
