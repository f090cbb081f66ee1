import { KEYS_OF } from '../../src/contract/schemas.ts';

/** A JSON Schema as /openapi.json shows it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  [KEYS_OF]?: string;
}

const NAMES: Record<string, string> = {
  integer: 'number',
  null: 'null',
  string: 'string',
  boolean: 'boolean',
};

/** A key of the configuration, typed by what laurel types has written. */
export const keyOf = (kind: string): string => `KeyOf<${JSON.stringify(kind)}>`;

/** A name as a property of a type. */
export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

/** A comment above a line that begins with `indent`; empty without a text. */
export function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}

/** The TypeScript type that a schema describes. */
export function typeText(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  const keys = schema[KEYS_OF];
  if (keys !== undefined) return schema.type === 'string' ? keyOf(keys) : `ValuesOf<${JSON.stringify(keys)}>`;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((part) => typeText(part, indent)))].join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeText({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'array') return `Array<${typeText(schema.items ?? {}, indent)}>`;
  if (schema.type === 'object' || (schema.type === undefined && schema.properties !== undefined))
    return objectText(schema, indent);
  return NAMES[schema.type ?? ''] ?? (schema.type === 'number' ? 'number' : 'unknown');
}

/** The type of an object; `typeOf` may replace the types of single properties. */
export function objectText(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
  typeOf: (name: string) => string | undefined = () => undefined,
): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    const type = typeOf(name) ?? typeText(field, inner);
    return `${comment(field.description, inner)}${inner}${propertyName(name)}${mark}: ${type};`;
  });
  if (typeof additionalProperties === 'object' && fields.length === 0)
    return `Record<string, ${typeText(additionalProperties, indent)}>`;
  if (fields.length === 0) return 'Record<string, unknown>';
  return `{\n${fields.join('\n')}\n${indent}}`;
}
