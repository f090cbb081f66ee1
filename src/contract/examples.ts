import type Type from 'typebox';

/**
 * An example of any schema, for the OpenAPI document: the schema's own if it has one, else one made from its
 * parts.
 */

/** Values of texts by the name of their field. Other fields of text get the word `text`. */
const TEXTS: Record<string, string> = {
  breakdownAttribute: 'city',
  key: 'lessons',
  name: 'Lessons completed',
  metricKey: 'lessons',
  metricName: 'Lessons completed',
  pointsSystemKey: 'xp',
  pointsSystemName: 'XP',
  userId: 'ada',
  userName: 'Ada',
  tz: 'Europe/Berlin',
  defaultTimeZone: 'Europe/Berlin',
  email: 'ada@example.com',
  url: 'https://example.com',
  badgeUrl: 'https://example.com/badge.png',
  logoUrl: 'https://example.com/logo.png',
  color: '#2f5d9e',
  description: 'Complete a lesson.',
  error: 'user.id is required',
  message: 'name must not be empty',
  reason: 'Requested by the user',
  actor: 'a1b2c3d4',
  startTime: '08:00',
  endTime: '20:00',
  attributeValue: 'berlin',
  value: 'berlin',
};
const FORMATS: Record<string, string> = {
  uuid: '0199d2a5-7c1e-7000-8000-000000000001',
  date: '2026-11-16',
  'date-time': '2026-11-16T09:30:00.000Z',
  uri: 'https://example.com',
};
const ID = /^id$|Id$/;
/** Keys of maps by the name of their field. */
const MAP_KEYS: Record<string, string> = { points: 'xp', leaderboards: 'weekly', attributes: 'city' };

/** The keywords of JSON Schema that the contract uses. */
interface Shape {
  type?: string | string[];
  examples?: unknown[];
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  patternProperties?: Record<string, Shape>;
  items?: Shape;
  format?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

export const exampleOf = (schema: Type.TSchema): unknown => example(schema as Shape, '');

/** @param field name of the field that has the value; empty for a value without one */
function example(schema: Shape, field: string): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return example(schema.anyOf[0]!, field);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return exampleObject(schema, field);
    case 'array':
      return [example(schema.items!, field.replace(/s$/, ''))];
    case 'string':
      return FORMATS[schema.format ?? ''] ?? TEXTS[field] ?? (ID.test(field) ? FORMATS.uuid : 'text');
    case 'number':
    case 'integer':
      return exampleNumber(schema);
    case 'boolean':
      return schema.default ?? false;
    default:
      return null;
  }
}

/** Optional fields are left out: many of them exclude each other. */
function exampleObject(
  { properties = {}, required = [], patternProperties = {} }: Shape,
  field: string,
): object {
  const [anyOther] = Object.values(patternProperties);
  if (anyOther) return { [MAP_KEYS[field] ?? 'key']: example(anyOther, 'value') };
  return Object.fromEntries(required.map((name) => [name, example(properties[name]!, name)]));
}

function exampleNumber({ default: byDefault, minimum = 1, exclusiveMinimum, maximum = 1 }: Shape): unknown {
  if (byDefault !== undefined) return byDefault;
  return Math.min(Math.max(minimum, exclusiveMinimum === undefined ? minimum : 1, 1), Math.max(maximum, 1));
}
