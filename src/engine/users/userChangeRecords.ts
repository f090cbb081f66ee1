import {
  AMENDMENT,
  CORRECTION,
  FILLED,
  FILLED_COUNTER,
  FILLED_GOAL,
  FILLED_REPEATS,
  FILLED_RUN,
  GIVEN_POINTS,
  PAST_SCORE,
  REWARD,
  type USER_CHANGE,
} from '../../redis/layouts/argumentLayout.ts';
import { type Flat, type RecordOf, toRecord, toRecords } from '../../redis/layouts/recordLayout.ts';
import { AMEND, CORRECT, DUE } from '../../redis/lua/scriptConstants.ts';
import { rewardTrigger } from '../../rules/award.ts';
import type { ChangeOrigin } from '../../rules/changeOrigin.ts';
import type { Achievement, Challenge, Leaderboard, PointsSystem } from '../../rules/config.ts';
import type { PastScore } from '../../rules/rankingOrder.ts';
import type { RankRewards } from '../../rules/rewardsOfRank.ts';

/** Changes of a user as lua/changeUser.lua takes them. */

/** A correction of a user's streak by an administrator; days are ordinals. */
export type StreakAmendment =
  | { op: 'freeze' }
  | { op: 'pause'; id: string; start: number; end: number }
  | { op: 'resume'; id: string }
  | { op: 'restore' }
  | { op: 'reset' };

/** A correction by an administrator, or a step of a user. */
export type Correction =
  | { op: 'adjust'; system: PointsSystem; amount: number; id: string }
  | { op: 'revoke'; achievement: Achievement }
  | { op: 'hide' | 'show'; board: Leaderboard }
  /** `until`: seconds since 1970; null without an end. */
  | { op: 'block'; until: number | null }
  | { op: 'unblock' }
  /** What a user does with a challenge, or an administrator for the user. */
  | { op: 'joinChallenge' | 'leaveChallenge' | 'completeChallenge'; challenge: Challenge }
  /** `run`: its number. */
  | { op: 'claimChallenge'; challenge: Challenge; run: number };

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

/** The parts of USER_CHANGE that a change sets, and where it comes from. */
type Prepared<Name extends 'amendment' | 'correction' | 'achievements'> = { origin?: ChangeOrigin } & Pick<
  RecordOf<typeof USER_CHANGE>,
  Name
>;

/** What the history has of a user, at a sequence number of the user. */
export interface FilledUser {
  sequence: number;
  /** Whether the history has all events. */
  isWhole: boolean;
  counters: FilledCounter[];
  repeats: RecordOf<typeof FILLED_REPEATS>[];
  challenges: FilledRun[];
}

export interface FilledCounter {
  counter: number;
  total: number;
  /** The highest value ever. */
  peak: number;
  /** What the counter remembers beside the total (MARK); false if nothing. */
  marks: unknown[] | false;
}

/** A run of a challenge with what the history has of its goals. */
export interface FilledRun extends Omit<RecordOf<typeof FILLED_RUN>, 'goals'> {
  goals: RecordOf<typeof FILLED_GOAL>[];
}

export const filledRecord = ({ counters, repeats, challenges, ...rest }: FilledUser) =>
  toRecord(FILLED, {
    ...rest,
    challenges: toRecords(
      FILLED_RUN,
      challenges.map((run) => ({ ...run, goals: toRecords(FILLED_GOAL, run.goals) })),
    ),
    counters: toRecords(FILLED_COUNTER, counters),
    repeats: toRecords(FILLED_REPEATS, repeats),
  });

export const pastRecords = (past: PastScore[]) => toRecords(PAST_SCORE, past);

export const preparedAmendment = (amendment: StreakAmendment): Prepared<'amendment'> => ({
  ...(amendment.op === 'restore' && { origin: { kind: 'restoredStreak' } }),
  amendment: toRecord(AMENDMENT, {
    operation: AMEND[amendment.op],
    pauseId: 'id' in amendment && amendment.id,
    firstDay: 'start' in amendment && amendment.start,
    lastDay: 'end' in amendment && amendment.end,
  }),
});

function correctionRecord(
  operation: (typeof CORRECT)[keyof typeof CORRECT],
  values: Partial<RecordOf<typeof CORRECTION>>,
): Flat<RecordOf<typeof CORRECTION>> {
  const { no = false, amount = false, id = false, reward = false } = values;
  return toRecord(CORRECTION, { operation, no, amount, id, reward });
}

/** The user opts out of all leaderboards, or in again. */
export const optOutRecord = (isVisible: boolean) =>
  correctionRecord(isVisible ? CORRECT.optIn : CORRECT.optOut, {});

export function preparedReward({
  board,
  points,
  achievements,
  ...reward
}: RunReward): Prepared<'achievements' | 'correction'> {
  const trigger = rewardTrigger(board);
  const record = toRecord(REWARD, { ...reward, trigger, points: toRecords(GIVEN_POINTS, points) });
  const correction = correctionRecord(CORRECT.reward, { no: board, reward: record });
  return { origin: { kind: 'reward' }, achievements, correction };
}

export function preparedCorrection(given: Correction): Prepared<'correction'> {
  const record = (values: Parameters<typeof correctionRecord>[1]) =>
    correctionRecord(CORRECT[given.op], values);
  switch (given.op) {
    case 'adjust': {
      const { system, amount, id } = given;
      return { origin: { kind: 'adjustment', system }, correction: record({ no: system.no, amount, id }) };
    }
    case 'revoke':
      return { correction: record({ no: given.achievement.no }) };
    case 'hide':
    case 'show': {
      const { board } = given;
      return { origin: { kind: 'visibility', board }, correction: record({ no: board.no }) };
    }
    case 'block': {
      const amount = given.until ?? DUE.never;
      return { origin: OF_ALL_BOARDS, correction: record({ amount }) };
    }
    case 'unblock':
      return { origin: OF_ALL_BOARDS, correction: record({}) };
    case 'joinChallenge':
    case 'leaveChallenge':
    case 'completeChallenge':
    case 'claimChallenge': {
      const { challenge } = given;
      const run = given.op === 'claimChallenge' && { amount: given.run };
      return {
        origin: { kind: 'challenge', challenge },
        correction: record({ no: challenge.no, ...run }),
      };
    }
  }
}

const OF_ALL_BOARDS: ChangeOrigin = { kind: 'visibility', board: null };
