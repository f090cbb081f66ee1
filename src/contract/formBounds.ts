import { FILE_NAMES } from './configFields.ts';

/** The part of JSON Schema that tells the bounds of a field. */
interface FieldSchema {
  type?: string | readonly string[];
  anyOf?: readonly object[];
  properties?: Record<string, object>;
  enum?: unknown;
}

const BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'not'],
  ...['minLength', 'maxLength', 'pattern', 'format'],
];

const isOf = (type: string | undefined, { type: types }: FieldSchema): boolean =>
  [types].flat().includes(type);

/**
 * A schema of the Admin API with the bounds that the configuration file has for the same fields. The API
 * checks these bounds item by item, so its schemas do not have them; a form tells them while the user types.
 */
export function withBounds(schema: object, ofFile: object | undefined): object {
  const { type, anyOf, properties, enum: listed }: FieldSchema = schema;
  if (ofFile === undefined || listed !== undefined || type === 'array') return schema;
  if (anyOf) return { ...schema, anyOf: anyOf.map((member) => withBounds(member, ofFile)) };
  if (properties) {
    const ofFields = (ofFile as FieldSchema).properties ?? {};
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      withBounds(field, ofFields[FILE_NAMES[name] ?? name]),
    ]);
    return { ...schema, properties: Object.fromEntries(fields) };
  }
  const isWhole = type === 'number' && isOf('integer', ofFile);
  if (!isWhole && !isOf(type as string, ofFile)) return schema;
  const bounds = Object.entries(ofFile).filter(([keyword]) => BOUNDS.includes(keyword));
  return { ...schema, ...Object.fromEntries(bounds), type: isWhole ? 'integer' : type };
}
