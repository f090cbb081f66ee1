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
  const key = `laurel.${of ?? ''}.${name}`;
  const [value, setValue] = useState(() => read(key, initial));
  const store = (changed: T): void => {
    localStorage.setItem(key, JSON.stringify(changed));
    setValue(changed);
  };
  return [value, store];
}

function read<T>(key: string, initial: T): T {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? initial;
  } catch {
    return initial;
  }
}
