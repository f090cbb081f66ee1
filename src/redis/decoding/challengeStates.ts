import type { ChallengeStep } from '../../contract/challenge.ts';
import { type Flat, type RecordOf, readRecords } from '../layouts/recordLayout.ts';
import { CHALLENGE_CHANGE, GOAL_CHANGE } from '../layouts/reportLayout.ts';
import { CHALLENGE_ENTRY, GOAL_PROGRESS } from '../layouts/userLayout.ts';
import { CHALLENGE_STEP } from '../lua/scriptConstants.ts';
import type { Reader } from './reader.ts';

/** What a counter has in a run, and the most that it had. */
export interface GoalTotal {
  total: number;
  peak: number;
}

/** A run of a challenge of a user. */
export interface ChallengeRun {
  /** Number of the challenge, and of its run. */
  challenge: number;
  run: number;
  /** ms; null unless the user has joined the run. */
  joinedAt: number | null;
  /** ms; null before the challenge is completed. */
  completedAt: number | null;
  /** ms; null before the rewards are given. */
  claimedAt: number | null;
  /** By number of the counter. */
  progress: ReadonlyMap<number, GoalTotal>;
}

/** A run that a change has changed. */
export interface ChallengeChange extends ChallengeRun {
  /** What the change did beyond progress; null if nothing. */
  step: ChallengeStep | null;
}

const STEPS = new Map(Object.entries(CHALLENGE_STEP).map(([step, no]) => [no, step as ChallengeStep]));

const progressOf = (totals: readonly RecordOf<typeof GOAL_CHANGE>[]): ReadonlyMap<number, GoalTotal> =>
  new Map(totals.map(({ counter, total, peak }) => [counter, { total, peak }]));

const instantsOf = (at: Record<'joinedAt' | 'completedAt' | 'claimedAt', number>) => ({
  joinedAt: at.joinedAt || null,
  completedAt: at.completedAt || null,
  claimedAt: at.claimedAt || null,
});

/** The runs that the state of a user has: of each challenge the latest one and the one before. */
export function readChallengeRuns(entries: Flat<RecordOf<typeof CHALLENGE_ENTRY>> | false): ChallengeRun[] {
  if (!entries) return [];
  return readRecords(CHALLENGE_ENTRY, entries).map(({ challenge, run, progress, ...at }) => ({
    challenge,
    run,
    ...instantsOf(at),
    progress: progressOf(readRecords(GOAL_PROGRESS, progress as Flat<RecordOf<typeof GOAL_PROGRESS>>)),
  }));
}

/** The next challenge of a report (lua/includes/countChallenges.lua). */
export function readChallengeChange(reader: Reader): ChallengeChange {
  const { challenge, run, step, goalCount, ...at } = reader.named(CHALLENGE_CHANGE);
  return {
    challenge,
    run,
    step: STEPS.get(step) ?? null,
    ...instantsOf(at),
    progress: progressOf(reader.list(goalCount, () => reader.named(GOAL_CHANGE))),
  };
}
