import {
  computeLocalTime,
  endsOfPeriods,
  type LocalTime,
  type Run,
  runOf,
  runsOn,
  secondOfDay,
} from '../calendar.ts';
import { challengeRunsOn } from '../challenges/challengeRuns.ts';
import { ranksGain } from '../compile/compileLeaderboards.ts';
import type { Leaderboard } from '../config.ts';
import { wasPausedAt } from '../pauses.ts';
import { dayOfRuns, finalAt } from '../runZones.ts';
import type { ScriptCalendar } from '../scriptRules.ts';
import { isBetween, secondAt } from '../timeOfDay.ts';
import type { Rules } from './rules.ts';

/**
 * The calendar of an event that happened at `at` and is recorded at `now` (ms). A leaderboard that ranks what
 * users gain has the run of the event, unless that is final; any other has its present run. So has a league,
 * in whose present run nothing of an earlier one counts (leaguesAfter).
 */
export function lateCalendar(rules: Rules, zone: string, at: number, now: number): ScriptCalendar {
  const then = computeLocalTime(zone, at);
  const present = computeLocalTime(zone, now);
  const { defaultTimeZone } = rules.config.settings;
  const runsOf = (board: Leaderboard): number[] => {
    if (board.league !== null || !ranksGain(board))
      return runsOn(board, dayOfRuns(board, defaultTimeZone, present, now));
    const run = openRunOf(rules, board, then, at, now);
    return run === null ? [] : [board.no, run.start];
  };
  const { day, week, month, offsetMs } = then;
  return {
    zone,
    periods: [day, week, month],
    offsetMs,
    runs: rules.config.leaderboards.flatMap(runsOf),
    ...(rules.hasLeagues && { hasLeagues: true }),
    ...challengeRunsOn(rules.config, day),
    ends: endsOfPeriods(then),
    notices: false,
  };
}

/** Numbers of the leagues that have ended the run of an event of the past (ms) by `now`. */
export function leaguesAfter({ config }: Rules, at: number, now: number): number[] {
  const zone = config.settings.defaultTimeZone;
  const [then, today] = [computeLocalTime(zone, at).day, computeLocalTime(zone, now).day];
  const isAfter = (board: Leaderboard): boolean => then < (runOf(board, today)?.start ?? then);
  return config.leaderboards.filter((board) => board.league !== null && isAfter(board)).map(({ no }) => no);
}

/** Numbers of the leaderboards that were paused when an event of the past happened, ms. */
export const pausedAt = ({ config }: Rules, at: number): number[] =>
  config.leaderboards.filter((board) => wasPausedAt(board, at)).map(({ no }) => no);

/** The run of a user with a local time at an instant (ms); null if there is none, or if it is final. */
export function openRunOf(
  { config }: Rules,
  board: Leaderboard,
  local: LocalTime,
  at: number,
  now: number,
): Run | null {
  const { defaultTimeZone } = config.settings;
  const run = runOf(board, dayOfRuns(board, defaultTimeZone, local, at));
  return run === null || run.end === null || finalAt(board, defaultTimeZone, run.end) > now ? run : null;
}

/** Whether an instant is within the hours in which a leaderboard counts events. */
export function isWithinHours(
  { startTime, endTime }: Leaderboard,
  { zone }: Pick<LocalTime, 'zone'>,
  instant: number,
): boolean {
  if (startTime === null && endTime === null) return true;
  const from = startTime === null ? 0 : secondOfDay(startTime);
  const to = endTime === null ? 86_400 : secondOfDay(endTime);
  const { offsetMs } = computeLocalTime(zone, instant);
  return isBetween(secondAt(instant, offsetMs), from, to);
}
