import type { UserAchievementResponse } from '../contract/achievement.ts';
import type { UserState } from '../redis/state/userState.ts';
import type { Achievement } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { achievementView } from './entityViews.ts';
import { streakInForce } from './streakView.ts';

/**
 * Whether a user sees an achievement: inactive ones never, locked and hidden ones once they are completed.
 */
export function isShownTo(achievement: Achievement, user: UserState): boolean {
  return (
    achievement.status !== 'inactive' && (user.achievements.has(achievement.no) || isPublic(achievement))
  );
}

/** Whether users who have not completed an achievement may see it. */
export function isPublic({ status, hidden }: Achievement): boolean {
  return status === 'active' && !hidden;
}

/** What completes an achievement. */
export type AchievementRule = Pick<
  Achievement,
  'trigger' | 'metricId' | 'metricValue' | 'streakLength' | 'achievementIds' | 'eventAttributes'
>;

/** An achievement with the time at which the user completed it, or null and the progress. */
export function userAchievementView(
  rules: Rules,
  achievement: Achievement,
  user: UserState,
): UserAchievementResponse {
  const view = achievementView(rules, achievement);
  const at = user.achievements.get(achievement.no);
  if (at !== undefined) return { ...view, achievedAt: new Date(at).toISOString() };
  const progress = progressOf(rules, achievement, user);
  return { ...view, achievedAt: null, ...(progress && { progress: upToTarget(progress) }) };
}

/** A user who lacks an attribute, or whose achievement was revoked, may have more than the target. */
const upToTarget = ({ current, target }: Progress): Progress => ({
  current: Math.min(current, target),
  target,
});

interface Progress {
  current: number;
  target: number;
}

/**
 * Progress in the unit of the trigger: value of the metric, periods of the streak, prerequisites, or the one
 * call that completes it; null for an anniversary.
 */
export function progressOf(rules: Rules, achievement: AchievementRule, user: UserState): Progress | null {
  switch (achievement.trigger) {
    case 'metric': {
      const counter = rules.counterOf(achievement.metricId!, achievement.eventAttributes);
      return { current: user.counters.get(counter.no) ?? 0, target: achievement.metricValue! };
    }
    case 'streak':
      return { current: streakInForce(rules, user).length, target: achievement.streakLength! };
    case 'achievement': {
      const done = achievement.achievementIds.filter((id) =>
        user.achievements.has(rules.byId('achievements', id).no),
      );
      return { current: done.length, target: achievement.achievementIds.length };
    }
    case 'api':
      return { current: 0, target: 1 };
    case 'anniversary':
      return null;
  }
}
