import { DAY_MS } from '../calendar.ts';
import type { Challenge } from '../config.ts';

/** When the rewards of a completed challenge can be claimed. Instants are ms. */

/** How long after the completion rewards can be claimed, ms; null without a limit. */
export const claimMs = ({ claimDays }: Pick<Challenge, 'claimDays'>): number | null =>
  claimDays === null ? null : claimDays * DAY_MS;

interface ClaimedRun {
  run: number;
  completedAt: number | null;
  claimedAt: number | null;
}

/**
 * Whether rewards can be claimed. They lapse with the end of the run after.
 * @param present number of the run
 */
export function isClaimable(
  challenge: Pick<Challenge, 'claimDays'>,
  { run, completedAt, claimedAt }: ClaimedRun,
  { now, present }: { now: number; present: number },
): boolean {
  if (completedAt === null || claimedAt !== null || run < present - 1) return false;
  const ms = claimMs(challenge);
  return ms === null || now < completedAt + ms;
}
