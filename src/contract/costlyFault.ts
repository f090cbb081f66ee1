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
  uniqueItems?: boolean;
  maxProperties?: number;
  anyOf?: Schema[];
}

/**
 * The first fault of an invalid value that TypeBox would take seconds to report, or could not: a list or an
 * object with more entries than its schema allows, because TypeBox looks at every entry first; and a list or
 * an object in a list of unique items, because TypeBox compares it to any depth.
 */
export function findCostlyFault(schema: object, value: unknown, path = ''): SchemaError | null {
  const { anyOf } = schema as Schema;
  if (anyOf !== undefined) return firstOf(anyOf, (member) => findCostlyFault(member, value, path));
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
  { items, maxItems = ENTRIES_MAX, uniqueItems }: Schema,
  list: readonly unknown[],
  path: string,
): SchemaError | null {
  if (list.length > maxItems)
    return { keyword: 'maxItems', instancePath: path, params: { limit: maxItems }, message: '' };
  const nested = uniqueItems ? list.findIndex((item) => typeof item === 'object' && item !== null) : -1;
  if (nested >= 0)
    return {
      keyword: 'uniqueItems',
      instancePath: `${path}/${nested}`,
      params: {},
      message: 'must be neither a list nor an object',
    };
  // TypeBox looks no deeper than the schema, and so does this: a body may have any depth.
  return items === undefined
    ? null
    : firstOf(list, (item, index) => findCostlyFault(items, item, `${path}/${index}`));
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
        message: '',
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
    findCostlyFault(properties[name]!, (value as Record<string, unknown>)[name], `${path}/${name}`),
  );
}
