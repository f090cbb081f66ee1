import { dateOfDay, dayOfDate, runNumber, startOfRun, weekOfDay } from '../calendar.ts';
import type { Challenge, Config } from '../config.ts';
import type { ScriptCalendar } from '../scriptRules.ts';

/** Runs of challenges, by the dates of each user. Days are ordinals since 1970. */

type Dates = Pick<Challenge, 'start' | 'end' | 'runUnit' | 'runInterval'>;

const DAYS_OF_WEEK = 7;

/** The runs as those of a leaderboard: weeks are counted from the Monday of the first one. */
function runsOf({ start, runUnit, runInterval }: Dates): Parameters<typeof runNumber>[0] {
  if (runUnit !== 'week') return { start, runUnit, runInterval, runEnds: [] };
  const monday = weekOfDay(dayOfDate(start)) * DAYS_OF_WEEK - 3;
  return {
    start: dateOfDay(monday),
    runUnit: 'day',
    runInterval: runInterval! * DAYS_OF_WEEK,
    runEnds: [],
  };
}

/** Number of the run that holds a day, from 0, also after the end; null before the start. */
export const runOfChallenge = (dates: Dates, day: number): number | null =>
  day < dayOfDate(dates.start) ? null : runNumber(runsOf(dates), day);

/** First and last day of a run; null for a run without an end. */
export function daysOfRun(dates: Dates, run: number): { start: number; end: number | null } {
  const first = dayOfDate(dates.start);
  const last = dates.end === null ? null : dayOfDate(dates.end);
  if (dates.runUnit === null) return { start: first, end: last };
  const runs = runsOf(dates);
  const end = startOfRun(runs, run + 1) - 1;
  return {
    start: Math.max(first, startOfRun(runs, run)),
    end: last === null ? end : Math.min(end, last),
  };
}

/** Whether events of a day count. */
export const isOpenOn = ({ status, start, end }: Challenge, day: number): boolean =>
  status === 'active' && day >= dayOfDate(start) && (end === null || day <= dayOfDate(end));

/** Of a challenge before its start. */
const NO_RUN = -1;

/**
 * What a calendar says of all challenges on a day. Also of those that have not begun: a user who travels west
 * may have a run already.
 */
export function challengeRunsOn(
  { challenges }: Pick<Config, 'challenges'>,
  day: number,
): Pick<ScriptCalendar, 'openRuns' | 'closedRuns'> {
  const [openRuns, closedRuns] = [new Map<number, number>(), new Map<number, number>()];
  for (const challenge of challenges) {
    const runs = isOpenOn(challenge, day) ? openRuns : closedRuns;
    runs.set(challenge.no, runOfChallenge(challenge, day) ?? NO_RUN);
  }
  return { ...(openRuns.size > 0 && { openRuns }), ...(closedRuns.size > 0 && { closedRuns }) };
}
