import { Packr } from 'msgpackr';

/** One codec for all that goes to and comes from the scripts. `undefined` must not be packed: Lua's side cannot read it. */
const packr = new Packr({ useRecords: false, int64AsType: 'number', variableMapSize: true });

export const pack = (value: unknown): Buffer => packr.pack(value);

/** Values that stand one after the other, as the scripts write them. */
export const unpackAll = (packed: Buffer): unknown[] => packr.unpackMultiple(packed) as unknown[];

/**
 * A Lua table keyed by numbers: cmsgpack writes it as an array when the keys happen to be 1, 2, 3, …, else as a map.
 */
export type LuaTable<T> = T[] | Record<string, T>;

export function luaEntries<T>(table: LuaTable<T>): [number, T][] {
  if (Array.isArray(table)) return table.map((value, index) => [index + 1, value]);
  return Object.entries(table).map(([key, value]) => [Number(key), value]);
}

const packedObjects = new WeakMap<object, Buffer>();

/**
 * Packs an object that never changes once, and keeps the result as long as the object lives. The field `nested` goes as
 * JSON, one string to the script until somebody looks into it.
 */
export function packOnce<T extends object>(value: T, nested: keyof T): Buffer {
  let packed = packedObjects.get(value);
  if (packed === undefined) {
    packed = Buffer.from(pack({ ...value, [nested]: JSON.stringify(value[nested]) }));
    packedObjects.set(value, packed);
  }
  return packed;
}
