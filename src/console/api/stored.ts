import { useState } from 'preact/hooks';
import { readStored, writeStored } from '../browser/storedSettings.ts';
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
    writeStored(name, changed, of);
    setValue(changed);
  };
  return [value, store];
}
