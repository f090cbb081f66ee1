import { parseInstant } from './instant.ts';

/*
 * Readers of environment variables by the form of their value. Each throws an Error that names the variable.
 */

export type Variables = NodeJS.ProcessEnv;

export function integer<T>(
  source: Variables,
  name: string,
  fallback: T,
  min: number,
  max: number,
): number | T {
  const text = source[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

/** Whether a switch is on: `1`. `0` is off; nothing or an empty text is the fallback. */
export function flag(source: Variables, name: string, fallback: '0' | '1' = '0'): boolean {
  const text = source[name] || fallback;
  if (text !== '0' && text !== '1') throw new Error(`${name} must be 1 (on) or 0 (off), not "${text}"`);
  return text === '1';
}

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

export function pace(
  source: Variables,
  name: string,
  atOnce: number,
): { atOnce: number; perSecond: number | null } {
  return {
    atOnce: integer(source, `${name}_AT_ONCE`, atOnce, 1, 1_000),
    perSecond: integer(source, `${name}_PER_SECOND`, null, 1, 1_000_000),
  };
}

export function headerName(source: Variables, name: string, fallback: string): string {
  return matching(
    source,
    name,
    fallback,
    /^[a-z0-9-]+$/i,
    'the name of a header, of letters, digits and -',
  ).toLowerCase();
}

export function keyText(source: Variables, name: string, fallback: string): string {
  return matching(source, name, fallback, /^[a-zA-Z\d_-]{1,50}$/, 'a key of letters, digits, - and _');
}

function matching(source: Variables, name: string, fallback: string, form: RegExp, what: string): string {
  const text = source[name] || fallback;
  if (form.test(text)) return text;
  throw new Error(`${name} must be ${what}, not "${text}"`);
}
