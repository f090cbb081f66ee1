import { fileName } from './fieldNames.ts';

/**
 * Bounds of values in schemas. The Admin API checks them item by item (src/admin/kinds), and a configuration
 * file at once with everything else, so both have schemas without bounds.
 */

const BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'not'],
  ...['minLength', 'maxLength', 'pattern', 'format'],
];

/**
 * A schema without bounds on values; whole numbers become numbers. Values of attributes keep their bounds.
 */
export function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== 'object' || schema === null) return schema === 'integer' ? 'number' : schema;
  const { properties, patternProperties, allOf: _conditions, ...keywords } = schema as Keywords;
  const kept = Object.entries(keywords).filter(([keyword]) => !BOUNDS.includes(keyword));
  return {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutBounds(value)])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, withoutBounds(field)]),
      ),
    }),
    ...(patternProperties && { patternProperties }),
  };
}
type Keywords = Record<string, Record<string, unknown>>;

/** The part of JSON Schema that tells the bounds of a field. */
interface FieldSchema {
  type?: string | readonly string[];
  anyOf?: readonly object[];
  properties?: Record<string, object>;
  enum?: unknown;
}

const isOf = (type: string | undefined, { type: types }: FieldSchema): boolean =>
  [types].flat().includes(type);

/**
 * A schema of the Admin API with the bounds that the configuration file has for the same fields, for a form
 * that tells them while the user types.
 */
export function withBounds(schema: object, ofFile: object | undefined): object {
  const { type, anyOf, properties, enum: listed }: FieldSchema = schema;
  if (ofFile === undefined || listed !== undefined || type === 'array') return schema;
  if (anyOf) return { ...schema, anyOf: anyOf.map((member) => withBounds(member, ofFile)) };
  if (properties) {
    const ofFields = (ofFile as FieldSchema).properties ?? {};
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      withBounds(field, ofFields[fileName(name)]),
    ]);
    return { ...schema, properties: Object.fromEntries(fields) };
  }
  const isWhole = type === 'number' && isOf('integer', ofFile);
  if (!isWhole && !isOf(type as string, ofFile)) return schema;
  const bounds = Object.entries(ofFile).filter(([keyword]) => BOUNDS.includes(keyword));
  return { ...schema, ...Object.fromEntries(bounds), type: isWhole ? 'integer' : type };
}
