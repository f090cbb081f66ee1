import type { Goal } from '../../contract/challengeGoals.ts';
import { goalsNeeded } from '../../contract/completionRule.ts';
import { boostOfChallenge, challengeTrigger } from '../award.ts';
import { HOUR_MS } from '../calendar.ts';
import { claimMs } from '../challenges/claims.ts';
import { goalSets } from '../challenges/drawnGoals.ts';
import { countingOfGoal, hasCounted } from '../challenges/goals.ts';
import type { Achievement, Challenge, Config, PointsSystem } from '../config.ts';
import {
  type ScriptChallenge,
  type ScriptCounter,
  type ScriptRules,
  type ScriptTrigger,
  TRIGGER,
} from '../scriptRules.ts';
import type { CompileScope } from './compileScope.ts';

/** The challenge in which a step is taken, or the active challenges with a goal of the metric of an event. */
export function reachableChallenges({ config, origin, metric }: CompileScope): Challenge[] {
  if (origin.kind === 'challenge') return [origin.challenge];
  if (metric === null) return [];
  return config.challenges.filter(
    ({ status, goals }) => status === 'active' && goals.some(({ metricId }) => metricId === metric.id),
  );
}

/** What the scripts know of them; nothing if there are none. */
export function compileChallenges(scope: CompileScope): Pick<ScriptRules, 'challenges' | 'goalCounters'> {
  const goalCounters = new Map<number, ScriptCounter>();
  const challenges = reachableChallenges(scope).map((one) => compileChallenge(scope, one, goalCounters));
  return challenges.length === 0 ? {} : { challenges, goalCounters: [...goalCounters.values()] };
}

/** @param goalCounters to which it adds what the challenge counts, by number */
function compileChallenge(
  scope: CompileScope,
  challenge: Challenge,
  goalCounters: Map<number, ScriptCounter>,
): ScriptChallenge {
  const { origin, metric, config } = scope;
  const { goals, pick, complete } = challenge;
  const sets = goalSets(challenge);
  // An undone event takes nothing from goals that have not counted it.
  const counts = (goal: Goal): boolean => origin.kind !== 'undo' || hasCounted(challenge, goal, origin);
  const counters = goals
    .filter((goal) => goal.metricId === metric?.id && counts(goal))
    .map((goal) => scope.compileCounter(goal.metricId, countingOfGoal(challenge, goal)));
  for (const counter of counters) goalCounters.set(counter.no, counter);
  const targets = goals.map((goal) => ({
    counter: scope.counterNo(goal.metricId, countingOfGoal(challenge, goal)),
    target: goal.target,
  }));
  const descending = targets.toSorted((a, b) => b.target - a.target);
  return {
    no: challenge.no,
    counters: [...new Map(counters.map(({ no, keeps }) => [no, { no, ...(keeps && { keeps }) }])).values()],
    goals: targets,
    leastTargets: new Map(descending.map(({ counter, target }) => [counter, target])),
    needed: goalsNeeded(complete, sets === null ? goals.length : pick!),
    ...(sets !== null && { sets }),
    ...(challenge.join === 'optIn' && { isJoined: true }),
    ...compileRewards(config, challenge),
  };
}

/** What a user gets beside points. */
function compileRewards(
  { achievements, pointsSystems }: Config,
  challenge: Challenge,
): Pick<ScriptChallenge, 'achievement' | 'freezes' | 'boost' | 'isClaimed' | 'claimMs'> {
  const { achievementId, freezes, boost } = challenge.rewards ?? {};
  const achievement = achievements.find(({ id, status }) => id === achievementId && status === 'active');
  const ms = claimMs(challenge);
  return {
    ...(achievement && { achievement: achievement.no }),
    ...(freezes && { freezes }),
    ...(boost && {
      boost: {
        no: boostOfChallenge(challenge),
        system: pointsSystems.find(({ id }) => id === boost.systemId)!.no,
        multiplier: boost.multiplier,
        ms: boost.hours * HOUR_MS,
      },
    }),
    ...(challenge.claim === 'manual' && { isClaimed: true }),
    ...(ms !== null && { claimMs: ms }),
  };
}

/** Ids of the achievements that the challenges of an event may give. */
export const rewardedAchievements = (scope: CompileScope): ReadonlySet<Achievement['id']> =>
  new Set(reachableChallenges(scope).flatMap(({ rewards }) => rewards?.achievementId ?? []));

/** Award the points of a system that the challenges of an event may give. They come after all others. */
export const challengeTriggers = (scope: CompileScope, system: PointsSystem): ScriptTrigger[] =>
  reachableChallenges(scope).flatMap(({ no, rewards }) =>
    (rewards?.points ?? [])
      .filter(({ systemId }) => systemId === system.id)
      .map(({ points }) => ({
        no: challengeTrigger(no),
        on: TRIGGER.challenge,
        points,
        of: no,
        threshold: 1,
        hourly: false,
        block: false,
        users: false,
      })),
  );
