import { dateOfDay, dayOfDate, isLive, runHolding, runNumber, startOfRun } from './calendar.ts';
import type { Leaderboard } from './config.ts';
import type { MovedRunEnd } from './leaderboardChanges.ts';

/** Runs of a leaderboard whose last day can be changed, all in all. */
const RUN_ENDS_MAX = 200;

/**
 * The ends of runs after an administrator has changed the last day of the present run. The next run begins
 * earlier or later, and ends when it would have ended, so the number of runs stays.
 * @param today the day by which the first users have runs: nobody is in the next run yet
 * @param lastDay null: the earliest one, today
 * @returns why the day cannot be the last one, as a text
 */
export function moveRunEnd(
  board: Leaderboard,
  today: number,
  lastDay: number | null,
  reason: string,
): MovedRunEnd[] | string {
  if (board.runUnit === null) return 'The leaderboard has no runs: change its end instead';
  const run = runHolding(board, today);
  if (!isLive(board) || run === null) return 'The leaderboard has no run now';
  const number = runNumber(board, today)!;
  const last = board.end === null ? Number.POSITIVE_INFINITY : dayOfDate(board.end);
  const latest = Math.min(startOfRun(board, number + 2) - 2, last);
  const day = lastDay ?? today;
  if (day < today || day > latest)
    return `lastDay must be from ${dateOfDay(today)} to ${dateOfDay(latest)}, the day before the next run would end`;
  const others = board.runEnds.filter((one) => one.run !== number);
  if (others.length >= RUN_ENDS_MAX)
    return `Only ${RUN_ENDS_MAX} runs can be changed: create another leaderboard`;
  return [...others, { run: number, end: dateOfDay(day), reason }];
}
