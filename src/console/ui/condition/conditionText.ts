import type { AttributeCondition, Comparison, Condition } from '../../../contract/conditions/condition.ts';
import type { AttributeType } from '../../../contract/kinds/attributeKind.ts';
import { formatNumber } from '../../text/format.ts';

/** Words for the comparisons, as the builder offers them and sentences use them. */
export const OPERATORS: Record<string, string> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
};

export const DAYS: Record<string, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

/** Finds the name of an attribute by its key and type. */
export type AttributeName = (key: string, type: AttributeType) => string;

const shown = (value: unknown): string =>
  typeof value === 'number'
    ? formatNumber(value)
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : `“${value}”`;
const anyOf = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** "the distance is at least 10 and the day is Saturday or Sunday" */
export function conditionText(condition: Condition, nameOf: AttributeName): string {
  const within = (one: Condition): string =>
    'all' in one || 'any' in one ? `(${conditionText(one, nameOf)})` : conditionText(one, nameOf);
  if ('all' in condition) return condition.all.map(within).join(' and ');
  if ('any' in condition) return condition.any.map(within).join(' or ');
  if ('not' in condition) return `not ${within(condition.not)}`;
  if ('weekday' in condition) return `the day is ${anyOf(condition.weekday.map((day) => DAYS[day]!))}`;
  if ('value' in condition) return comparisonText('the value', condition.value);
  if ('localTime' in condition) {
    const { from, to } = condition.localTime;
    return `it is ${from} to ${to} on the user’s clock`;
  }
  return 'user' in condition
    ? attributeText(`the user’s “${nameOf(condition.user.attribute, 'user')}”`, condition.user)
    : attributeText(`“${nameOf(condition.attribute, 'event')}”`, condition);
}

function attributeText(name: string, { attribute: _, exists, ...compared }: AttributeCondition): string {
  const ofPresence = exists === undefined ? [] : [`${name} is ${exists ? 'given' : 'missing'}`];
  return [...ofPresence, ...(Object.keys(compared).length > 0 ? [comparisonText(name, compared)] : [])].join(
    ' and ',
  );
}

function comparisonText(what: string, compared: Comparison): string {
  const given = Object.keys(OPERATORS).filter((operator) => operator in compared);
  const parts = given.map((operator) => {
    const to = compared[operator as keyof Comparison];
    const value = Array.isArray(to) ? anyOf(to.map(shown)) : shown(to);
    return `${OPERATORS[operator]} ${value}`;
  });
  return `${what} ${parts.join(' and ')}`;
}
