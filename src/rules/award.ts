import { ADJUSTMENT_TRIGGER, type Challenge, revisionOf } from './config.ts';

/** Instead of the number of a trigger: an import has set the points. */
export const IMPORT_TRIGGER = -1;

/**
 * Instead of the number of a trigger: points are a reward of the leaderboard with this number. The inverse is
 * the same.
 */
export const rewardTrigger = (leaderboard: number): number => IMPORT_TRIGGER - leaderboard;

/** Greater than every number of a leaderboard. */
const LEADERBOARDS = 1_000_000;

/**
 * Instead of the number of a trigger: points are a reward of the challenge with this number. The inverse is
 * the same.
 */
export const challengeTrigger = (challenge: number): number => IMPORT_TRIGGER - LEADERBOARDS - challenge;

/** Instead of the number of a boost: the boost that a challenge gives, as it is configured now. */
export const boostOfChallenge = (challenge: Challenge): number => -revisionOf(challenge);

/** What an award that no configured trigger caused comes from; null for any other award. */
export function unconfiguredTrigger(
  no: number,
): 'adjustment' | 'import' | 'leaderboard' | 'challenge' | null {
  if (no === ADJUSTMENT_TRIGGER) return 'adjustment';
  if (no === IMPORT_TRIGGER) return 'import';
  if (no < rewardTrigger(LEADERBOARDS)) return 'challenge';
  return no < IMPORT_TRIGGER ? 'leaderboard' : null;
}

/**
 * Number of an event attribute that is not configured: what an event in the history stands for that no
 * application has sent. `import`, or what undoes another event (src/rules/inForce/undo.ts).
 */
export const ORIGIN_ATTRIBUTE = 0;

/** An award as the history holds it. */
export interface StoredAward {
  id: string;
  trigger: number;
  awarded: number;
  total: number;
  date: Date;
  boosts: number[] | null;
  /** null unless the trigger stands for a leaderboard. */
  reward: AwardReward | null;
}

/** Why a leaderboard rewarded the user: the first day of the run, YYYY-MM-DD, and the user's rank. */
export interface AwardReward {
  run: string;
  rank: number;
  /** When the run became final, ms: the date of the award. */
  at: number;
}
