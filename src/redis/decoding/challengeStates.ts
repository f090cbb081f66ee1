import type { ChallengeStep } from '../../contract/challenge.ts';
import { type Flat, type RecordOf, readRecord, readRecords } from '../layouts/recordLayout.ts';
import { CHALLENGE_CHANGE, GOAL_CHANGE } from '../layouts/reportLayout.ts';
import { CHALLENGE_ENTRY, GOAL_PROGRESS, RUN_STEPS } from '../layouts/userLayout.ts';
import { CHALLENGE_STEP } from '../lua/scriptConstants.ts';
import { luaMap } from './codec.ts';
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

/** What a report and the state have of a run. */
interface RunRecord {
  challenge: number;
  run: number;
  steps: Flat<RecordOf<typeof RUN_STEPS>> | false;
}

/** Without `peaks`, no counter stands below its peak. */
function progressOf(
  totals: readonly RecordOf<typeof GOAL_CHANGE>[],
  peaks: ReadonlyMap<number, number> | null,
): ReadonlyMap<number, GoalTotal> {
  const progress = new Map<number, GoalTotal>();
  for (const { counter, total } of totals)
    progress.set(counter, { total, peak: peaks?.get(counter) ?? total });
  return progress;
}

function toRun<S>(
  { challenge, run, steps }: RunRecord,
  totals: readonly RecordOf<typeof GOAL_CHANGE>[],
  step: S,
): ChallengeRun & { step: S } {
  if (steps === false) {
    const progress = progressOf(totals, null);
    return { challenge, run, step, joinedAt: null, completedAt: null, claimedAt: null, progress };
  }
  const { joinedAt, completedAt, claimedAt, peaks } = readRecord(RUN_STEPS, steps);
  return {
    challenge,
    run,
    step,
    joinedAt: joinedAt || null,
    completedAt: completedAt || null,
    claimedAt: claimedAt || null,
    progress: progressOf(totals, peaks === false ? null : luaMap(peaks)),
  };
}

/** The runs that a list of the state of a user has. */
export function readChallengeRuns(entries: unknown[] | false): ChallengeRun[] {
  const runs: ChallengeRun[] = [];
  for (let base = 0; entries && base < entries.length; ) {
    const entry = readRecord(CHALLENGE_ENTRY, entries, base);
    const totals = entries.slice(base + CHALLENGE_ENTRY.size, base + entry.length);
    const { step, ...run } = toRun(entry, readRecords(GOAL_PROGRESS, totals), null);
    runs.push(run);
    base += entry.length;
  }
  return runs;
}

/** The next challenge of a report (lua/includes/countChallenges.lua). */
export function readChallengeChange(reader: Reader): ChallengeChange {
  const change = reader.named(CHALLENGE_CHANGE);
  const totals = reader.list(change.goalCount, () => reader.named(GOAL_CHANGE));
  return toRun(change, totals, STEPS.get(change.step) ?? null);
}
