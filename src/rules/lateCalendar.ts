import {
  computeLocalTime,
  endsOfPeriods,
  type LocalTime,
  overEverywhere,
  type Run,
  runOf,
} from './calendar.ts';
import { ranksGain } from './compile/compileLeaderboards.ts';
import type { Leaderboard } from './config.ts';
import type { Rules } from './rules.ts';
import type { ScriptCalendar } from './scriptRules.ts';

/**
 * The calendar of an event that happened at `at` and is recorded at `now` (ms). A leaderboard that ranks what
 * users gain has the run of the event, unless that is final; any other has its present run.
 */
export function lateCalendar(rules: Rules, zone: string, at: number, now: number): ScriptCalendar {
  const then = computeLocalTime(zone, at);
  const present = computeLocalTime(zone, now);
  const runs: number[] = [];
  for (const board of rules.config.leaderboards) {
    const run = ranksGain(board) ? openRunOf(board, then, now) : runOf(board, present.day);
    if (run !== null) runs.push(board.no, run.start);
  }
  const { day, week, month, offsetMs } = then;
  return { zone, periods: [day, week, month], offsetMs, runs, ends: endsOfPeriods(then), notices: false };
}

function openRunOf(board: Leaderboard, { day }: LocalTime, now: number): Run | null {
  const run = runOf(board, day);
  return run === null || run.end === null || overEverywhere(run.end) > now ? run : null;
}
