import type { GoalInput } from '../../../contract/challengeGoals.ts';
import type { ChallengeRewardsInput } from '../../../contract/challengeRewards.ts';
import type { CompletionRule } from '../../../contract/completionRule.ts';
import type { Condition } from '../../../contract/conditions/condition.ts';
import { everyText } from '../../text/everyText.ts';
import { allOf, anyOf, plural, t } from '../../text/translate.ts';
import { conditionText } from '../../ui/condition/conditionText.ts';
import type { Value } from '../../ui/form/schema.ts';
import { countedText, isNumber, type NameOf } from './countedText.ts';

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
      : t('{needed} drawn from: {goals}', { needed: neededOfDrawn(rule, drawn), goals: goals.join('; ') });
  const completes =
    runUnit && isNumber(runInterval)
      ? t('A user completes it once in {every} by reaching {needed}.', {
          every: everyText(runInterval, String(runUnit)),
          needed,
        })
      : t('A user completes it once by reaching {needed}.', { needed });
  return [completes, whoText(value), rewardsText(value, nameOf)].filter(Boolean).join(' ');
}

function whoText({ where, join }: Value): string | null {
  const joined = join === 'optIn' ? t('Events count after the user has joined.') : null;
  const matching = where
    ? t('Only for users where {condition}.', { condition: conditionText(where as Condition, String) })
    : null;
  return [joined, matching].filter(Boolean).join(' ') || null;
}

/** "a and b", "a or b", "at least 2 of: a; b; c" */
function neededText(rule: CompletionRule, goals: string[]): string {
  if (rule === 'all') return allOf(goals);
  if (rule === 'any') return anyOf(goals);
  return t('at least {atLeast} of: {goals}', { atLeast: Number(rule.atLeast), goals: goals.join('; ') });
}

function neededOfDrawn(rule: CompletionRule, drawn: number): string {
  if (drawn === 1) return t('one goal');
  if (rule === 'all') return plural(drawn, 'all of {n} goal', 'all of {n} goals');
  if (rule === 'any') return plural(drawn, 'one of {n} goal', 'one of {n} goals');
  return plural(drawn, 'at least {atLeast} of {n} goal', 'at least {atLeast} of {n} goals', {
    atLeast: Number(rule.atLeast),
  });
}

function rewardsText({ rewards, claim }: Value, nameOf: NameOf): string | null {
  const { points, achievementId, freezes, boost } = (rewards ?? {}) as Partial<ChallengeRewardsInput>;
  const given = (points ?? []).flatMap(({ systemId, points: amount }) => {
    const name = nameOf(systemId);
    return name && isNumber(amount) ? t('{amount} of “{name}”', { amount, name }) : [];
  });
  const achievement = nameOf(achievementId);
  if (achievement) given.push(t('the achievement “{achievement}”', { achievement }));
  if (isNumber(freezes)) given.push(plural(freezes, '{n} streak freeze', '{n} streak freezes'));
  const name = nameOf(boost?.systemId);
  if (boost && name && isNumber(boost.multiplier) && isNumber(boost.hours))
    given.push(
      plural(
        boost.hours,
        '{multiplier} times the points of “{name}” for {n} hour',
        '{multiplier} times the points of “{name}” for {n} hours',
        { multiplier: boost.multiplier, name },
      ),
    );
  if (given.length === 0) return null;
  return claim === 'manual'
    ? t('It gives {rewards}, once the user claims it.', { rewards: allOf(given) })
    : t('It gives {rewards}.', { rewards: allOf(given) });
}
