/**
 * A layout names the values of a record in a flat list. Positions in TypeScript count from 0. Lua lists begin
 * at 1, so the loader adds 1: in both languages, `base + LAYOUT.name` is the index of a value, with `base` 0
 * for the first record and `LAYOUT.size` for the second.
 */
export interface Layout<Name extends string> {
  readonly names: readonly Name[];
  readonly at: Readonly<Record<Name, number>>;
  /** Number of values in a record. */
  readonly size: number;
}

export function layout<const Name extends string>(...names: Name[]): Layout<Name> {
  const at = Object.fromEntries(names.map((name, position) => [name, position])) as Record<Name, number>;
  return { names, at, size: names.length };
}

/** The values of the record that starts at `base`, by name. */
export function readRecord<Name extends string>(
  { names }: Layout<Name>,
  values: readonly unknown[],
  base = 0,
): Record<Name, unknown> {
  const record = {} as Record<Name, unknown>;
  for (let position = 0; position < names.length; position++)
    record[names[position]!] = values[base + position];
  return record;
}

/** The values in the order of the record. */
export function toRecord<Name extends string>(
  { names }: Layout<Name>,
  values: Record<Name, unknown>,
): unknown[] {
  return names.map((name) => values[name]);
}

/** The records of a flat list, in order. */
export function readRecords<Name extends string>(records: Layout<Name>, values: readonly unknown[]) {
  const count = Math.ceil(values.length / records.size);
  return Array.from({ length: count }, (_, i) => readRecord(records, values, i * records.size));
}
