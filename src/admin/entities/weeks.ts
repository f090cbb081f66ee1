import type { Leaderboard } from '../../rules/config.ts';

const DAYS_OF_WEEK = 7;

/**
 * The length of a run as it is stored. A week is 7 days from the start of the leaderboard, so answers need no
 * unit that clients of the published API do not know.
 */
export function runOf(
  unit: Leaderboard['runUnit'] | 'week',
  interval: number | null,
): Pick<Leaderboard, 'runUnit' | 'runInterval'> {
  if (unit !== 'week') return { runUnit: unit, runInterval: interval };
  return { runUnit: 'day', runInterval: interval === null ? null : interval * DAYS_OF_WEEK };
}
