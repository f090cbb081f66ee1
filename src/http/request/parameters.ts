import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { ServiceError } from '../../base/errors.ts';
import { parseInstant } from '../../base/instant.ts';
import { invalid } from './refuse.ts';

interface Occurrences {
  texts: string[];
  /** The spellings of the name in the request, without duplicates. */
  spellings: string[];
}

export type Given = ReadonlyMap<string, Occurrences>;

interface Parameter {
  name: string;
  schema: ParameterSchema;
  isRequired: boolean;
  isValid: (value: unknown) => boolean;
  /** "a whole number from 1 to 100" */
  expected: string;
}

interface ParameterSchema extends Type.TSchema {
  type?: string;
  format?: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: ParameterSchema;
}

/**
 * Creates a reader of query or path parameters from their schema. Given values must be valid; absent ones
 * take the default. The reader throws ServiceError `invalid`, which names the parameter and the valid values.
 */
export function createParameterReader<T extends Type.TObject>(schema: T): (given: Given) => Type.Static<T> {
  const parameters = Object.entries(schema.properties).map(
    ([name, property]): Parameter => ({
      name,
      schema: property,
      isRequired: schema.required?.includes(name) === true && !('default' in property),
      isValid: validity(property),
      expected: describe(property),
    }),
  );
  return (given) => {
    const values: Record<string, unknown> = {};
    for (const parameter of parameters) {
      const value = readParameter(parameter, given.get(parameter.name));
      if (value !== undefined) values[parameter.name] = value;
    }
    return values as Type.Static<T>;
  };
}

function validity(schema: Type.TSchema): (value: unknown) => boolean {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}

function readParameter(
  { name, schema, isRequired, isValid, expected }: Parameter,
  occurrences: Occurrences | undefined,
): unknown {
  if (occurrences === undefined) {
    if (isRequired) throw invalid(`${name} is required: ${expected}`);
    return schema.default;
  }
  const { texts, spellings } = occurrences;
  const isList = schema.type === 'array';
  if (!isList && texts.length > 1) throw invalid(`${spellings.join(' and ')} must be given once`);
  const value = isList ? parseList(texts, spellings, schema.items!) : parseText(texts[0]!, schema);
  if (!isValid(value)) throw invalid(`${spellings.join(' and ')} must be ${expected}`);
  return value;
}

/** Ends the name of a parameter each of whose values is one item. */
const BRACKETS = '[]';

/** `a&b` or `a,b`: a single value is split at its commas, unless the name ends in brackets. */
function parseList(texts: string[], spellings: string[], items: ParameterSchema): unknown[] {
  const isSplit = texts.length === 1 && !spellings[0]!.endsWith(BRACKETS);
  const all = isSplit ? texts[0]!.split(',') : texts;
  return all.map((text) => parseText(text, items));
}

/** Not more digits than a number can need, so that no text takes long. */
const JSON_NUMBER = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

/** Converts a text to the type of the schema; undefined if that is impossible. */
function parseText(text: string, { type }: ParameterSchema): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (type === 'number') return JSON_NUMBER.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return text;
}

function describe(schema: ParameterSchema): string {
  const { type, minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems } = schema;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.format === 'date') return 'a date that exists, as YYYY-MM-DD';
  if (schema.format === 'uuid') return 'a UUID';
  if (type === 'boolean') return 'true or false';
  if (type === 'number') return 'a number';
  if (type === 'integer') {
    return `a whole number ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`;
  }
  if (type === 'array') return `${minItems} to ${maxItems} values, each ${describe(schema.items!)}`;
  return maxLength === undefined ? 'a text that is not empty' : `${minLength} to ${maxLength} characters`;
}

/** Parameters of a path, which are never absent. */
export const givenInPath = (names: string[], texts: string[]): Given =>
  new Map(names.map((name, i) => [name, { texts: [texts[i]!], spellings: [name] }]));

/**
 * Query parameters. Names may be in snake case; names of lists may end in brackets.
 * @throws ServiceError `malformed` when the text is not percent-encoded UTF-8
 */
export function givenInQuery(text: string): Given {
  const given = new Map<string, Occurrences>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const spelling = decode(equals === -1 ? part : part.slice(0, equals));
    const name = camelCase(spelling.endsWith(BRACKETS) ? spelling.slice(0, -BRACKETS.length) : spelling);
    const occurrences = given.get(name) ?? { texts: [], spellings: [] };
    occurrences.texts.push(equals === -1 ? '' : decode(part.slice(equals + 1)));
    if (!occurrences.spellings.includes(spelling)) occurrences.spellings.push(spelling);
    given.set(name, occurrences);
  }
  return given;
}

/** "start_date" → "startDate" */
function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('malformed', `${text} in the query is not percent-encoded UTF-8`);
  }
  if (decoded.includes('\0'))
    throw new ServiceError('malformed', `${text} in the query contains the NUL character`);
  return decoded;
}

/** A comma that begins another pair: not escaped, and followed by `key:`. */
const BETWEEN_PAIRS = /(?<!\\),\s*(?=[\w-]+:)/;
const PAIR = /^\s*([\w-]+):(.*)$/s;

/**
 * Parses `key:value,key:value`. Other commas belong to the value; a backslash escapes a comma or a backslash.
 * @returns null if the parameter is absent
 * @throws ServiceError `invalid`
 */
export function parseUserAttributes(text: string | undefined): Map<string, string> | null {
  if (text === undefined) return null;
  const pairs = new Map<string, string>();
  for (const pair of text.split(BETWEEN_PAIRS)) {
    const [, key, value] = PAIR.exec(pair) ?? [];
    if (key === undefined || value === undefined || pairs.has(key) || /(?<!\\),$/.test(value)) {
      throw invalid(
        'userAttributes must be pairs key:value separated by commas, each key once; a comma in a value may be written as \\,',
      );
    }
    pairs.set(key, value.replaceAll(/\\([\\,])/g, '$1'));
  }
  return pairs;
}

/** Milliseconds since 1970. @throws ServiceError `invalid` */
export function readInstant(name: string, text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw invalid(`${name} must be an ISO 8601 instant such as 2026-12-24T18:00:00Z`);
  return instant;
}

/** Percent-decodes one part of a path, so that ids and keys may contain slashes and any Unicode character. */
export function decodePathPart(part: string | undefined): string {
  if (part === undefined) return '';
  if (!part.includes('%')) return part;
  let decoded: string;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    throw new ServiceError('malformed', `${part} in the path is not percent-encoded UTF-8`);
  }
  if (decoded.includes('\0')) throw invalid('The path must not contain the NUL character');
  return decoded;
}
