import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import {
  TRIAL_CALL_MS,
  TRIAL_EXAMPLES_MAX,
  TRIAL_REST,
  TRIAL_SLICE_USERS_MAX,
} from '../../base/trialLimits.ts';
import { readTrialUsers, type TrialWindow } from '../../db/trials/trialSlices.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addSums, sumsOf, type Trial, type TrialSlice, type Tried } from './trial.ts';

/** How far a trial is: users are examined in the order of their ids. */
export interface TrialProgress {
  window: TrialWindow;
  /** Id of the last user examined. */
  after: string;
  examined: number;
  /** Of the figures (addSums). */
  sums: number[];
}

export interface TrialStep extends TrialProgress {
  figures: Tried['figures'];
  /** Of this step only. */
  examples: Tried['examples'];
  isDone: boolean;
}

/**
 * Examines users slice by slice until `TRIAL_CALL_MS` have passed. After each slice it rests, so that
 * PostgreSQL and this process have time for others.
 */
export async function runTrial(
  { rows, readStates }: Pick<TrialSlice, 'rows' | 'readStates'>,
  rules: Rules,
  trial: Trial,
  { window, ...progress }: TrialProgress,
): Promise<TrialStep> {
  let { after, examined, sums } = progress;
  const examples: Tried['examples'] = [];
  const beganMs = monotonicMs();
  for (;;) {
    const sliceMs = monotonicMs();
    const slice = { after, limit: TRIAL_SLICE_USERS_MAX, filter: trial.audience };
    const users = await readTrialUsers(rows, rules, slice);
    const tried = await trial.examine({ rows, readStates, users, window });
    const figures = addSums(tried.figures, sums);
    sums = sumsOf(figures);
    examples.push(...tried.examples.slice(0, TRIAL_EXAMPLES_MAX - examples.length));
    examined += users.length;
    after = users.at(-1)?.userId ?? after;
    const isDone = users.length < TRIAL_SLICE_USERS_MAX;
    if (isDone || monotonicMs() - beganMs >= TRIAL_CALL_MS)
      return { window, after, examined, sums, figures, examples, isDone };
    await sleep(TRIAL_REST * (monotonicMs() - sliceMs));
  }
}
