/** JSON text of a `T`, of which parts may have been written once for many answers. */
export class WrittenJson<T> {
  readonly text: string;
  /** For the compiler only. */
  declare readonly of?: T;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON text of a value, which may be written already. */
export const jsonText = (value: unknown): string =>
  value instanceof WrittenJson ? value.text : JSON.stringify(value);

/** JSON of a list whose items are written already. */
export const writeList = <T>(items: readonly string[]): WrittenJson<T[]> =>
  new WrittenJson(`[${items.join(',')}]`);

/** JSON of an object whose values may be written already. */
export function writeObject<T>(entries: Iterable<readonly [key: string, value: unknown]>): WrittenJson<T> {
  const pairs = Array.from(entries, ([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`);
  return new WrittenJson(`{${pairs.join(',')}}`);
}
