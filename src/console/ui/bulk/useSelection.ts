import { useState } from 'preact/hooks';

/** Rows of a list that are selected to be changed together. */
export interface Selection<T> {
  rows: readonly T[];
  /** Names a row for screen readers. */
  titleOf(row: T): string;
  has(row: T): boolean;
  toggle(row: T): void;
  /** Selects these rows only. */
  choose(rows: readonly T[]): void;
}

/** @param rows of the list; rows that leave it are no longer selected */
export function useSelection<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  titleOf: (row: T) => string,
): Selection<T> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const has = (row: T): boolean => keys.has(keyOf(row));
  return {
    rows: rows.filter(has),
    titleOf,
    has,
    toggle: (row) => {
      const key = keyOf(row);
      setKeys(new Set(keys.has(key) ? [...keys].filter((one) => one !== key) : [...keys, key]));
    },
    choose: (chosen) => setKeys(new Set(chosen.map(keyOf))),
  };
}
