/**
 * A Lua table keyed by numbers: cmsgpack writes it as an array when the keys happen to be 1, 2, 3, …, else as
 * a map.
 */
export type LuaTable<T> = T[] | Record<string, T>;

/** The type of a value in a record. It exists for the compiler only. */
export interface Value<T> {
  readonly type?: T;
}

export const number: Value<number> = {};
export const text: Value<string> = {};
export const flag: Value<boolean> = {};
export const bytes: Value<Buffer> = {};
/** A list or a table, as the script that writes it describes. */
export const table = <T = unknown>(): Value<T> => ({});
export const list = <T = unknown>(): Value<T[]> => ({});
/** Scripts write `false` for an absent value, because nil would leave a hole in a list. */
export const orFalse = <T>(_value: Value<T>): Value<T | false> => ({});

/** Records of a layout one after the other, in one list. */
export type Flat<R> = unknown[] & { readonly of?: R };
export const records = <R>(_records: Layout<R>): Value<Flat<R>> => ({});

/** One record. Its type is that of a list, which may have one item. */
export const record = records;

/** The position of a value of type `T` in its record. */
export type Position<T> = number & Value<T>;

/**
 * A layout names the values of a record in a flat list. Positions in TypeScript count from 0. Lua lists begin
 * at 1, so the loader adds 1: in both languages, `base + LAYOUT.name` is the index of a value, with `base` 0
 * for the first record and `LAYOUT.size` for the second.
 */
export interface Layout<R> {
  readonly names: readonly (keyof R & string)[];
  readonly at: { readonly [Name in keyof R]: Position<R[Name]> };
  /** Number of values in a record. */
  readonly size: number;
  /** The values of the record that starts at `base`, by name. */
  readonly read: (values: Flat<R>, base: number) => R;
}

/** A record of a layout, by the names of its values. */
export type RecordOf<L> = L extends Layout<infer R> ? R : never;

export function layout<R>(values: { readonly [Name in keyof R]: Value<R[Name]> }): Layout<R> {
  const names = Object.keys(values) as (keyof R & string)[];
  const at = Object.fromEntries(names.map((name, position) => [name, position])) as Layout<R>['at'];
  return { names, at, size: names.length, read: readerOf(names) };
}

/** A function whose text names the values: several times as fast as a loop over the names. */
function readerOf<R>(names: readonly string[]): Layout<R>['read'] {
  const values = names.map((name, position) => `${name}: values[base + ${position}]`);
  return new Function('values', 'base', `return { ${values.join(', ')} }`) as Layout<R>['read'];
}

/** One value of the record that starts at `base`. */
export const valueAt = <T>(values: readonly unknown[], base: number, at: Position<T>): T =>
  values[base + at] as T;

export function setValue<T>(values: unknown[], base: number, at: Position<T>, value: NoInfer<T>): void {
  values[base + at] = value;
}

/** The values of the record that starts at `base`, by name. */
export const readRecord = <R>({ read }: Layout<R>, values: Flat<R>, base = 0): R => read(values, base);

/** The values in the order of the record. */
export function toRecord<R>({ names }: Layout<R>, values: NoInfer<R>): Flat<R> {
  return names.map((name) => values[name]);
}

/** The records of a flat list, in order. */
export function readRecords<R>({ read, size }: Layout<R>, values: Flat<R>): R[] {
  const records: R[] = [];
  for (let base = 0; base < values.length; base += size) records.push(read(values, base));
  return records;
}

export const toRecords = <R>(of: Layout<R>, rows: readonly NoInfer<R>[]): Flat<R> =>
  rows.flatMap((row) => toRecord(of, row));

/** Whether a value that another process wrote is a list of whole records. */
export function isListOf<R>(layout: Layout<R>, flat: unknown): flat is Flat<R> {
  return Array.isArray(flat) && flat.length % layout.size === 0;
}
