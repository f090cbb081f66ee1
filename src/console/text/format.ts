import { locale } from './language.ts';

/** Numbers and times in the language of the console and the region of the browser. */

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/** Shown where there is no value. */
export const NONE = '–';

export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : numbers.format(value);
}

/** "12 lessons", or the value alone. */
export const withUnit = (shown: string, unit: string | null | undefined): string =>
  unit ? `${shown} ${unit}` : shown;

const shortNumbers = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });

const signedNumbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: 'exceptZero' });

/** "+5", "-5" */
export const formatSigned = (value: number): string => signedNumbers.format(value);

/** "1.2K", where there is little room. */
export const formatShortNumber = (value: number): string => shortNumbers.format(value);

/** "+12%", of a value against an earlier one; null without one. */
export function formatChange(value: number, before: number): string | null {
  return before === 0 ? null : changes.format(value / before - 1);
}
const changes = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** @param share 0 to 1 */
export function formatShare(share: number | null | undefined): string {
  return share === null || share === undefined ? NONE : percents.format(share);
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };

/** An instant; in the time zone of the browser unless another is given. */
export function formatInstant(instant: string | null | undefined, timeZone?: string | null): string {
  if (!instant) return NONE;
  return new Date(instant).toLocaleString(locale, { ...DAY, ...TIME, timeZone: timeZone ?? undefined });
}

/** An instant to the minute, where there is little room. */
export function formatMinute(instant: string, timeZone: string): string {
  return new Date(instant).toLocaleString(locale, {
    ...DAY,
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
}

export function formatDay(instant: string, timeZone?: string | null): string {
  return new Date(instant).toLocaleDateString(locale, {
    ...DAY,
    weekday: 'short',
    timeZone: timeZone ?? undefined,
  });
}

export function formatTime(instant: string, timeZone?: string | null): string {
  return new Date(instant).toLocaleTimeString(locale, { ...TIME, timeZone: timeZone ?? undefined });
}

/** A calendar date, YYYY-MM-DD. */
export function formatDate(date: string | null | undefined): string {
  return date ? new Date(`${date}T00:00:00Z`).toLocaleDateString(locale, { ...DAY, timeZone: 'UTC' }) : NONE;
}

/** `lessonsCompleted` → "Lessons completed" */
export function words(name: string): string {
  const spaced = name
    .replaceAll(/[_.-]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\bid\b/g, 'ID');
  return capital(spaced);
}

/** "every day" → "Every day" */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
const DAY_MS = 86_400_000;
/** Day of the epoch that is a Monday. */
const A_MONDAY = 4;

/** @param day 0 is Monday */
export const weekdayName = (day: number): string => weekdays.format((A_MONDAY + day) * DAY_MS);

export const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Any stored value in one line. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return NONE;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A date some days later, YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Days from one date to another. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

/** A duration in its largest unit that fits. */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `${formatNumber(Math.round(seconds))} s`;
  if (seconds < HOUR_SECONDS) return `${formatNumber(Math.round(seconds / MINUTE_SECONDS))} min`;
  return `${formatNumber(Math.round(seconds / HOUR_SECONDS))} h`;
}

/** The first days of all periods of a range that consists of whole periods. */
export function periodStarts(from: string, to: string, interval: 'day' | 'week' | 'month'): string[] {
  const starts: string[] = [];
  for (let start = from; start <= to; start = nextStart(start, interval)) starts.push(start);
  return starts;
}

function nextStart(start: string, interval: 'day' | 'week' | 'month'): string {
  if (interval !== 'month') return addDays(start, interval === 'day' ? 1 : 7);
  const date = new Date(`${start}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + 1, 1);
  return date.toISOString().slice(0, 10);
}
