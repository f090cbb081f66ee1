import { useState } from 'preact/hooks';
import { tenant } from './session.ts';

/** Something that this browser remembers for a tenant, such as the columns of a table. Not for secrets. */
export function useStored<T>(name: string, initial: T): [value: T, store: (value: T) => void] {
  const key = `laurel.${tenant.value ?? ''}.${name}`;
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
