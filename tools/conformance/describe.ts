/**
 * An OpenAPI 3 document as a flat list of what it promises, so that two documents can be compared line by line whatever
 * their schemas are called and however they are put together.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document from outside; every access allows for what is missing
type Json = any;

/** Who is bound: the caller by what an operation takes, the service by what it answers. */
export type Direction = 'takes' | 'answers';

/** Something that a document promises: an operation, a parameter, a status, a field. */
export interface Promised {
  direction: Direction;
  isRequired: boolean;
  /** JSON types; empty for what has none, such as an operation or a schema that takes anything. */
  types: string[];
  /** Values it is limited to; null for none in particular. */
  values: string[] | null;
}

/** By a readable address, such as `GET /users/{} answers 200 .name`; what belongs to a thing starts with its address. */
export type Promises = Map<string, Promised>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Of all operations whose path starts with `base`, without it. Names of path parameters do not count. */
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
  // A schema inside itself has been described further up.
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
  /** The schema and all that it is put together from, references resolved. */
  schemas: Json[];
  types: Set<string>;
  values: Set<string> | null;
}

/** `allOf` and alternatives as one: all fields, all types, all values. */
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
  // Null is a type here, not a value.
  const texts = values.filter((value: Json) => value !== null).map(String);
  return {
    schemas: [schema, ...parts.flatMap((part) => part.schemas)],
    types: new Set([...types, ...parts.flatMap((part) => [...part.types])]),
    values: texts.length === 0 ? null : new Set(texts),
  };
}

/** What a `$ref` within the document points to. */
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
