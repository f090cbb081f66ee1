import { prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import type { Achievement } from '../config.ts';
import type { ScriptAchievements, ScriptRules } from '../scriptRules.ts';
import { rewardedAchievements } from './compileChallenges.ts';
import type { CompileScope } from './compileScope.ts';

type AchievementRules = Pick<ScriptRules, 'achievements' | 'ownValues' | 'leastValues'>;

/** @param counter the metric's own counter; 0 without a metric */
export function compileAchievements(
  scope: CompileScope,
  reachable: Achievement[],
  counter: number,
): AchievementRules {
  const { config, compileFilter } = scope;
  const numbers = new Map(config.achievements.map(({ id, no }) => [id, no]));
  const achievements: ScriptAchievements = { ofMetrics: [], ofStreaks: [], chained: [] };
  for (const achievement of reachable) {
    const { no, trigger } = achievement;
    const users = compileFilter(achievement.userAttributes);
    if (trigger === 'metric') {
      const counted = scope.useCounter(achievement.metricId!, achievement);
      const value = achievement.metricValue!;
      achievements.ofMetrics.push({ no, counter: counted, value, users });
      if (achievement.repeat !== null) scope.repeatBy(counted, { no, value, users });
    } else if (trigger === 'streak') {
      achievements.ofStreaks.push({ no, length: achievement.streakLength!, users });
    } else if (trigger === 'achievement') {
      const { ids, needed } = prerequisitesOf(achievement);
      achievements.chained.push({ no, requires: ids.map((id) => numbers.get(id)!), needed, users });
    }
  }
  return { achievements, ...valuesOf(scope, achievements.ofMetrics, counter) };
}

function valuesOf(
  { namedCounters }: CompileScope,
  achievements: ScriptAchievements['ofMetrics'],
  counter: number,
): Pick<ScriptRules, 'ownValues' | 'leastValues'> {
  const named = new Set(namedCounters.map(({ no }) => no));
  const ownValues: number[] = [];
  const leastValues = new Map<number, number>();
  for (const { counter: no, value } of achievements) {
    if (no === counter) ownValues.push(value);
    else if (named.has(no)) leastValues.set(no, Math.min(value, leastValues.get(no) ?? value));
    else return { ownValues: false };
  }
  ownValues.sort((a, b) => a - b);
  return { ownValues, ...(leastValues.size > 0 && { leastValues }) };
}

/**
 * Active achievements that a change can complete; prerequisites come before the achievements that require
 * them.
 */
export function reachableAchievements(scope: CompileScope): Achievement[] {
  const { config, origin, metric, mayLengthenStreak } = scope;
  const rewarded = rewardedAchievements(scope);
  const active = config.achievements.filter(({ status }) => status === 'active');
  if (origin.kind === 'activation' && origin.achievements === null) return orderByPrerequisites(active);
  const reachable = active.filter(
    (achievement) =>
      (origin.kind === 'activation' && origin.achievements!.includes(achievement.id)) ||
      (origin.kind === 'completion' && achievement === origin.achievement) ||
      (origin.kind === 'reward' && achievement.trigger === 'api') ||
      rewarded.has(achievement.id) ||
      (achievement.trigger === 'metric' && achievement.metricId === metric?.id) ||
      (achievement.trigger === 'streak' && mayLengthenStreak) ||
      // Any change can set the sign-up date.
      achievement.trigger === 'anniversary',
  );
  return orderByPrerequisites(withFollowing(reachable, active));
}

/** Adds the achievements that these can complete in turn, round by round, those of a round by number. */
function withFollowing(reachable: Achievement[], active: Achievement[]): Achievement[] {
  const requiring = new Map<string, Achievement[]>();
  for (const achievement of active) {
    if (achievement.trigger !== 'achievement') continue;
    for (const id of prerequisitesOf(achievement).ids)
      requiring.set(id, [...(requiring.get(id) ?? []), achievement]);
  }
  const found = new Set(reachable);
  for (let round = reachable; round.length > 0; ) {
    const next = new Set(round.flatMap(({ id }) => requiring.get(id) ?? []));
    round = [...next].filter((achievement) => !found.has(achievement)).sort((a, b) => a.no - b.no);
    for (const achievement of round) found.add(achievement);
  }
  return [...found];
}

function orderByPrerequisites(achievements: Achievement[]): Achievement[] {
  const byId = new Map(achievements.map((achievement) => [achievement.id, achievement]));
  const ordered = new Set<Achievement>();
  const add = (achievement: Achievement): void => {
    if (ordered.has(achievement)) return;
    for (const id of prerequisitesOf(achievement).ids) {
      const prerequisite = byId.get(id);
      if (prerequisite) add(prerequisite);
    }
    ordered.add(achievement);
  };
  for (const achievement of achievements) add(achievement);
  return [...ordered];
}
