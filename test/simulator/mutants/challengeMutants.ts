import type { Mutant } from './mutant.ts';

const inFile =
  (name: string) =>
  (rule: string, from: string, to: string): Mutant => ({ file: `lua/includes/${name}.lua`, rule, from, to });

const runs = inFile('challengeRuns');
const goals = inFile('goalProgress');
const days = inFile('goalDays');
const drawing = inFile('drawnGoals');
const counting = inFile('countChallenges');
const rewards = inFile('challengeRewards');
const steps = inFile('challengeSteps');

/** Mistakes in challenges. */
export const CHALLENGE_MUTANTS: readonly Mutant[] = [
  runs(
    'a run that has begun begins again in the west',
    'run = math.max(run, begun) end',
    'run = math.min(run, begun) end',
  ),
  runs('the run before is closed', 'if run < present - 1 then', 'if run < present then'),
  runs('runs never end', 'run] < present - 1\n    if', 'run] < present - 9\n    if'),
  goals(
    'a goal forgets what was reached',
    'math.max(progress[at + GOAL_PROGRESS.peak], total)\n  return total ~= before\nend\n\n-- Takes',
    'total\n  return total ~= before\nend\n\n-- Takes',
  ),
  days('each event of a day counts', 'if hasBit(bits, bit) then return total, blocks end', ''),
  drawing('odd runs draw like even ones', 'if run % 2 == 0 then', 'if true then'),
  counting(
    'a goal needs more than its target',
    'goal.counter) >= goal.target',
    'goal.counter) > goal.target',
  ),
  counting('a reward is given with each event', 'completedAt == 0 and not', 'not'),
  rewards('an achievement is not given', 'if no and (open(user)', 'if false and (open(user)'),
  steps(
    'a reward is given with each claim',
    'if entries[at + CHALLENGE_ENTRY.claimedAt] > 0 then return nil end',
    '',
  ),
  steps('rewards lapse late', 'presentRun(entries, calendar, challenge.no) - 1', '0'),
];
