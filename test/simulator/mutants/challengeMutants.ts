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
const boosts = inFile('boostsOfUser');
const steps = inFile('challengeSteps');

/** Mistakes in challenges. */
export const CHALLENGE_MUTANTS: readonly Mutant[] = [
  runs('a run that has begun begins again in the west', 'begun > run and instant >=', 'false and instant >='),
  runs(
    'the run before is closed',
    'if run < present - 1 then return nil end\n  if',
    'if run < present then return nil end\n  if',
  ),
  runs('the run before is forgotten', 'other < present - 1', 'other < present'),
  runs('only the last completion counts', '(counts[no] or 0) + 1', '1'),
  goals('a goal forgets what was reached', 'total < peak and peak or nil', 'nil'),
  days('each event of a day counts', 'if hasBit(bits, bit) then return total, blocks end', ''),
  drawing('odd runs draw like even ones', 'if run % 2 == 0 then', 'if true then'),
  counting(
    'a goal needs more than its target',
    'goal.counter) >= goal.target',
    'goal.counter) > goal.target',
  ),
  counting(
    'a reward is given with each event',
    'not isUndone and stepAt(entries, at, RUN_STEPS.completedAt) == 0',
    'not isUndone',
  ),
  rewards('an achievement is not given', 'if challenge.achievement then', 'if false then'),
  boosts(
    'an award does not name the boost of a challenge',
    'used[#used + 1] = boosts[at + USER_BOOST.no]',
    '',
  ),
  steps(
    'a reward is given with each claim',
    'if stepAt(entries, at, RUN_STEPS.claimedAt) > 0 then return nil end',
    '',
  ),
  steps(
    'rewards lapse late',
    'now >= completedAt + challenge.claimMs',
    'now > completedAt + challenge.claimMs',
  ),
];
