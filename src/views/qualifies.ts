import type { UserState } from '../redis/state/userState.ts';
import { dateOfDay, localTime } from '../rules/calendar.ts';
import type { Achievement } from '../rules/config.ts';
import { matchesAll } from '../rules/filters.ts';
import type { Rules } from '../rules/rules.ts';
import { type AchievementRule, progressOf } from './userAchievements.ts';

/** What a user must be and have done. */
export type Condition = AchievementRule & Pick<Achievement, 'anniversaryYears' | 'userAttributes'>;

/** Whether a user meets the condition of an achievement by now (ms). */
export function qualifies(rules: Rules, condition: Condition, user: UserState, now: number): boolean {
  if (!hasAttributes(rules, condition, user)) return false;
  if (condition.trigger === 'anniversary') return hasAnniversary(rules, condition, user, now);
  const progress = progressOf(rules, condition, user);
  return progress !== null && progress.current >= progress.target;
}

/**
 * What a user has reached who has at least nine tenths of the target and has not completed the achievement;
 * null for other users.
 */
export function progressIfNear(rules: Rules, achievement: Achievement, user: UserState): number | null {
  if (user.achievements.has(achievement.no) || !hasAttributes(rules, achievement, user)) return null;
  const progress = progressOf(rules, achievement, user);
  if (progress === null) return null;
  const { current, target } = progress;
  return current < target && current * 10 >= target * 9 ? current : null;
}

const hasAttributes = (
  rules: Rules,
  { userAttributes }: Pick<Condition, 'userAttributes'>,
  user: UserState,
): boolean => matchesAll(rules, userAttributes, user.attributes);

function hasAnniversary(
  rules: Rules,
  { anniversaryYears }: Condition,
  { signUpDate, tz }: UserState,
  now: number,
): boolean {
  if (signUpDate === null) return false;
  const year = Number(signUpDate.slice(0, 4)) + anniversaryYears!;
  const today = dateOfDay(localTime(tz ?? rules.config.settings.defaultTimeZone, now).day);
  return `${year}${signUpDate.slice(4)}` <= today;
}
