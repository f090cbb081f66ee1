import Type from 'typebox';

/** The fields that a schema knows, by name, and those of what they hold; of a list, those of its items. */
type KnownFields = { items: KnownFields | null } | { fields: Map<string, KnownFields | null> };

const known = new WeakMap<Type.TSchema, KnownFields>();

/** @returns null for a schema under which any field is known */
function knownFields(schema: Type.TSchema): KnownFields | null {
  let found = known.get(schema) ?? null;
  if (found !== null) return found;
  if (Type.IsUnion(schema)) {
    const members = schema.anyOf.filter((member) => !Type.IsNull(member));
    // A field of any form is known.
    const properties = members.map((member) => (Type.IsObject(member) ? member.properties : {}));
    const isChoice = members.length > 1 && members.every((member) => Type.IsObject(member));
    return knownFields(isChoice ? Type.Object(Object.assign({}, ...properties)) : members[0]!);
  }
  if (Type.IsArray(schema)) found = { items: knownFields(schema.items) };
  else if (Type.IsObject(schema)) {
    const fields = Object.entries(schema.properties);
    found = { fields: new Map(fields.map(([name, child]) => [name, knownFields(child)])) };
  } else return null;
  known.set(schema, found);
  return found;
}

export interface UnknownField {
  /** `levels[0].pints` */
  path: string;
  name: string;
  /** Names of the fields that the schema has in this object. */
  known: Iterable<string>;
}

/** Whether a value has fields that its schema does not know. Every event is looked at. */
export function hasUnknownFields(schema: Type.TSchema, value: unknown): boolean {
  return hasOthers(knownFields(schema), value);
}

function hasOthers(expected: KnownFields | null, value: unknown): boolean {
  if (expected === null || typeof value !== 'object' || value === null) return false;
  if ('items' in expected) {
    if (expected.items === null || !Array.isArray(value)) return false;
    for (const item of value) if (hasOthers(expected.items, item)) return true;
    return false;
  }
  for (const name in value) {
    const child = expected.fields.get(name);
    if (child === undefined) return true;
    if (child !== null && hasOthers(child, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

/**
 * Fields of a value that its schema does not know, one after the other, because a body may have very many.
 * The value may break other rules, too.
 */
export function unknownFields(schema: Type.TSchema, value: unknown): Iterable<UnknownField> {
  return othersOf(knownFields(schema), value, '');
}

function* othersOf(
  expected: KnownFields | null,
  value: unknown,
  path: string,
): Generator<UnknownField, void, undefined> {
  if (expected === null || typeof value !== 'object' || value === null) return;
  if ('items' in expected) {
    const { items } = expected;
    if (items === null || !Array.isArray(value)) return;
    for (const [index, item] of value.entries()) yield* othersOf(items, item, `${path}[${index}]`);
    return;
  }
  const { fields } = expected;
  for (const name in value) {
    const below = path === '' ? name : `${path}.${name}`;
    const child = fields.get(name);
    if (child === undefined) yield { path: below, name, known: fields.keys() };
    else yield* othersOf(child, (value as Record<string, unknown>)[name], below);
  }
}
