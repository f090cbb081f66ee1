/**
 * An OpenAPI 3 document as a flat list of promises, so that two documents can be compared line by line, independent of the
 * names and the composition of their schemas.
 */

// biome-ignore lint/suspicious/noExplicitAny: an external document; every access handles missing values
type Json = any;

/** `takes` is about requests, `answers` about responses. */
export type Direction = 'takes' | 'answers';

/** Something that a document promises: an operation, a parameter, a status, a field. */
export interface Promised {
  direction: Direction;
  isRequired: boolean;
  /** JSON types; empty for operations and for schemas that accept any value. */
  types: string[];
  /** Allowed values; null if they are not limited. */
  values: string[] | null;
}

/** Promises by a readable address, such as `GET /users/{} answers 200 .name`. The address of a part starts with that of its owner. */
export type Promises = Map<string, Promised>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Describes all operations whose path starts with `base`, which is removed. Names of path parameters are ignored. */
export function describeDocument(document: Json, base = ''): Promises {
  const promises: Promises = new Map();
  for (const [path, given] of Object.entries<Json>(document.paths ?? {})) {
    if (!path.startsWith(base)) continue;
    const item = resolve(document, given);
    for (const method of METHODS.filter((name) => name in item)) {
      const address = `${method.toUpperCase()} ${path.slice(base.length).replaceAll(/\{[^}]*\}/g, '{}')}`;
      promises.set(address, { direction: 'answers', isRequired: true, types: [], values: null });
      describeOperation(document, promises, address, item, item[method]);
    }
  }
  return promises;
}

function describeOperation(document: Json, promises: Promises, address: string, item: Json, operation: Json): void {
  for (const given of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const { in: place, name, required, schema } = resolve(document, given);
    if (place === 'path') continue;
    describeSchema(document, promises, `${address} ${place} ${name}`, schema, 'takes', required === true);
  }
  if (operation.requestBody !== undefined) {
    const { content, required } = resolve(document, operation.requestBody);
    describeSchema(document, promises, `${address} body`, contentSchema(content), 'takes', required === true);
  }
  for (const [status, given] of Object.entries<Json>(operation.responses ?? {})) {
    const { content } = resolve(document, given);
    describeSchema(document, promises, `${address} answers ${status}`, contentSchema(content), 'answers', true);
  }
}

function contentSchema(content: Json): Json {
  return content === undefined ? {} : (Object.values<Json>(content)[0]?.schema ?? {});
}

function describeSchema(
  document: Json,
  promises: Promises,
  address: string,
  given: Json,
  direction: Direction,
  isRequired: boolean,
  above: Json[] = [],
): void {
  const { schemas, types, values } = flatten(document, given);
  promises.set(address, { direction, isRequired, types: [...types].sort(), values: values && [...values].sort() });
  // A recursive schema has been described already.
  if (schemas.some((schema) => above.includes(schema))) return;
  const describeChild = (name: string, schema: Json, isChildRequired: boolean): void =>
    describeSchema(document, promises, `${address} ${name}`, schema, direction, isChildRequired, [
      ...above,
      ...schemas,
    ]);
  for (const schema of schemas) {
    for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
      describeChild(
        `.${name}`,
        property,
        schemas.some(({ required }) => required?.includes(name)),
      );
    }
    if (schema.items !== undefined) describeChild('[]', schema.items, true);
    if (typeof schema.additionalProperties === 'object') describeChild('.*', schema.additionalProperties, false);
  }
}

interface Flat {
  /** The schema and the schemas that it is composed of, with references resolved. */
  schemas: Json[];
  types: Set<string>;
  values: Set<string> | null;
}

/** Merges `allOf` and alternatives: all fields, types and values. */
function flatten(document: Json, given: Json): Flat {
  const schema = resolve(document, given) ?? {};
  const parts: Flat[] = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((part: Json) =>
    flatten(document, part),
  );
  const own = schema.const === undefined ? schema.enum : [schema.const];
  const types = new Set<string>([schema.type ?? []].flat());
  if (schema.properties !== undefined && types.size === 0) types.add('object');
  if (own !== undefined && types.size === 0) types.add('string');
  const values = [own, ...parts.map((part) => part.values && [...part.values])].filter(Boolean).flat();
  // Null is described as a type, not as a value.
  const texts = values.filter((value: Json) => value !== null).map(String);
  return {
    schemas: [schema, ...parts.flatMap((part) => part.schemas)],
    types: new Set([...types, ...parts.flatMap((part) => [...part.types])]),
    values: texts.length === 0 ? null : new Set(texts),
  };
}

/** Resolves a `$ref` within the document. */
function resolve(document: Json, value: Json): Json {
  let resolved = value;
  while (typeof resolved?.$ref === 'string') {
    const pointer: string = resolved.$ref;
    if (!pointer.startsWith('#/')) throw new Error(`${pointer} points outside of the document`);
    resolved = pointer
      .slice(2)
      .split('/')
      .reduce((at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    if (resolved === undefined) throw new Error(`${pointer} points to nothing`);
  }
  return resolved;
}
