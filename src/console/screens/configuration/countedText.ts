import { type Aggregate, type Condition, EVENT_VALUE } from '../../../contract/conditions/condition.ts';
import { plural, quoted, t } from '../../text/translate.ts';
import { conditionText } from '../../ui/condition/conditionText.ts';
import type { Value } from '../../ui/form/schema.ts';

/** What is counted, in words. */

/** Finds the name of a configured item by its id; undefined if it is unknown. */
export type NameOf = (id: unknown) => string | undefined;

export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isChosen = (attributes: unknown): boolean => Array.isArray(attributes) && attributes.length > 0;

const WITHIN: Record<string, (counted: string) => string> = {
  day: (counted) => t('{counted} within one day', { counted }),
  week: (counted) => t('{counted} within one week', { counted }),
  month: (counted) => t('{counted} within one month', { counted }),
};

/** "10 of “Runs” where “distance” is at least 5", "10 events of “Runs”" */
export function countedText(amount: number, metric: string, { eventAttributes, ...value }: Value): string {
  const where = (value.where ?? null) as Condition | null;
  let counted = amountText(amount, quoted(metric), (value.aggregate ?? null) as Aggregate | null);
  if (isChosen(eventAttributes)) counted = t('{counted} in matching events', { counted });
  if (where !== null)
    counted = t('{counted} where {condition}', { counted, condition: conditionText(where, String) });
  return WITHIN[String(value.per)]?.(counted) ?? counted;
}

/** @param metric its name in quotes */
function amountText(amount: number, metric: string, aggregate: Aggregate | null): string {
  if (aggregate === null) return t('{amount} of {metric}', { amount, metric });
  if (aggregate === 'count')
    return plural(amount, '{n} event of {metric}', '{n} events of {metric}', { metric });
  if (aggregate === 'days')
    return plural(
      amount,
      '{n} different day with an event of {metric}',
      '{n} different days with an event of {metric}',
      { metric },
    );
  if ('distinct' in aggregate) {
    const attribute = quoted(aggregate.distinct);
    return t('{amount} different values of {attribute} in events of {metric}', { amount, attribute, metric });
  }
  if ('sum' in aggregate)
    return t('{amount} {attribute} in events of {metric}', {
      amount,
      attribute: quoted(aggregate.sum),
      metric,
    });
  if (aggregate.max === EVENT_VALUE)
    return t('a value of {amount} or more in one event of {metric}', { amount, metric });
  return t('{attribute} of {amount} or more in one event of {metric}', {
    attribute: quoted(aggregate.max),
    amount,
    metric,
  });
}
