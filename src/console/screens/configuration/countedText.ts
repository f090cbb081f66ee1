import { type Aggregate, type Condition, EVENT_VALUE } from '../../../contract/conditions/condition.ts';
import { count, formatNumber } from '../../text/format.ts';
import { conditionText } from '../../ui/condition/conditionText.ts';
import type { Value } from '../../ui/form/schema.ts';

/** What is counted, in words. */

/** Finds the name of a configured item by its id; undefined if it is unknown. */
export type NameOf = (id: unknown) => string | undefined;

export const number = (value: unknown): string => formatNumber(Number(value));
/** "week", "2 weeks" */
export const every = (value: number, unit: string): string => (value === 1 ? unit : count(value, unit));
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isChosen = (attributes: unknown): boolean => Array.isArray(attributes) && attributes.length > 0;

/** "10 of “Runs” where “distance” is at least 5", "10 events of “Runs”" */
export function countedText(amount: number, metric: string, { eventAttributes, ...value }: Value): string {
  const aggregate = (value.aggregate ?? null) as Aggregate | null;
  const where = (value.where ?? null) as Condition | null;
  const matching = isChosen(eventAttributes) ? ' in matching events' : '';
  const matches = where === null ? '' : ` where ${conditionText(where, String)}`;
  const within = value.per ? ` within one ${value.per}` : '';
  return `${amountText(amount, aggregate)} of “${metric}”${matching}${matches}${within}`;
}

function amountText(amount: number, aggregate: Aggregate | null): string {
  if (aggregate === null) return number(amount);
  if (aggregate === 'count') return count(amount, 'event');
  if (aggregate === 'days') return `${count(amount, 'different day')} with an event`;
  if ('distinct' in aggregate)
    return `${number(amount)} different values of “${aggregate.distinct}” in events`;
  if ('sum' in aggregate) return `${number(amount)} “${aggregate.sum}” in events`;
  return aggregate.max === EVENT_VALUE
    ? `a value of ${number(amount)} or more in one event`
    : `“${aggregate.max}” of ${number(amount)} or more in one event`;
}
