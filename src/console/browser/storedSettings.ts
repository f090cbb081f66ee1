/** Settings of this browser. Not for secrets. */

interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}
/** Tests of texts run without a browser. */
const { localStorage: storage } = globalThis as unknown as { localStorage: Storage };

/** @param of its tenant; null: all tenants */
const keyOf = (name: string, of: string | null): string => `laurel.${of ?? ''}.${name}`;

/** The setting as it is stored now. */
export function readStored<T>(name: string, initial: T, of: string | null): T {
  try {
    return JSON.parse(storage.getItem(keyOf(name, of)) ?? 'null') ?? initial;
  } catch {
    return initial;
  }
}

export function writeStored<T>(name: string, value: T, of: string | null): void {
  storage.setItem(keyOf(name, of), JSON.stringify(value));
}
