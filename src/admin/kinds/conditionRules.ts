import { didYouMean } from '../../base/closest.ts';
import { ATTRIBUTE_VALUE_CHARS_MAX, EVENT_VALUE_MAX } from '../../base/limits.ts';
import { isStorable } from '../../base/text.ts';
import {
  type Aggregate,
  COMPARISONS,
  COMPARISONS_MAX,
  CONDITION_DEPTH_MAX,
  CONDITION_LEAVES_MAX,
  CONDITION_VALUES_MAX,
  type Condition,
  EVENT_VALUE,
  WEEKDAYS,
} from '../../contract/conditions/condition.ts';
import type { AttributeType, ValueType } from '../../contract/kinds/attributeKind.ts';
import { isDate, secondOfDay } from '../../rules/calendar.ts';
import type { Attribute } from '../../rules/config.ts';
import { isTimeOfDay, NO_TIME_OF_DAY, type Report } from './ruleChecks.ts';

/** Attributes of events or users, by key. */
type KeyedAttributes = ReadonlyMap<string, Attribute>;
export type AttributesByKey = Record<AttributeType, KeyedAttributes>;
type Given = Record<string, unknown>;

const FORMS = ['attribute', 'value', 'weekday', 'localTime', 'user', 'all', 'any', 'not'] as const;
type Form = (typeof FORMS)[number];
const ORDERED = ['gt', 'gte', 'lt', 'lte'];

const isObject = (given: unknown): given is Given =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

export function attributesByKey(attributes: readonly Attribute[]): AttributesByKey {
  const ofType = (of: AttributeType): KeyedAttributes =>
    new Map(attributes.filter(({ type }) => type === of).map((one) => [one.key, one]));
  return { event: ofType('event'), user: ofType('user') };
}

/** Where a fault is, and what is wrong. */
type Fault = [path: string, message: string];

/** Reports every fault of a condition, each by its path. */
export function checkCondition(
  report: Report,
  field: string,
  condition: Condition,
  attributes: AttributesByKey,
): void {
  const faults =
    leavesOf(condition) > CONDITION_LEAVES_MAX
      ? [[field, `must not have more than ${CONDITION_LEAVES_MAX} parts`] as const]
      : faultsOf(field, condition, 1, attributes);
  for (const [path, message] of faults) report(path, message);
}

function leavesOf(given: unknown): number {
  if (!isObject(given)) return 1;
  const parts = [given.all, given.any, given.not].flat().filter((part) => part !== undefined);
  return parts.length === 0 ? 1 : parts.reduce<number>((sum, part) => sum + leavesOf(part), 0);
}

function faultsOf(path: string, given: unknown, depth: number, attributes: AttributesByKey): Fault[] {
  if (!isObject(given)) return [[path, 'must be a condition, such as { attribute: distance, gte: 10 }']];
  const form = FORMS.find((name) => name in given);
  if (form === undefined) return [[path, `must have one of ${FORMS.join(', ')}`]];
  const unknown = Object.keys(given).find((key) => !keysOf(form).includes(key));
  if (unknown !== undefined) return [[`${path}.${unknown}`, unexpected(form, unknown)]];
  switch (form) {
    case 'attribute':
      return faultsOfAttribute(path, given, 'event', attributes);
    case 'user':
      return faultsOfUser(`${path}.user`, given.user, attributes);
    case 'localTime':
      return faultsOfTimes(`${path}.localTime`, given.localTime);
    case 'value':
      return faultsOfValue(`${path}.value`, given.value);
    case 'weekday':
      return faultsOfWeekdays(`${path}.weekday`, given.weekday);
  }
  if (depth === CONDITION_DEPTH_MAX) return [[path, `must not be deeper than ${CONDITION_DEPTH_MAX} levels`]];
  const within = given[form];
  if (form === 'not') return faultsOf(`${path}.not`, within, depth + 1, attributes);
  if (!Array.isArray(within) || within.length === 0)
    return [[`${path}.${form}`, 'must be a list of at least one condition']];
  return within.flatMap((part, i) => faultsOf(`${path}.${form}[${i}]`, part, depth + 1, attributes));
}

const ATTRIBUTE_KEYS = ['attribute', ...COMPARISONS, 'exists'] as const;
const keysOf = (form: Form): readonly string[] => (form === 'attribute' ? ATTRIBUTE_KEYS : [form]);

function unexpected(form: Form, key: string): string {
  if ((FORMS as readonly string[]).includes(key)) return `must not stand beside ${form}: use all`;
  return `must be left out beside ${form}${didYouMean(key, keysOf(form))}`;
}

function faultsOfWeekdays(path: string, given: unknown): Fault[] {
  const isValid = Array.isArray(given) && given.length > 0 && given.every((day) => WEEKDAYS.includes(day));
  if (!isValid) return [[path, `must be a list of ${WEEKDAYS.join(', ')}`]];
  return new Set(given).size < given.length ? [[path, 'names the same day twice']] : [];
}

function faultsOfValue(path: string, given: unknown): Fault[] {
  if (!isObject(given)) return [[path, 'must compare the value, such as { gte: 10 }']];
  const unknown = faultsOfKeys(path, given, COMPARISONS);
  return unknown.length > 0 ? unknown : faultsOfComparison(path, given, 'number', 'the value of an event');
}

function faultsOfKeys(path: string, given: Given, known: readonly string[]): Fault[] {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  return unknown === undefined ? [] : [[`${path}.${unknown}`, `is unknown${didYouMean(unknown, known)}`]];
}

function faultsOfTimes(path: string, given: unknown): Fault[] {
  if (!isObject(given)) return [[path, 'must be times, such as { from: "05:00", to: "07:00" }']];
  const unknown = faultsOfKeys(path, given, ['from', 'to']);
  if (unknown.length > 0) return unknown;
  const { from, to } = given;
  const faults = Object.entries({ from, to }).filter(([, time]) => !isTimeOfDay(time));
  if (faults.length > 0) return faults.map(([name]) => [`${path}.${name}`, NO_TIME_OF_DAY]);
  if (secondOfDay(from as string) !== secondOfDay(to as string)) return [];
  return [[`${path}.to`, 'must differ from from: leave localTime out for the whole day']];
}

function faultsOfUser(path: string, given: unknown, attributes: AttributesByKey): Fault[] {
  if (!isObject(given))
    return [[path, 'must compare a user attribute, such as { attribute: plan, eq: pro }']];
  const unknown = faultsOfKeys(path, given, ATTRIBUTE_KEYS);
  return unknown.length > 0 ? unknown : faultsOfAttribute(path, given, 'user', attributes);
}

function faultsOfAttribute(
  path: string,
  given: Given,
  type: AttributeType,
  attributes: AttributesByKey,
): Fault[] {
  const { attribute, exists, ...compared } = given;
  const known = attributes[type].get(String(attribute));
  if (known === undefined)
    return [[`${path}.attribute`, mustBeAttribute(String(attribute), type, attributes[type])]];
  if (exists !== undefined && typeof exists !== 'boolean')
    return [[`${path}.exists`, 'must be true or false']];
  if (exists !== undefined && Object.keys(compared).length === 0) return [];
  if (exists === false) return [[`${path}.exists`, 'must not be false beside a comparison']];
  return faultsOfComparison(path, compared, known.valueType, known.key);
}

const mustBeAttribute = (key: string, type: AttributeType, attributes: KeyedAttributes): string =>
  `must be the key of ${type === 'user' ? 'a user' : 'an event'} attribute${didYouMean(key, attributes.keys())}`;

function faultsOfComparison(path: string, given: Given, type: ValueType, what: string): Fault[] {
  const names = Object.keys(given);
  if (names.length === 0 || names.length > COMPARISONS_MAX)
    return [[path, `must have one or two of ${COMPARISONS.join(', ')}`]];
  return names.flatMap((name) => {
    const at = `${path}.${name}`;
    const value = given[name];
    if (ORDERED.includes(name) && (type === 'text' || type === 'boolean'))
      return [
        [at, `must be left out, because ${what} has the type ${type}; numbers and dates have an order`],
      ];
    if (name !== 'in') return faultsOfTyped(at, value, type, what);
    if (!Array.isArray(value) || value.length === 0 || value.length > CONDITION_VALUES_MAX)
      return [[at, `must be a list of 1 to ${CONDITION_VALUES_MAX} values`]];
    return value.flatMap((one, i) => faultsOfTyped(`${at}[${i}]`, one, type, what));
  });
}

const IS: Record<ValueType, { must: string; test(value: unknown): boolean }> = {
  text: {
    must: `must be a text of 1 to ${ATTRIBUTE_VALUE_CHARS_MAX} characters`,
    test: (value) =>
      typeof value === 'string' &&
      value.length > 0 &&
      value.length <= ATTRIBUTE_VALUE_CHARS_MAX &&
      isStorable(value),
  },
  number: {
    must: `must be a number up to ${EVENT_VALUE_MAX}`,
    test: (value) => typeof value === 'number' && Math.abs(value) <= EVENT_VALUE_MAX,
  },
  boolean: { must: 'must be true or false', test: (value) => typeof value === 'boolean' },
  date: {
    must: 'must be an existing date, YYYY-MM-DD',
    test: (value) => typeof value === 'string' && isDate(value),
  },
};

function faultsOfTyped(path: string, value: unknown, type: ValueType, what: string): Fault[] {
  const { must, test } = IS[type];
  return test(value) ? [] : [[path, `${must}, because ${what} has the type ${type}`]];
}

/** Reports what is wrong with what is counted. */
export function checkAggregate(
  report: Report,
  field: string,
  aggregate: Aggregate,
  attributes: KeyedAttributes,
): void {
  if (typeof aggregate === 'string') return;
  const [form, key] = Object.entries(aggregate)[0]! as [string, string];
  if (form === 'max' && key === EVENT_VALUE) return;
  const known = attributes.get(key);
  if (known === undefined) report(`${field}.${form}`, mustBeAttribute(key, 'event', attributes));
  else if (form !== 'distinct' && known.valueType !== 'number')
    report(
      `${field}.${form}`,
      `must name an attribute with valueType number; ${known.key} has ${known.valueType}`,
    );
}
