import type { Leaderboard } from './config.ts';
import { isWhole } from './rankingOrder.ts';

/*
 * While an administrator pauses a leaderboard, its scores stay. What happens in the pause, or is recorded in
 * it, never counts; except in totals and streaks, which go on and are shown again afterwards.
 */

/** Whether nothing counts on a leaderboard now. */
export const isPaused = ({ pauses }: Pick<Leaderboard, 'pauses'>): boolean => pauses.at(-1)?.to === null;

const ranksTotals = (board: Leaderboard): boolean => board.aggregation === 'sum' && isWhole(board);

/** Whether an undo leaves the scores as they are: totals fall when the leaderboard is resumed. */
export const isPausedForUndo = (board: Leaderboard): boolean => isPaused(board) && ranksTotals(board);

/** Whether what happened at an instant (ms) never counts. */
export const wasPausedAt = (board: Leaderboard, at: number): boolean =>
  !ranksTotals(board) &&
  board.pauses.some(({ from, to }) => Date.parse(from) <= at && (to === null || at < Date.parse(to)));

/** The same of what was recorded at another instant. */
export const fellIntoPause = (board: Leaderboard, at: number, arrivedAt: number): boolean =>
  wasPausedAt(board, at) || wasPausedAt(board, arrivedAt);

/** Instants at which pauses begin and end, ms. */
export const pauseBounds = ({ pauses }: Leaderboard): number[] =>
  pauses.flatMap(({ from, to }) => (to === null ? [Date.parse(from)] : [Date.parse(from), Date.parse(to)]));
