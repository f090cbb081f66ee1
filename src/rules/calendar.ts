import { DateTime, IANAZone } from 'luxon';
import type { Frequency, Leaderboard } from './config.ts';

/**
 * Local calendars as integers. A day, week (Monday first) or month is its ordinal since 1970 in the user's
 * local time; everything below is a pure function of (zone, now).
 */
export interface LocalTime {
  zone: string;
  day: number;
  week: number;
  month: number;
  /** Local clock minus UTC, milliseconds. */
  offsetMs: number;
  /**
   * The fields above are valid from `fromMs` (inclusive) to `untilMs` (exclusive): the next local midnight or
   * change of the offset.
   */
  fromMs: number;
  untilMs: number;
}

export interface Run {
  /** Day ordinals, both inclusive; `end` is null for a perpetual leaderboard without an end. */
  start: number;
  end: number | null;
}

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
/** Offset of the earliest time zone, UTC+14. */
const FIRST_ZONE_MS = 14 * HOUR_MS;
const ZONES_CACHED_MAX = 2_000;
const DATES_CACHED_MAX = 10_000;

export function dayOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

const dates = new Map<number, string>();

/** YYYY-MM-DD. Cached, because responses repeat few days. */
export function dateOfDay(day: number): string {
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    if (dates.size >= DATES_CACHED_MAX) dates.clear();
    dates.set(day, date);
  }
  return date;
}

/** Whether a text is a calendar date that exists, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = dayOfDate(text);
  return Number.isFinite(day) && dateOfDay(day) === text;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * YYYY-MM-DD of a date, or of a date-time (RFC 3339) the day in UTC; null for any other text. The first year
 * is 1.
 */
export function utcDateOf(text: string): string | null {
  const instant = INSTANT.test(text) && isDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  const date = Number.isNaN(instant) ? text : new Date(instant).toISOString().slice(0, 10);
  return isDate(date) && !date.startsWith('0000') ? date : null;
}

/** 1970-01-01 was a Thursday: week 0 began on Monday, day -3. */
export function weekOfDay(day: number): number {
  return Math.floor((day + 3) / 7);
}

export function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

function firstDayOfMonth(month: number): number {
  return Date.UTC(1970 + Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / DAY_MS;
}

export function periodOf(time: LocalTime, frequency: Frequency): number {
  return frequency === 'daily' ? time.day : frequency === 'weekly' ? time.week : time.month;
}

/**
 * The status on a local day of a boost, or of a leaderboard that is not inactive, by its dates. Workers store
 * the status of leaderboards when it changes.
 */
export function statusOn(
  { status, start, end }: Pick<Leaderboard, 'start' | 'end'> & Partial<Pick<Leaderboard, 'status'>>,
  day: number,
): 'scheduled' | 'active' | 'finished' {
  if (status === 'finished') return status;
  if (day < dayOfDate(start)) return 'scheduled';
  return end !== null && day > dayOfDate(end) ? 'finished' : 'active';
}

export function periodOfDay(frequency: Frequency, day: number): number {
  return frequency === 'daily' ? day : frequency === 'weekly' ? weekOfDay(day) : monthOfDay(day);
}

export function periodDays(frequency: Frequency, period: number): { start: number; end: number } {
  if (frequency === 'daily') return { start: period, end: period };
  if (frequency === 'weekly') return { start: period * 7 - 3, end: period * 7 + 3 };
  return { start: firstDayOfMonth(period), end: firstDayOfMonth(period + 1) - 1 };
}

const knownZones = new Map<string, boolean>();

/** Accepts IANA names only: fixed offsets such as "+03:00" are not names. */
export function isTimeZone(zone: string): boolean {
  let known = knownZones.get(zone);
  if (known === undefined) {
    known = /^[A-Za-z]/.test(zone) && IANAZone.isValidZone(zone);
    if (knownZones.size >= ZONES_CACHED_MAX) knownZones.clear();
    knownZones.set(zone, known);
  }
  return known;
}

function offsetMsAt(zone: string, instant: number): number {
  return DateTime.fromMillis(instant, { zone }).offset * 60_000;
}

/** The instant at which the zone's offset changes between two instants that differ in offset. */
function offsetChangeBetween(zone: string, from: number, to: number): number {
  const before = offsetMsAt(zone, from);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The first instant of a local day, ms. Where the clock skips or repeats midnight, it is the first with that
 * date.
 */
export function startOfLocalDay(zone: string, day: number): number {
  const midnight = day * DAY_MS;
  const before = offsetMsAt(zone, midnight - 2 * DAY_MS);
  const after = offsetMsAt(zone, midnight + 2 * DAY_MS);
  const start = midnight - before;
  if (before === after) return start;
  const stillBefore = offsetMsAt(zone, start - 1) === before;
  return stillBefore && start + offsetMsAt(zone, start) >= midnight ? start : midnight - after;
}

/** In the order of their numbers in scripts, from 1. */
export const FREQUENCIES: readonly Frequency[] = ['daily', 'weekly', 'monthly'];
/** Number of a frequency in rules, states of users and outcomes. */
export const frequencyNo = (frequency: Frequency): number => FREQUENCIES.indexOf(frequency) + 1;

/** Number of periods before and after the current one whose ends a calendar has. */
export const PERIODS_AROUND = 3;

/** Ends of the periods around the current ones, seconds since 1970: days, then weeks, then months. */
export function endsOfPeriods(time: LocalTime): number[] {
  return FREQUENCIES.flatMap((frequency) =>
    Array.from({ length: 2 * PERIODS_AROUND + 1 }, (_, i) => {
      const { end } = periodDays(frequency, periodOf(time, frequency) + i - PERIODS_AROUND);
      return startOfLocalDay(time.zone, end + 1) / 1000;
    }),
  );
}

/** Like `localTime` without the cache, for instants that do not repeat. */
export function computeLocalTime(zone: string, now: number): LocalTime {
  const offsetMs = offsetMsAt(zone, now);
  const day = Math.floor((now + offsetMs) / DAY_MS);
  const midnight = (day + 1) * DAY_MS - offsetMs;
  const untilMs =
    offsetMsAt(zone, midnight) === offsetMs ? midnight : offsetChangeBetween(zone, now, midnight);
  return { zone, day, week: weekOfDay(day), month: monthOfDay(day), offsetMs, fromMs: now, untilMs };
}

const localTimes = new Map<string, LocalTime>();

export function localTime(zone: string, now: number): LocalTime {
  let time = localTimes.get(zone);
  if (time === undefined || now < time.fromMs || now >= time.untilMs) {
    time = computeLocalTime(zone, now);
    if (localTimes.size >= ZONES_CACHED_MAX) localTimes.clear();
    localTimes.set(zone, time);
  }
  return time;
}

/** Instant at which a day ends in the latest time zone, UTC-12, ms. */
export function overEverywhere(day: number): number {
  return (day + 1) * DAY_MS + DAY_MS / 2;
}

/** The day ordinal in the latest time zone, UTC-12. */
export function lastDayAnywhere(now: number): number {
  return Math.floor((now - DAY_MS / 2) / DAY_MS);
}

/** Instant at which a day begins in the earliest time zone, UTC+14, ms. */
export function beginsAnywhere(day: number): number {
  return day * DAY_MS - FIRST_ZONE_MS;
}

/** The day ordinal in the earliest time zone, UTC+14. */
export function firstDayAnywhere(now: number): number {
  return Math.floor((now + FIRST_ZONE_MS) / DAY_MS);
}

/** Whether the status of a leaderboard allows rankings. Does not look at its dates. */
export function isLive({ status }: Leaderboard): boolean {
  return status === 'scheduled' || status === 'active';
}

/**
 * The run of a leaderboard that contains a local day; null before its start, after its end, or if it is not
 * live.
 */
export function runOf(board: Leaderboard, day: number): Run | null {
  return isLive(board) ? runHolding(board, day) : null;
}

/** The run on a day as the scripts have it (`runs` of ScriptCalendar). */
export function runsOn(board: Leaderboard, day: number): number[] {
  const run = runOf(board, day);
  if (run === null) return [];
  const number = board.league ? [-board.no, runNumber(board, day)!] : [];
  return [board.no, run.start, ...number];
}

/** Like `runOf`, by the dates of the leaderboard alone. */
export function runHolding(board: Leaderboard, day: number): Run | null {
  const first = dayOfDate(board.start);
  const last = board.end === null ? null : dayOfDate(board.end);
  if (day < first || (last !== null && day > last)) return null;
  if (board.runUnit === null || board.runInterval === null) return { start: first, end: last };
  const run = runNumber(board, day)!;
  const end = startOfRun(board, run + 1) - 1;
  return { start: startOfRun(board, run), end: last === null ? end : Math.min(end, last) };
}

type Runs = Pick<Leaderboard, 'start' | 'runUnit' | 'runInterval' | 'runEnds'>;

/** Number of the run that contains a day, from 0, regardless of the end; null before the start. */
export function runNumber(board: Runs, day: number): number | null {
  const first = dayOfDate(board.start);
  if (day < first) return null;
  if (board.runUnit === null || board.runInterval === null) return 0;
  const elapsed = board.runUnit === 'day' ? day - first : monthOfDay(day) - monthOfDay(first);
  const unitLength = board.runUnit === 'year' ? 12 : 1;
  let run = Math.floor(elapsed / (board.runInterval * unitLength));
  // In a month without a 31st, a run starts on the last day, so counting months can be one run too far. An
  // administrator may have moved the ends of runs, each within the next run.
  while (startOfRun(board, run) > day) run--;
  while (startOfRun(board, run + 1) <= day) run++;
  return run;
}

/** First day of the run with this number, of a repeating leaderboard. */
export function startOfRun({ start, runUnit, runInterval, runEnds }: Runs, run: number): number {
  const moved = runEnds.find((one) => one.run === run - 1);
  if (moved !== undefined) return dayOfDate(moved.end) + 1;
  const first = DateTime.fromMillis(dayOfDate(start) * DAY_MS, { zone: 'utc' });
  return Math.round(first.plus({ [runUnit!]: run * runInterval! }).toMillis() / DAY_MS);
}

/** Seconds since local midnight of HH:MM or HH:MM:SS. */
export function secondOfDay(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}
