import { DAY_MS } from '../calendar.ts';
import type { Challenge } from '../config.ts';

/** When the rewards of a completed challenge can be claimed. Instants are ms. */

/** How long after the completion rewards can be claimed, ms; null without a limit. */
export const claimMs = ({ claimDays }: Pick<Challenge, 'claimDays'>): number | null =>
  claimDays === null ? null : claimDays * DAY_MS;

/** Whether rewards of the present run, or of the one before, can be claimed. */
export function isClaimable(
  challenge: Pick<Challenge, 'claimDays'>,
  { completedAt, claimedAt }: { completedAt: number | null; claimedAt: number | null },
  now: number,
): boolean {
  if (completedAt === null || claimedAt !== null) return false;
  const ms = claimMs(challenge);
  return ms === null || now < completedAt + ms;
}
