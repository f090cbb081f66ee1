import type { UserState } from '../redis/state/userState.ts';
import { dateOfDay, localTime } from '../rules/calendar.ts';
import type { Achievement } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { type AchievementRule, progressOf } from './userAchievements.ts';

/** What a user must be and have done. */
export type Condition = AchievementRule & Pick<Achievement, 'anniversaryYears' | 'userAttributes'>;

/** Whether a user meets the condition of an achievement by now (ms). */
export function qualifies(rules: Rules, condition: Condition, user: UserState, now: number): boolean {
  const hasAttributes = condition.userAttributes.every(
    ({ attributeId, attributeValue }) =>
      user.attributes.get(rules.byId('attributes', attributeId).no) === attributeValue,
  );
  if (!hasAttributes) return false;
  if (condition.trigger === 'anniversary') return hasAnniversary(rules, condition, user, now);
  const progress = progressOf(rules, condition, user);
  return progress !== null && progress.current >= progress.target;
}

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
