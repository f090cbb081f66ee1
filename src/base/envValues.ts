import { parseInstant } from './instant.ts';

/*
 * Environment variables by the form of their value.
 */

export type Variables = NodeJS.ProcessEnv;

/** A row of the table in docs/operations.md. */
export interface VariableRow {
  name: string;
  /** As it would be written; empty for none. */
  fallback: string;
  /** Whole numbers that are valid. */
  bounds?: readonly [min: number, max: number];
  /** What it sets, in Markdown. */
  meaning: string;
}

/** One or several variables, and the setting that they make. */
export interface Variable<T> {
  rows: readonly VariableRow[];
  /** @throws Error that names the variable with an invalid value */
  read(source: Variables): T;
}

export type SettingOf<V> = V extends Variable<infer T> ? T : never;

/** Settings that are read together, by name. */
export function settings<V extends Record<string, Variable<unknown>>>(
  variables: V,
): Variable<{ [K in keyof V]: SettingOf<V[K]> }> {
  return {
    rows: Object.values(variables).flatMap(({ rows }) => rows),
    read: (source) =>
      Object.fromEntries(Object.entries(variables).map(([key, { read }]) => [key, read(source)])) as {
        [K in keyof V]: SettingOf<V[K]>;
      },
  };
}

/** A variable with a form of its own. */
export function variable<T>(
  name: string,
  read: (source: Variables, name: string) => T,
  meaning: string,
  fallback = '',
): Variable<T> {
  return { rows: [{ name, fallback, meaning }], read: (source) => read(source, name) };
}

export function text<T extends string | null>(
  name: string,
  fallback: T,
  meaning: string,
): Variable<string | T> {
  return variable(name, (source) => source[name] || fallback, meaning, fallback ?? '');
}

/** @param shown the default of the installation, where that of the process is null */
export function integer<T extends number | null>(
  name: string,
  fallback: T,
  bounds: readonly [min: number, max: number],
  meaning: string,
  shown = String(fallback ?? ''),
): Variable<number | T> {
  const [min, max] = bounds;
  const read = (source: Variables): number | T => {
    const given = source[name];
    if (given === undefined || given === '') return fallback;
    const value = Number(given);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${given}"`);
    }
    return value;
  };
  return { rows: [{ name, fallback: shown, bounds, meaning }], read };
}

/** A switch, on with `1`. `0` is off; nothing or an empty text is the fallback. */
export function flag(name: string, meaning: string, fallback: '0' | '1' = '0'): Variable<boolean> {
  const read = (source: Variables): boolean => {
    const given = source[name] || fallback;
    if (given !== '0' && given !== '1') throw new Error(`${name} must be 1 (on) or 0 (off), not "${given}"`);
    return given === '1';
  };
  return variable(name, read, meaning, fallback === '0' ? '' : fallback);
}

export function oneOf(
  name: string,
  fallback: string,
  values: readonly string[],
  meaning: string,
): Variable<string> {
  const read = (source: Variables): string => {
    const given = source[name] || fallback;
    if (values.includes(given)) return given;
    throw new Error(`${name} must be one of ${values.join(', ')}`);
  };
  return variable(name, read, meaning, fallback);
}

export const pace = (name: string, atOnce: number, what: string) =>
  settings({
    atOnce: integer(`${name}_AT_ONCE`, atOnce, [1, 1_000], `${what} that one worker sends at the same time`),
    perSecond: integer(
      `${name}_PER_SECOND`,
      null,
      [1, 1_000_000],
      `${what} that all workers together begin to send in a second; without it there is no limit`,
    ),
  });

/** Variables that make one setting. */
export const together = <T>(
  read: (source: Variables) => T,
  variables: readonly Variable<unknown>[],
): Variable<T> => ({ rows: variables.flatMap(({ rows }) => rows), read });

/** Instant (ms) at which the test clock begins; null if the text is `1`. */
export function instant(text: string): number | null {
  const start = text === '1' ? null : parseInstant(text);
  if (text !== '1' && start === null) {
    throw new Error(`LAUREL_TEST_CLOCK must be 1 or an instant such as 2026-12-24T18:00:00Z, not "${text}"`);
  }
  return start;
}

export function origins(source: Variables, name: string): string[] {
  const listed = (source[name] ?? '').split(',').map((origin) => origin.trim());
  return listed
    .filter((origin) => origin !== '')
    .map((origin) => {
      if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return origin;
      throw new Error(`${name} must list origins such as https://app.example, or *, not "${origin}"`);
    });
}

export function webUrl(source: Variables, name: string): string | null {
  const text = source[name] || null;
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Error(`${name} must be a URL such as https://laurel.example, not "${text}"`);
  }
  return text.replace(/\/+$/, '');
}

/** Header names are compared in lower case. */
export function headerName(name: string, fallback: string, meaning: string): Variable<string> {
  const what = 'the name of a header, of letters, digits and -';
  const { rows, read } = matching(name, fallback, /^[a-z0-9-]+$/i, what, meaning);
  return { rows, read: (source) => read(source).toLowerCase() };
}

export const keyText = (name: string, fallback: string, meaning: string): Variable<string> =>
  matching(name, fallback, /^[a-zA-Z\d_-]{1,50}$/, 'a key of letters, digits, - and _', meaning);

function matching(
  name: string,
  fallback: string,
  form: RegExp,
  what: string,
  meaning: string,
): Variable<string> {
  const read = (source: Variables): string => {
    const given = source[name] || fallback;
    if (form.test(given)) return given;
    throw new Error(`${name} must be ${what}, not "${given}"`);
  };
  return variable(name, read, meaning, fallback);
}
