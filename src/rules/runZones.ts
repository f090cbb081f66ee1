import {
  beginsAnywhere,
  computeLocalTime,
  dateOfDay,
  firstDayAnywhere,
  type LocalTime,
  lastDayAnywhere,
  localTime,
  overEverywhere,
  type Run,
  startOfLocalDay,
} from './calendar.ts';
import type { Leaderboard } from './config.ts';

/*
 * The dates of runs are those of each user, or those of one time zone: that of the leaderboard, and for
 * leagues that of the tenant.
 */

/** How long a run in one time zone waits for late events before it is final. A league does not wait. */
const RUN_WAIT_MS = 3_600_000;

/** The time zone by which everybody's runs begin and end; null if each user's own does. */
export const zoneOfRuns = ({ timeZone, league }: Leaderboard, defaultZone: string): string | null =>
  timeZone ?? (league === null ? null : defaultZone);

/** The day by which a user with a local time has runs at an instant (ms). */
export function dayOfRuns(board: Leaderboard, defaultZone: string, local: LocalTime, at: number): number {
  const zone = zoneOfRuns(board, defaultZone);
  return zone === null || zone === local.zone ? local.day : computeLocalTime(zone, at).day;
}

/** The day by which the first users have runs, and the one by which the last users have them. */
export const firstDayOfRuns = (board: Leaderboard, defaultZone: string, now: number): number =>
  commonDay(board, defaultZone, now) ?? firstDayAnywhere(now);
export const lastDayOfRuns = (board: Leaderboard, defaultZone: string, now: number): number =>
  commonDay(board, defaultZone, now) ?? lastDayAnywhere(now);

function commonDay(board: Leaderboard, defaultZone: string, now: number): number | null {
  const zone = zoneOfRuns(board, defaultZone);
  return zone === null ? null : localTime(zone, now).day;
}

/** When a day begins for the first users, ms. */
export function beginsFirst(board: Leaderboard, defaultZone: string, day: number): number {
  const zone = zoneOfRuns(board, defaultZone);
  return zone === null ? beginsAnywhere(day) : startOfLocalDay(zone, day);
}

/** When a run that ends with this day becomes final, ms. */
export function finalAt(board: Leaderboard, defaultZone: string, lastDay: number): number {
  const zone = zoneOfRuns(board, defaultZone);
  if (zone === null) return overEverywhere(lastDay);
  const over = startOfLocalDay(zone, lastDay + 1);
  return board.league === null ? over + RUN_WAIT_MS : over;
}

/** Which events of the history are in a run: by local dates, or by instants (ms) in one time zone. */
export interface RunRange {
  fromDate: string | null;
  toDate: string | null;
  from: number | null;
  till: number | null;
}

export const EVER: RunRange = { fromDate: null, toDate: null, from: null, till: null };

export function rangeOfRun(
  board: Leaderboard,
  defaultZone: string,
  { start, end }: Pick<Run, 'start' | 'end'>,
): RunRange {
  const zone = zoneOfRuns(board, defaultZone);
  if (zone === null)
    return { ...EVER, fromDate: dateOfDay(start), toDate: end === null ? null : dateOfDay(end) };
  return {
    ...EVER,
    from: startOfLocalDay(zone, start),
    till: end === null ? null : startOfLocalDay(zone, end + 1),
  };
}
