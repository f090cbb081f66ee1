import {
  type AttributeCondition,
  type Comparison,
  type Condition,
  WEEKDAYS,
} from '../../../contract/conditions/condition.ts';
import type { AttributeType } from '../../../contract/kinds/attributeKind.ts';
import { formatNumber, weekdayName } from '../../text/format.ts';
import { allOf, anyOf, quoted, t } from '../../text/translate.ts';

/** The comparisons, as the builder offers them. */
export const OPERATORS: Record<string, string> = {
  eq: t('is'),
  ne: t('is not'),
  gt: t('is more than'),
  gte: t('is at least'),
  lt: t('is less than'),
  lte: t('is at most'),
  in: t('is one of'),
};

/** The same in a sentence. */
const COMPARED: Record<string, (what: string, value: string) => string> = {
  eq: (what, value) => t('{what} is {value}', { what, value }),
  ne: (what, value) => t('{what} is not {value}', { what, value }),
  gt: (what, value) => t('{what} is more than {value}', { what, value }),
  gte: (what, value) => t('{what} is at least {value}', { what, value }),
  lt: (what, value) => t('{what} is less than {value}', { what, value }),
  lte: (what, value) => t('{what} is at most {value}', { what, value }),
  in: (what, value) => t('{what} is one of {value}', { what, value }),
};

export const DAYS: Record<string, string> = Object.fromEntries(
  WEEKDAYS.map((day, i) => [day, weekdayName((i + 6) % 7)]),
);

/** Finds the name of an attribute by its key and type. */
export type AttributeName = (key: string, type: AttributeType) => string;

const shown = (value: unknown): string => {
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  return quoted(String(value));
};

/** "the distance is at least 10 and the day is Saturday or Sunday" */
export function conditionText(condition: Condition, nameOf: AttributeName): string {
  const within = (one: Condition): string =>
    'all' in one || 'any' in one ? `(${conditionText(one, nameOf)})` : conditionText(one, nameOf);
  if ('all' in condition) return allOf(condition.all.map(within));
  if ('any' in condition) return anyOf(condition.any.map(within));
  if ('not' in condition) return t('not {condition}', { condition: within(condition.not) });
  if ('weekday' in condition)
    return t('the day is {days}', { days: anyOf(condition.weekday.map((day) => DAYS[day]!)) });
  if ('value' in condition) return comparisonText(t('the value'), condition.value);
  if ('localTime' in condition) {
    const { from, to } = condition.localTime;
    return t('it is {from} to {to} on the user’s clock', { from, to });
  }
  return 'user' in condition
    ? attributeText(
        t('the user’s “{name}”', { name: nameOf(condition.user.attribute, 'user') }),
        condition.user,
      )
    : attributeText(quoted(nameOf(condition.attribute, 'event')), condition);
}

function attributeText(name: string, { attribute: _, exists, ...compared }: AttributeCondition): string {
  const ofPresence =
    exists === undefined ? [] : [exists ? t('{name} is given', { name }) : t('{name} is missing', { name })];
  const ofValue = Object.keys(compared).length > 0 ? [comparisonText(name, compared)] : [];
  return allOf([...ofPresence, ...ofValue]);
}

function comparisonText(what: string, compared: Comparison): string {
  const given = Object.keys(COMPARED).filter((operator) => operator in compared);
  const parts = given.map((operator) => {
    const to = compared[operator as keyof Comparison];
    return COMPARED[operator]!(what, Array.isArray(to) ? anyOf(to.map(shown)) : shown(to));
  });
  return allOf(parts);
}
