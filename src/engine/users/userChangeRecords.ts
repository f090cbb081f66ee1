import type { EarlierRanking } from '../../db/leaderboards/hiddenUserRows.ts';
import { AMEND, CORRECT } from '../../redis/scripts/scriptChoices.ts';
import { DUE } from '../../redis/scripts/scriptConstants.ts';
import {
  AMENDMENT,
  CORRECTION,
  EARLIER_RANKING,
  GIVEN_POINTS,
  PAST_SCORE,
  REWARD,
} from '../../redis/scripts/scriptLayout.ts';
import { toRecord } from '../../redis/state/recordLayout.ts';
import { rewardTrigger } from '../../rules/award.ts';
import type { ChangeOrigin } from '../../rules/changeOrigin.ts';
import type { Achievement, Leaderboard, PointsSystem } from '../../rules/config.ts';
import type { PastScore } from '../../rules/rankingOrder.ts';
import type { RankRewards } from '../../rules/rewardsOfRank.ts';

/** Changes of a user as lua/changeUser.lua takes them. */

/** A correction of a user's streak by an administrator; days are ordinals. */
export type StreakAmendment =
  | { op: 'freeze' }
  | { op: 'pause'; id: string; start: number; end: number }
  | { op: 'resume'; id: string }
  /** `start`: the first day of the streak that was lost; null if the history does not know. */
  | { op: 'restore'; start: number | null }
  | { op: 'reset' };

/** A correction by an administrator. */
export type Correction =
  | { op: 'adjust'; system: PointsSystem; amount: number; id: string }
  | { op: 'revoke'; achievement: Achievement }
  /** `earlier`: rankings of earlier runs that are not final, which a hidden user leaves. */
  | { op: 'hide'; board: Leaderboard; earlier: EarlierRanking[] }
  | { op: 'show'; board: Leaderboard }
  /** `until`: seconds since 1970; null without an end. `earlier`: as of a hidden user. */
  | { op: 'block'; until: number | null; earlier: EarlierRanking[] }
  | { op: 'unblock' };

/** What a user gets for the rank in a final run of a leaderboard. */
export interface RunReward extends RankRewards {
  /** Number of the leaderboard. */
  board: number;
  /** First and last day of the run. */
  run: number;
  lastDay: number;
  rank: number;
  /** When the run became final, ms. */
  at: number;
}

export const OTHER: ChangeOrigin = { kind: 'other' };

export function originOf(correction: Correction): ChangeOrigin {
  switch (correction.op) {
    case 'adjust':
      return { kind: 'adjustment', system: correction.system };
    case 'hide':
    case 'show':
      return { kind: 'visibility', board: correction.board };
    case 'block':
    case 'unblock':
      return { kind: 'visibility', board: null };
    case 'revoke':
      return OTHER;
  }
}

export const originOfAmendment = ({ op }: StreakAmendment): ChangeOrigin =>
  op === 'restore' ? { kind: 'restoredStreak' } : OTHER;

export const pastRecords = (past: PastScore[]): unknown[] =>
  past.flatMap((one) => toRecord(PAST_SCORE, { ...one }));

export function amendmentRecord(amendment: StreakAmendment): unknown[] {
  return toRecord(AMENDMENT, {
    operation: AMEND[amendment.op],
    pauseId: 'id' in amendment && amendment.id,
    firstDay: 'start' in amendment && (amendment.start ?? false),
    lastDay: 'end' in amendment && amendment.end,
  });
}

const earlierRecords = (earlier: EarlierRanking[]): unknown[] =>
  earlier.flatMap((one) => toRecord(EARLIER_RANKING, { ...one }));

/** The user opts out of all leaderboards, or in again. `earlier`: as of a hidden user. */
export function optOutRecord(isVisible: boolean, earlier: EarlierRanking[]): unknown[] {
  return toRecord(CORRECTION, {
    operation: isVisible ? CORRECT.optIn : CORRECT.optOut,
    no: false,
    amount: false,
    id: false,
    earlier: earlierRecords(earlier),
    reward: false,
  });
}

function rewardRecord({ board, points, ...reward }: RunReward): unknown[] {
  const flat = points.flatMap((some) => toRecord(GIVEN_POINTS, some));
  return toRecord(CORRECTION, {
    operation: CORRECT.reward,
    no: board,
    amount: false,
    id: false,
    earlier: false,
    reward: toRecord(REWARD, { ...reward, trigger: rewardTrigger(board), points: flat }),
  });
}

/** The fields of USER_CHANGE for a reward, and where it comes from. */
export function preparedReward(reward: RunReward) {
  const origin: ChangeOrigin = { kind: 'reward' };
  return { origin, achievements: reward.achievements, correction: rewardRecord(reward) };
}

export function correctionRecord(correction: Correction): unknown[] {
  return toRecord(CORRECTION, {
    operation: CORRECT[correction.op],
    no: correctedNo(correction),
    amount: correctedAmount(correction),
    id: correction.op === 'adjust' && correction.id,
    earlier: 'earlier' in correction && earlierRecords(correction.earlier),
    reward: false,
  });
}

function correctedAmount(correction: Correction): number | false {
  if (correction.op === 'adjust') return correction.amount;
  return correction.op === 'block' && (correction.until ?? DUE.never);
}

function correctedNo(correction: Correction): number | false {
  switch (correction.op) {
    case 'adjust':
      return correction.system.no;
    case 'revoke':
      return correction.achievement.no;
    case 'hide':
    case 'show':
      return correction.board.no;
    default:
      return false;
  }
}
