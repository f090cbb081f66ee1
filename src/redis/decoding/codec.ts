import { Packr } from 'msgpackr';
import type { LuaTable } from '../layouts/recordLayout.ts';

/**
 * The codec for arguments and replies of the scripts. `undefined` must not be packed, because cmsgpack in Lua
 * cannot read it.
 */
const packr = new Packr({ useRecords: false, int64AsType: 'number', variableMapSize: true });

export const pack = (value: unknown): Buffer => packr.pack(value);

/** Unpacks concatenated values, as the scripts write them. */
export const unpackAll = (packed: Buffer): unknown[] => packr.unpackMultiple(packed) as unknown[];

export function luaMap<T>(table: LuaTable<T>): Map<number, T> {
  const map = new Map<number, T>();
  if (Array.isArray(table)) for (let i = 0; i < table.length; i++) map.set(i + 1, table[i]!);
  else for (const key in table) map.set(Number(key), table[key]!);
  return map;
}

const packedObjects = new WeakMap<object, Buffer>();

/** Removes fields that are false. In Lua an absent field is false as well, and it costs nothing to decode. */
function withoutFalse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFalse);
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== false);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutFalse(field)]));
}

/**
 * Packs an immutable object once and caches the result as long as the object exists. The fields `nested` are
 * packed as JSON text, so that a script decodes them only if needed.
 */
export function packOnce<T extends object>(value: T, ...nested: (keyof T)[]): Buffer {
  let packed = packedObjects.get(value);
  if (packed === undefined) {
    const texts = nested.map((field) => [field, value[field] && JSON.stringify(value[field])]);
    packed = Buffer.from(pack(withoutFalse({ ...value, ...Object.fromEntries(texts) })));
    packedObjects.set(value, packed);
  }
  return packed;
}
