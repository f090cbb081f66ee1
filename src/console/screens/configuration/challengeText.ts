import type { GoalInput } from '../../../contract/challengeGoals.ts';
import type { ChallengeRewardsInput } from '../../../contract/challengeRewards.ts';
import type { CompletionRule } from '../../../contract/completionRule.ts';
import type { Condition } from '../../../contract/conditions/condition.ts';
import { count } from '../../text/format.ts';
import { conditionText } from '../../ui/condition/conditionText.ts';
import type { Value } from '../../ui/form/schema.ts';
import { countedText, every, isNumber, type NameOf, number } from './countedText.ts';

/** The meaning of a challenge in sentences; null while its goals are incomplete. */
export function challengeText(value: Value, nameOf: NameOf): string | null {
  const given = (value.goals ?? []) as Partial<GoalInput>[];
  const goals = given.flatMap((goal) => {
    const metric = nameOf(goal.metricId);
    return metric && isNumber(goal.target) ? countedText(goal.target, metric, goal) : [];
  });
  if (goals.length === 0 || goals.length < given.length) return null;
  const { runUnit, runInterval, pick } = value;
  const drawn = isNumber(pick) && pick < goals.length ? pick : null;
  const rule = (value.complete ?? 'all') as CompletionRule;
  const needed =
    drawn === null
      ? neededText(rule, goals)
      : `${neededOfDrawn(rule, drawn)} drawn from: ${goals.join('; ')}`;
  const sentences = [
    `A user completes it ${onceText(runUnit, runInterval)} by reaching ${needed}.`,
    whoText(value),
    rewardsText(value, nameOf),
  ];
  return sentences.filter(Boolean).join(' ');
}

const onceText = (unit: unknown, interval: unknown): string =>
  unit && isNumber(interval) ? `once in every ${every(interval, String(unit))}` : 'once';

function whoText({ where, join }: Value): string | null {
  const joined = join === 'optIn' ? 'Events count after the user has joined.' : null;
  const matching = where ? `Only for users where ${conditionText(where as Condition, String)}.` : null;
  return [joined, matching].filter(Boolean).join(' ') || null;
}

/** "a and b", "a or b", "at least 2 of: a; b; c" */
function neededText(rule: CompletionRule, goals: string[]): string {
  if (rule === 'all') return goals.join(' and ');
  if (rule === 'any') return goals.join(' or ');
  return `at least ${number(rule.atLeast)} of: ${goals.join('; ')}`;
}

function neededOfDrawn(rule: CompletionRule, drawn: number): string {
  if (drawn === 1) return 'one goal';
  if (rule === 'all') return `all of ${count(drawn, 'goal')}`;
  if (rule === 'any') return `one of ${count(drawn, 'goal')}`;
  return `at least ${number(rule.atLeast)} of ${count(drawn, 'goal')}`;
}

function rewardsText({ rewards, claim }: Value, nameOf: NameOf): string | null {
  const { points, achievementId, freezes, boost } = (rewards ?? {}) as Partial<ChallengeRewardsInput>;
  const given = (points ?? []).flatMap(({ systemId, points: amount }) => {
    const name = nameOf(systemId);
    return name && isNumber(amount) ? `${number(amount)} of “${name}”` : [];
  });
  const achievement = nameOf(achievementId);
  if (achievement) given.push(`the achievement “${achievement}”`);
  if (isNumber(freezes)) given.push(count(freezes, 'streak freeze'));
  const boosted = nameOf(boost?.systemId);
  if (boost && boosted && isNumber(boost.multiplier) && isNumber(boost.hours))
    given.push(
      `${number(boost.multiplier)} times the points of “${boosted}” for ${count(boost.hours, 'hour')}`,
    );
  if (given.length === 0) return null;
  return `It gives ${given.join(' and ')}${claim === 'manual' ? ', once the user claims it' : ''}.`;
}
