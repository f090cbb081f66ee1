/**
 * What an answer must be: exactly these fields with these values. A field that the model does not know is a
 * difference too, so that none stays unseen.
 */
export type Expected =
  | string
  | number
  | boolean
  | null
  | Excused
  | readonly Expected[]
  | { readonly [field: string]: Expected | undefined };

/** Stands for a value that is there and not compared. */
export class Excused {
  readonly reason: string;
  /** What the value must be at least. */
  readonly type: 'string' | 'number' | 'boolean' | 'object' | 'any';

  constructor(type: Excused['type'], reason: string) {
    this.type = type;
    this.reason = reason;
  }

  allows(value: unknown): boolean {
    return this.type === 'any' || (value !== null && typeof value === this.type);
  }
}

export interface Difference {
  /** As in `body.points.xp.total`. */
  path: string;
  found: unknown;
  expected: unknown;
}

/** The first difference between what was found and what the model says; null if there is none. */
export function differenceOf(
  found: unknown,
  expected: Expected | undefined,
  path: string,
): Difference | null {
  if (expected instanceof Excused) return expected.allows(found) ? null : { path, found, expected };
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return { path, found, expected };
    return firstOf(expected.keys(), (i) => differenceOf(found[i], expected[i], `${path}[${i}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return { path, found, expected };
    const [has, should] = [
      found as Record<string, unknown>,
      expected as Record<string, Expected | undefined>,
    ];
    const fields = new Set([...Object.keys(should), ...Object.keys(has)]);
    return firstOf(fields, (field) => differenceOf(has[field], should[field], `${path}.${field}`));
  }
  return Object.is(found, expected) ? null : { path, found, expected };
}

function firstOf<T>(list: Iterable<T>, find: (item: T) => Difference | null): Difference | null {
  for (const item of list) {
    const difference = find(item);
    if (difference !== null) return difference;
  }
  return null;
}
