import { RANK_BY, ROUNDING, STREAK_MODE, TRIGGER } from '../../rules/scriptRules.ts';

/**
 * Texts of which one is chosen, in rules and in arguments of the scripts. Lua uses the same names
 * (scriptLayout.ts).
 */

/**
 * Why a user is settled: something is due, newer time rules only need to look at the user, or the user's
 * block ends.
 */
const SETTLING = { due: 'due', review: 'review', unblock: 'unblock' } as const;

/** Operations of an administrator on a streak (AMENDMENT). */
export const AMEND = {
  freeze: 'freeze',
  pause: 'pause',
  resume: 'resume',
  restore: 'restore',
  reset: 'reset',
} as const;
export type Amendment = (typeof AMEND)[keyof typeof AMEND];

/**
 * Operations of an administrator on a user, of the user who opts out of leaderboards, or of a leaderboard
 * that rewards the user (CORRECTION).
 */
export const CORRECT = {
  adjust: 'adjust',
  revoke: 'revoke',
  hide: 'hide',
  show: 'show',
  optOut: 'optOut',
  optIn: 'optIn',
  block: 'block',
  unblock: 'unblock',
  reward: 'reward',
} as const;

export const CHOICES = { SETTLING, AMEND, CORRECT, TRIGGER, ROUNDING, RANK_BY, STREAK_MODE } as const;
