import { ServiceError } from '../base/errors.ts';
import { DATE_RANGE_DAYS_MAX } from '../base/limits.ts';
import { dayOfDate, isDate } from '../rules/calendar.ts';

/** Days as ordinals since 1970, both inclusive. */
export interface DateRange {
  from: number;
  to: number;
}

/**
 * Query parameters read strictly: what is asked for must be right, and is named when it is not (422). Parameters that
 * nobody asks for are ignored.
 */
export class Query {
  readonly #values = new Map<string, string[]>();

  /** @throws ServiceError `malformed` when the text is not percent-encoded UTF-8 */
  constructor(text: string) {
    for (const part of text.split('&')) {
      if (part === '') continue;
      const equals = part.indexOf('=');
      const name = decode(equals === -1 ? part : part.slice(0, equals));
      const values = this.#values.get(name);
      const value = equals === -1 ? '' : decode(part.slice(equals + 1));
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  text(name: string): string | null {
    const values = this.#values.get(name) ?? [];
    if (values.length > 1) throw invalid(name, 'must be given once');
    return values[0] ?? null;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > max) {
      throw invalid(name, `must be a whole number from ${min} to ${max}`);
    }
    return value;
  }

  boolean(name: string): boolean {
    const text = this.text(name);
    if (text !== null && text !== 'true' && text !== 'false') throw invalid(name, 'must be true or false');
    return text === 'true';
  }

  /** One of `choices`; without a fallback it must be given. */
  choice<T extends string>(name: string, choices: readonly T[], fallback?: T): T {
    const text = this.text(name) ?? fallback;
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw invalid(name, `must be one of ${choices.join(', ')}`);
    return chosen;
  }

  /** Day ordinal of a date YYYY-MM-DD. */
  day(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (!isDate(text)) throw invalid(name, 'must be a date that exists, as YYYY-MM-DD');
    return dayOfDate(text);
  }

  /** `startDate` and `endDate`, also written `start_date` and `end_date`; both must be given. */
  dateRange(): DateRange {
    const from = this.#requiredDay('startDate', 'start_date');
    const to = this.#requiredDay('endDate', 'end_date');
    if (to.day < from.day) throw invalid(to.name, `must not be before ${from.name}`);
    if (to.day - from.day >= DATE_RANGE_DAYS_MAX) {
      throw invalid(to.name, `must be less than ${DATE_RANGE_DAYS_MAX} days after ${from.name}`);
    }
    return { from: from.day, to: to.day };
  }

  #requiredDay(camelCase: string, snakeCase: string): { name: string; day: number } {
    const name = this.#values.has(snakeCase) ? snakeCase : camelCase;
    if (name === snakeCase && this.#values.has(camelCase)) throw invalid(camelCase, `and ${snakeCase} are the same`);
    const day = this.day(name);
    if (day === null) throw invalid(name, 'is required');
    return { name, day };
  }

  /** `name=a&name=b`, `name[]=a&name[]=b` or `name=a,b`: a value that stands alone is split at its commas. */
  list(name: string, max: number): string[] {
    const single = this.#values.get(name) ?? [];
    const all = [...(single.length === 1 ? single[0]!.split(',') : single), ...(this.#values.get(`${name}[]`) ?? [])];
    if (all.length === 0 || all.length > max || all.includes('')) {
      throw invalid(name, `must be 1 to ${max} values that are not empty`);
    }
    return all;
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
        throw invalid('userAttributes', 'must be pairs key:value separated by commas, each key once');
      }
      pairs.set(key, pair.slice(colon + 1));
    }
    return pairs;
  }
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('malformed', `${text} in the query is not percent-encoded UTF-8`);
  }
  if (decoded.includes('\0')) throw new ServiceError('malformed', `${text} in the query holds the NUL character`);
  return decoded;
}

function invalid(name: string, message: string): ServiceError {
  return new ServiceError('invalid', `${name} ${message}`);
}
