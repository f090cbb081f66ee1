/** A fault as TypeBox reports it. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  maxItems?: number;
  maxProperties?: number;
  anyOf?: Schema[];
}

/**
 * The first list or object of an invalid value that has more entries than its schema allows. TypeBox looks at
 * every entry before it reports that there are too many, which would take seconds.
 */
export function findTooMany(schema: object, value: unknown, path = ''): SchemaError | null {
  const { anyOf } = schema as Schema;
  if (anyOf !== undefined) return firstOf(anyOf, (member) => findTooMany(member, value, path));
  if (Array.isArray(value)) return inList(schema, value, path);
  return typeof value === 'object' && value !== null ? inObject(schema, value, path) : null;
}

function firstOf<T>(
  all: readonly T[],
  find: (one: T, index: number) => SchemaError | null,
): SchemaError | null {
  for (let i = 0; i < all.length; i++) {
    const found = find(all[i]!, i);
    if (found !== null) return found;
  }
  return null;
}

/** Entries of a list or an object whose schema has no limit of its own. */
const ENTRIES_MAX = 1_000;

function inList(
  { items = {}, maxItems = ENTRIES_MAX }: Schema,
  list: readonly unknown[],
  path: string,
): SchemaError | null {
  if (list.length > maxItems)
    return { keyword: 'maxItems', instancePath: path, params: { limit: maxItems }, message: '' };
  return firstOf(list, (item, index) => findTooMany(items, item, `${path}/${index}`));
}

function inObject(schema: Schema, value: object, path: string): SchemaError | null {
  const { properties = {}, patternProperties, maxProperties = ENTRIES_MAX, additionalProperties } = schema;
  let count = 0;
  for (const name in value) {
    if (++count <= maxProperties) continue;
    if (patternProperties !== undefined)
      return {
        keyword: 'maxProperties',
        instancePath: path,
        params: { limit: maxProperties },
        message: `must not have more than ${maxProperties} properties`,
      };
    if (additionalProperties === false && !(name in properties))
      return {
        keyword: 'additionalProperties',
        instancePath: path,
        params: { additionalProperties: [name] },
        message: '',
      };
    break;
  }
  return firstOf(Object.keys(properties), (name) =>
    findTooMany(properties[name]!, (value as Record<string, unknown>)[name], `${path}/${name}`),
  );
}
