import { useState } from 'preact/hooks';
import { tenant } from './session.ts';

/**
 * A setting of this browser, such as the columns of a table. Not for secrets.
 * @param of its tenant; null: all tenants
 */
export function useStored<T>(
  name: string,
  initial: T,
  of: string | null = tenant.value,
): [value: T, store: (value: T) => void] {
  const [value, setValue] = useState(() => readStored(name, initial, of));
  const store = (changed: T): void => {
    localStorage.setItem(keyOf(name, of), JSON.stringify(changed));
    setValue(changed);
  };
  return [value, store];
}

const keyOf = (name: string, of: string | null): string => `laurel.${of ?? ''}.${name}`;

/** The setting as it is stored now. */
export function readStored<T>(name: string, initial: T, of: string | null): T {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name, of)) ?? 'null') ?? initial;
  } catch {
    return initial;
  }
}
