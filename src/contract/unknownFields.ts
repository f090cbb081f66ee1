import Type from 'typebox';

/** Paths of fields in a valid value that its schema does not know: `['colour', 'levels[0].pints']`. */
export function unknownFields(schema: Type.TSchema, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Type.IsUnion(schema)) return unknownFields(schema.anyOf.find((member) => !Type.IsNull(member))!, value);
  if (Type.IsArray(schema))
    return (value as unknown[]).flatMap((item, index) => below(`[${index}]`, schema.items, item));
  if (!Type.IsObject(schema)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const known = schema.properties[name];
    return known === undefined ? [name] : below(name, known, child);
  });
}

function below(path: string, schema: Type.TSchema, value: unknown): string[] {
  return unknownFields(schema, value).map((field) => path + (field.startsWith('[') ? field : `.${field}`));
}
