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

/** Whether a valid value has fields that its schema does not know. Every event is looked at. */
export function hasUnknownFields(schema: Type.TSchema, value: unknown): boolean {
  return hasOthers(knownFields(schema), value);
}

function hasOthers(expected: KnownFields | null, value: unknown): boolean {
  if (expected === null || typeof value !== 'object' || value === null) return false;
  if ('items' in expected) {
    if (expected.items === null) return false;
    for (const item of value as unknown[]) if (hasOthers(expected.items, item)) return true;
    return false;
  }
  for (const name in value) {
    const child = expected.fields.get(name);
    if (child === undefined) return true;
    if (child !== null && hasOthers(child, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

/** Paths of fields in a valid value that its schema does not know: `['colour', 'levels[0].pints']`. */
export function unknownFields(schema: Type.TSchema, value: unknown): string[] {
  const expected = knownFields(schema);
  return hasOthers(expected, value) ? pathsOfOthers(expected, value) : [];
}

function pathsOfOthers(expected: KnownFields | null, value: unknown): string[] {
  if (expected === null || typeof value !== 'object' || value === null) return [];
  if ('items' in expected) {
    const { items } = expected;
    return (value as unknown[]).flatMap((item, index) => below(`[${index}]`, pathsOfOthers(items, item)));
  }
  return Object.entries(value).flatMap(([name, child]) => {
    const inChild = expected.fields.get(name);
    return inChild === undefined ? [name] : below(name, pathsOfOthers(inChild, child));
  });
}

function below(path: string, fields: readonly string[]): string[] {
  return fields.map((field) => path + (field.startsWith('[') ? field : `.${field}`));
}
