import { ServiceError } from '../base/errors.ts';
import { dayOfDate, isDate } from '../rules/calendar.ts';

/** Query parameters read strictly: what is there must be right, and is named when it is not (422). */
export class Query {
  readonly #parameters: URLSearchParams;

  constructor(text: string) {
    this.#parameters = new URLSearchParams(text);
  }

  text(name: string): string | null {
    const values = this.#parameters.getAll(name);
    if (values.length > 1) throw new ServiceError('invalid', `${name} must be given once`);
    return values[0] ?? null;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > max) {
      throw new ServiceError('invalid', `${name} must be a whole number from ${min} to ${max}`);
    }
    return value;
  }

  boolean(name: string): boolean {
    const text = this.text(name);
    if (text !== null && text !== 'true' && text !== 'false') {
      throw new ServiceError('invalid', `${name} must be true or false`);
    }
    return text === 'true';
  }

  /** Day ordinal of a date YYYY-MM-DD. */
  day(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (!isDate(text)) throw new ServiceError('invalid', `${name} must be a date that exists, as YYYY-MM-DD`);
    return dayOfDate(text);
  }

  /** `key:value,key:value` (spec: The userAttributes query parameter). */
  userAttributes(): Map<string, string> | null {
    const text = this.text('userAttributes');
    if (text === null) return null;
    const pairs = new Map<string, string>();
    for (const pair of text.split(',')) {
      const colon = pair.indexOf(':');
      const key = pair.slice(0, colon);
      if (colon < 1 || pairs.has(key)) {
        throw new ServiceError('invalid', 'userAttributes must be pairs key:value separated by commas, each key once');
      }
      pairs.set(key, pair.slice(colon + 1));
    }
    return pairs;
  }
}
