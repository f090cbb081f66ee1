import { t } from '../../text/translate.ts';
import { isEmpty, type Schema, unwrap, type Value } from './schema.ts';

/** Error of a value, for the user; null if it is valid. */
export function faultOf(field: Schema, value: unknown, isRequired: boolean): string | null {
  const { schema } = unwrap(field);
  if (schema.type === 'boolean' || schema.type === 'object') return null;
  if (isEmpty(value) || (Array.isArray(value) && value.length === 0))
    return isRequired ? t('Required.') : null;
  if (typeof value === 'number') return faultOfNumber(schema, value);
  return typeof value === 'string' ? faultOfText(schema, value) : null;
}

function faultOfNumber(schema: Schema, value: number): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (schema.type === 'integer' && !Number.isInteger(value)) return t('Enter a whole number.');
  if (schema.not?.const === value) return t('Must not be {value}.', { value });
  if (minimum !== undefined && value < minimum) return t('Must be at least {minimum}.', { minimum });
  if (maximum !== undefined && value > maximum) return t('Must be at most {maximum}.', { maximum });
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return t('Must be greater than {exclusiveMinimum}.', { exclusiveMinimum });
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return t('Must be less than {exclusiveMaximum}.', { exclusiveMaximum });
  return null;
}

function faultOfText({ maxLength, pattern, format }: Schema, text: string): string | null {
  if (maxLength !== undefined && text.length > maxLength)
    return t('Must have at most {maxLength} characters.', { maxLength });
  if (format === 'uri' && !isWebUrl(text)) return 'Enter a URL such as https://example.com/image.png.';
  if (format === 'email' && !/^\S+@\S+$/.test(text))
    return t('Enter an email address such as ada@example.com.');
  if (pattern === undefined || new RegExp(pattern).test(text)) return null;
  return EXPLAINED.find(([part]) => pattern.includes(part))?.[1] ?? t('Invalid format.');
}

/** Explanations of patterns, by a part of them. */
const EXPLAINED: [part: string, text: string][] = [
  ['a-zA-Z\\d\\-_', t('Use only letters, digits, - and _.')],
  ['[01]\\d|2[0-3]', t('Enter a time such as 08:30.')],
  ['rgb', t('Enter a color such as #2f6f43.')],
];

const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * Whether any field of a form is invalid.
 * @param isShown @param isRequired of the fields of the form itself
 */
export function hasFaults(
  schema: Schema,
  value: Value,
  isShown: (name: string) => boolean = () => true,
  isRequired: (name: string) => boolean = (name) => schema.required?.includes(name) ?? false,
): boolean {
  return Object.entries(schema.properties ?? {}).some(
    ([name, field]) => isShown(name) && isFaulty(field, value[name], isRequired(name)),
  );
}

function isFaulty(field: Schema, value: unknown, isRequired: boolean): boolean {
  const { schema } = unwrap(field);
  // An optional object without values is absent.
  if (schema.type === 'object')
    return (isRequired || !isEmpty(value)) && hasFaults(schema, (value ?? {}) as Value);
  if (schema.type === 'array' && Array.isArray(value)) {
    return (
      value.some((item) => isFaulty(schema.items!, item, true)) || faultOf(schema, value, isRequired) !== null
    );
  }
  return faultOf(schema, value, isRequired) !== null;
}
