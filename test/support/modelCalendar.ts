import { DateTime, type DurationUnit } from 'luxon';
import type { Frequency, Leaderboard } from '../../src/rules/config.ts';

/** A date without a zone, as midnight UTC of that date. */
export type LocalDate = DateTime<true>;

const UNIT = { daily: 'days', weekly: 'weeks', monthly: 'months' } as const;
/** The period with the ordinal 0. */
const FIRST = { daily: '1970-01-01', weekly: '1969-12-29', monthly: '1970-01-01' } as const;

const REMEMBERED_MAX = 100_000;

/** The same answer for the same question, asked of luxon once: it takes most of a long test otherwise. */
export function remembered<Q extends (string | number | LocalDate)[], A>(
  answer: (...question: Q) => A,
): (...question: Q) => A {
  const answers = new Map<string, A>();
  return (...question) => {
    let name = '';
    for (const part of question) name += `${typeof part === 'string' ? part : Number(part)} `;
    let known = answers.get(name);
    if (known === undefined) {
      if (answers.size >= REMEMBERED_MAX) answers.clear();
      known = answer(...question);
      answers.set(name, known);
    }
    return known;
  };
}

export const dateOf = remembered((text: string): LocalDate => {
  return DateTime.fromISO(text, { zone: 'utc' }) as LocalDate;
});

/** What the calendar on the wall shows in a zone. */
export const localDate = (zone: string, now: number): LocalDate =>
  dateInQuarter(zone, Math.floor(now / QUARTER_MS));

/** Clocks of all zones differ by whole quarters of an hour. */
const QUARTER_MS = 900_000;
const dateInQuarter = remembered((zone: string, quarter: number): LocalDate => {
  const local = DateTime.fromMillis(quarter * QUARTER_MS, { zone });
  return dateOf(local.toISODate()!);
});

/** A period is named by its first date. */
export const periodOf = remembered((frequency: Frequency, date: LocalDate): LocalDate => {
  return date.startOf(frequency === 'daily' ? 'day' : frequency === 'weekly' ? 'week' : 'month');
});

export const addPeriods = remembered((frequency: Frequency, period: LocalDate, count: number): LocalDate => {
  return period.plus({ [UNIT[frequency]]: count });
});

export const addDays = (date: LocalDate, count: number): LocalDate => addPeriods('daily', date, count);

export function periodsBetween(frequency: Frequency, from: LocalDate, to: LocalDate): number {
  return Math.round(to.diff(from, UNIT[frequency]).as(UNIT[frequency]));
}

/** The first instant of a date in a zone, ms. */
export const startOfDate = remembered((zone: string, date: LocalDate): number => {
  const { year, month, day } = date;
  const start = DateTime.fromObject({ year, month, day }, { zone }).startOf('day');
  // Where the clock is put back to midnight, the date begins an hour before.
  const before = start.minus({ hours: 1 });
  return (before.hasSame(start, 'day') ? before : start).toMillis();
});

/** When a period ends in a zone, ms. */
export function endOfPeriod(zone: string, frequency: Frequency, period: LocalDate): number {
  return startOfDate(zone, addPeriods(frequency, period, 1));
}

/** As the service numbers periods; what never was is 0. */
export function ordinal(frequency: Frequency, period: LocalDate | null): number {
  return period === null ? 0 : periodsSince1970(frequency, period);
}

const periodsSince1970 = remembered((frequency: Frequency, period: LocalDate): number =>
  periodsBetween(frequency, dateOf(FIRST[frequency]), period),
);

/** First date of the run that holds a date; null where the leaderboard does not run on that date. */
export function runStart(board: Leaderboard, date: LocalDate): LocalDate | null {
  if (board.status === 'inactive' || board.status === 'finished') return null;
  const first = dateOf(board.start);
  if (date < first || (board.end !== null && date > dateOf(board.end))) return null;
  if (board.runUnit === null) return first;
  const countedOn = (day: LocalDate) => countedRunStart(first, board.runUnit!, board.runInterval!, day);
  // An administrator may have moved the first days of runs.
  const moved = board.runEnds.map(({ run, end }) => ({
    from: first.plus({ [board.runUnit!]: (run + 1) * board.runInterval! }),
    to: addDays(dateOf(end), 1),
  }));
  let start = countedOn(date);
  while (moved.some(({ from }) => +from === +start)) start = countedOn(addDays(start, -1));
  for (const { to } of moved) if (to <= date && to > start) start = to;
  return start;
}

/** Number of runs before the one that begins on a date. */
export function runCount(board: Leaderboard, first: LocalDate): number {
  const moved = board.runEnds.find(({ end }) => +addDays(dateOf(end), 1) === +first);
  if (moved !== undefined) return moved.run + 1;
  const start = dateOf(board.start);
  let count = runBefore(start, board.runUnit!, board.runInterval!, first);
  while (start.plus({ [board.runUnit!]: count * board.runInterval! }) < first) count++;
  return count;
}

/** Number of a run that begins before the date, near it where there is one: a run has whole units. */
function runBefore(first: LocalDate, unit: string, interval: number, date: LocalDate): number {
  const units = date.diff(first, unit as DurationUnit).as(unit as DurationUnit);
  return Math.max(0, Math.floor(units / interval) - 1);
}

/**
 * Counted from the first start, so that a run from the 31st begins on the 31st again after a shorter month.
 */
const countedRunStart = remembered(
  (first: LocalDate, unit: string, interval: number, date: LocalDate): LocalDate => {
    const startOf = (run: number): LocalDate => first.plus({ [unit]: run * interval });
    let run = runBefore(first, unit, interval, date);
    while (startOf(run + 1) <= date) run++;
    return startOf(run);
  },
);

/** The last date of the run that begins on a date; null for one without end. */
export const runEnd = (board: Leaderboard, start: LocalDate): LocalDate | null => {
  const last = board.end === null ? null : dateOf(board.end);
  if (board.runUnit === null) return last;
  let end = start;
  for (const days of [32, 1])
    while (+(runStart(board, addDays(end, days)) ?? 0) === +start) end = addDays(end, days);
  return end;
};

/** The date by which a user whose date is `today` has runs. */
export const dateOfRuns = ({ timeZone }: Leaderboard, today: LocalDate, now: number): LocalDate =>
  timeZone === null ? today : localDate(timeZone, now);

/** When a run that ends with a date becomes final, ms: a league has its runs in the zone of the tenant. */
export function finalAt(board: Leaderboard, end: LocalDate, home: string): number {
  const zone = board.timeZone ?? (board.league === null ? null : home);
  if (zone === null) return end.plus({ days: 1, hours: 12 }).toMillis();
  const over = DateTime.fromISO(end.plus({ days: 1 }).toISODate(), { zone });
  return over.plus({ hours: board.league === null ? 1 : 0 }).toMillis();
}

/** What the clock of a zone shows, HH:mm:ss. */
export const clockAt = (zone: string, now: number): string =>
  DateTime.fromMillis(now, { zone }).toFormat('HH:mm:ss');

export const withSeconds = (time: string): string => (time.length === 5 ? `${time}:00` : time);

/**
 * Whether the clock on the wall is in the board's daily window: from the start, up to and without the end.
 */
export function inWindow(board: Leaderboard, zone: string, now: number): boolean {
  if (board.startTime === null && board.endTime === null) return true;
  const clock = clockAt(zone, now);
  const start = withSeconds(board.startTime ?? '00:00');
  const end = withSeconds(board.endTime ?? '24:00');
  return start <= end ? clock >= start && clock < end : clock >= start || clock < end;
}

/** The instant of a time of a date in a zone, ms. */
export const instantOf = remembered((zone: string, date: LocalDate, time: string): number => {
  return DateTime.fromISO(`${date.toISODate()}T${time}`, { zone }).toMillis();
});
