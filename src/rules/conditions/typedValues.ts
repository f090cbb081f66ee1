import type { ValueType } from '../../contract/kinds/attributeKind.ts';
import type { AttributeInput } from '../../contract/schemas.ts';
import { isDate } from '../calendar.ts';
import type { Config } from '../config.ts';
import type { NamedAttribute } from '../counting.ts';

/** A number as JSON writes it. */
export const NUMBER_PATTERN = '^-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d{1,2})?$';
const NUMBER = new RegExp(NUMBER_PATTERN);
/** Greatest absolute value of a number. */
export const ATTRIBUTE_NUMBER_MAX = 1e15;

/** What a text of each type is compared as; null if it is none. */
const READ: Record<ValueType, (text: string) => string | number | boolean | null> = {
  text: (text) => text,
  number: (text) => {
    const number = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Math.abs(number) <= ATTRIBUTE_NUMBER_MAX ? number : null;
  },
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  date: (text) => (isDate(text) ? text : null),
};

export const MUST_BE: Record<ValueType, string> = {
  text: 'a text',
  number: `a number up to ${ATTRIBUTE_NUMBER_MAX}, such as 10.5 or "10.5"`,
  boolean: 'true or false',
  date: 'an existing date, YYYY-MM-DD',
};

/**
 * The value of an attribute as it is compared: dates as their text.
 * @returns null if the value is none of the type, which counts as no value
 */
export const readTyped = (type: ValueType, value: AttributeInput): AttributeInput | null =>
  READ[type](String(value));

/** The text by which a value is stored and answered; null if it is none of the type. */
export function typedText(type: ValueType, value: AttributeInput): string | null {
  if (typeof value !== 'string' && typeof value !== type) return null;
  const text = String(value);
  return READ[type](text) === null ? null : text;
}

/** The type of an attribute; null if there is none. */
export type TypeOf = (attribute: NamedAttribute) => ValueType | null;

export function typesOf({ attributes }: Pick<Config, 'attributes'>): TypeOf {
  const types = new Map(attributes.map(({ type, key, valueType }) => [`${type} ${key}`, valueType]));
  return ({ type, key }) => types.get(`${type} ${key}`) ?? null;
}
