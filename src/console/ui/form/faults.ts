import { formatNumber } from '../../text/format.ts';
import { isEmpty, type Schema, unwrap, type Value } from './schema.ts';

/** Error of a value, for the user; null if it is valid. */
export function faultOf(field: Schema, value: unknown, isRequired: boolean): string | null {
  const { schema } = unwrap(field);
  if (schema.type === 'boolean' || schema.type === 'object') return null;
  if (isEmpty(value) || (Array.isArray(value) && value.length === 0)) return isRequired ? 'Required.' : null;
  if (typeof value === 'number') return faultOfNumber(schema, value);
  return typeof value === 'string' ? faultOfText(schema, value) : null;
}

function faultOfNumber(schema: Schema, value: number): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (schema.type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  if (schema.not?.const === value) return `Must not be ${formatNumber(value)}.`;
  if (minimum !== undefined && value < minimum) return `Must be at least ${formatNumber(minimum)}.`;
  if (maximum !== undefined && value > maximum) return `Must be at most ${formatNumber(maximum)}.`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return `Must be greater than ${formatNumber(exclusiveMinimum)}.`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return `Must be less than ${formatNumber(exclusiveMaximum)}.`;
  return null;
}

function faultOfText({ maxLength, pattern, format }: Schema, text: string): string | null {
  if (maxLength !== undefined && text.length > maxLength)
    return `Must have at most ${formatNumber(maxLength)} characters.`;
  if (format === 'uri' && !isWebUrl(text)) return 'Enter a URL such as https://example.com/image.png.';
  if (format === 'email' && !/^\S+@\S+$/.test(text)) return 'Enter an email address such as ada@example.com.';
  if (pattern === undefined || new RegExp(pattern).test(text)) return null;
  return EXPLAINED.find(([part]) => pattern.includes(part))?.[1] ?? 'Invalid format.';
}

/** Explanations of patterns, by a part of them. */
const EXPLAINED: [part: string, text: string][] = [
  ['a-zA-Z\\d\\-_', 'Use only letters, digits, - and _.'],
  ['[01]\\d|2[0-3]', 'Enter a time such as 08:30.'],
  ['rgb', 'Enter a color such as #2f6f43.'],
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
