import { DateTime } from 'luxon';
import type { Config } from '../../../../src/rules/config.ts';
import type { Model } from '../../../support/model.ts';
import { addDays, addPeriods, type LocalDate, localDate, periodOf } from '../../../support/modelCalendar.ts';
import type { Expected } from '../../difference.ts';
import type { LoggedUser, WorldLog } from '../../worldLog.ts';

/** Ranges of days in the tenant's zone, with their periods (docs/analytics.md). */

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The first and the last date. */
export interface Period {
  start: LocalDate;
  end: LocalDate;
}

/** What a figure is a sum of. */
export interface Figures {
  model: Model;
  log: WorldLog;
  now: number;
  /** If users are spread over cells, ranks may be up to a second old. */
  isSpread: boolean;
}

/** What is read, and the answer that the model expects. */
export interface FigureRead {
  path: string;
  body: Expected;
  /** Brings what has no order into that of the expected answer. */
  arrange?: (found: never) => void;
}

const FREQUENCY = { day: 'daily', week: 'weekly', month: 'monthly' } as const;
/** The longest range that analytics answer is 400 days, and whole months are longer than what is asked for. */
const DAYS_MAX = 330;
const WEEK_DAYS = 7;

export const iso = (date: LocalDate): string => date.toISODate();
export const round = (value: number, digits: number): number => Number(value.toFixed(digits));
export const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : round(part / whole, 4);

export const homeDate = ({ settings }: Config, at: number): LocalDate =>
  localDate(settings.defaultTimeZone, at);

/** All days from the first one of the log, as far as one answer may go back. */
export class Range {
  readonly interval: Interval;
  readonly today: LocalDate;
  readonly periods: readonly Period[];
  readonly #config: Config;
  /** By instant: each is asked for in each period, and costs some microseconds. */
  readonly #dates = new Map<number, LocalDate>();

  constructor({ model, log, now }: Figures, interval: Interval) {
    this.interval = interval;
    this.#config = model.config;
    this.today = homeDate(model.config, now);
    const ofLog = log.everybody.flatMap(({ created, events }) => [created, ...events.map(({ at }) => at)]);
    const earliest = homeDate(model.config, Math.min(now, ...ofLog));
    const least = addDays(this.today, -DAYS_MAX);
    const frequency = FREQUENCY[interval];
    const periods: Period[] = [];
    let start = periodOf(frequency, DateTime.max(earliest, least) as LocalDate);
    for (; start <= this.today; start = addPeriods(frequency, start, 1))
      periods.push({ start, end: addDays(addPeriods(frequency, start, 1), -1) });
    this.periods = periods;
  }

  get query(): string {
    return `from=${iso(this.periods[0]!.start)}&interval=${this.interval}`;
  }

  /** The fields that say what was asked for. */
  get fields(): Record<string, Expected> {
    return {
      timeZone: this.#config.settings.defaultTimeZone,
      interval: this.interval,
      from: iso(this.periods[0]!.start),
      to: iso(this.periods.at(-1)!.end),
    };
  }

  /** What happened in a period. */
  in<T extends { at: number }>({ start, end }: Period, list: readonly T[]): T[] {
    return list.filter(({ at }) => {
      const date = this.#dateAt(at);
      return date >= start && date <= end;
    });
  }

  #dateAt(at: number): LocalDate {
    const known = this.#dates.get(at);
    if (known !== undefined) return known;
    const date = homeDate(this.#config, at);
    this.#dates.set(at, date);
    return date;
  }

  /** What happened in any of the periods. */
  inAll<T extends { at: number }>(list: readonly T[]): T[] {
    return this.in({ start: this.periods[0]!.start, end: this.periods.at(-1)!.end }, list);
  }

  /** The number of days of a period that have begun. */
  begun({ start, end }: Period): number {
    const last = earlier(end, this.today);
    return Math.round(last.diff(start, 'days').days) + 1;
  }
}

export const datesOf = ({ start, end }: Period): Record<string, Expected> => ({
  start: iso(start),
  end: iso(end),
});

export const earlier = (a: LocalDate, b: LocalDate): LocalDate => DateTime.min(a, b) as LocalDate;

export const distinct = (dates: readonly LocalDate[]): LocalDate[] => [
  ...new Map(dates.map((date) => [+date, date])).values(),
];

/** The dates on which a user had an event, in the tenant's zone, ascending. What a user brings by an import is none. */
export function activeDates(config: Config, { events }: LoggedUser): LocalDate[] {
  const dates = events.filter(({ origin }) => origin !== 'import').map(({ at }) => homeDate(config, at));
  return distinct(dates).sort((a, b) => +a - +b);
}

export const isActiveIn = (dates: readonly LocalDate[], { start, end }: Period): boolean =>
  dates.some((date) => date >= start && date <= end);

/** So many days up to a date. */
export const daysUpTo = (end: LocalDate, count: number): Period => ({ start: addDays(end, 1 - count), end });

/** The week that begins with a date. */
export const weekFrom = (start: LocalDate): Period => ({ start, end: addDays(start, WEEK_DAYS - 1) });
