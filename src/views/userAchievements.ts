import { prerequisitesOf } from '../contract/kinds/prerequisites.ts';
import type { UserState } from '../redis/decoding/userState.ts';
import { dateOfDay, localTime } from '../rules/calendar.ts';
import type { Achievement } from '../rules/config.ts';
import { totalNow } from '../rules/counterMarks.ts';
import type { Counting } from '../rules/counting.ts';
import { matchesAll } from '../rules/inForce/filters.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { timesJson } from './changes.ts';
import { getFragments } from './fragments.ts';
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
  'trigger' | 'metricId' | 'metricValue' | 'streakLength' | 'achievementIds' | keyof Counting
>;

/**
 * JSON of `UserAchievementResponse`, open so that fields can be appended: an achievement with the time at
 * which the user completed it, or null and the progress.
 */
export function userAchievementJson(
  rules: Rules,
  achievement: Achievement,
  user: UserState,
  now: number,
): string {
  const { no, status, repeat } = achievement;
  const at = user.achievements.get(no);
  const times = at === undefined ? 0 : (user.timesCompleted.get(no) ?? 1);
  const achievedAt = at === undefined ? 'null' : `"${new Date(at).toISOString()}"`;
  const completed = `${getFragments(rules).achievement(no)},"achievedAt":${achievedAt}${timesJson(achievement, times)}`;
  // What is not active counts nothing.
  if (at !== undefined && (repeat === null || status !== 'active')) return completed;
  const progress = progressOf(rules, achievement, user, now);
  return progress === null ? completed : `${completed},"progress":${progressJson(progress)}`;
}

/** A user without an attribute, or whose achievement was revoked, may have more than the target. */
const progressJson = ({ current, target }: Progress): string =>
  `{"current":${Math.min(current, target)},"target":${target}}`;

interface Progress {
  current: number;
  target: number;
}

/**
 * Progress in the unit of the trigger: value of the metric, periods of the streak, prerequisites, or the one
 * call that completes it; null for an anniversary.
 */
function progressOf(
  rules: Rules,
  achievement: AchievementRule,
  user: UserState,
  now: number,
): Progress | null {
  switch (achievement.trigger) {
    case 'metric': {
      const counter = rules.findCounter(achievement.metricId!, achievement);
      if (counter === undefined) return null;
      const total = user.counters.get(counter.no) ?? 0;
      const today = () => localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
      const current = totalNow(counter, total, user.marks.get(counter.no) ?? [], today);
      return { current, target: achievement.metricValue! };
    }
    case 'streak':
      return { current: streakInForce(rules, user).length, target: achievement.streakLength! };
    case 'achievement': {
      const { ids, needed } = prerequisitesOf(achievement);
      const done = ids.filter((id) => user.achievements.has(rules.byId('achievements', id).no));
      return { current: done.length, target: needed };
    }
    case 'api':
      return { current: 0, target: 1 };
    case 'anniversary':
      return null;
  }
}

/** What a user must be and have done. */
export type Qualification = AchievementRule & Pick<Achievement, 'anniversaryYears' | 'userAttributes'>;

/** Whether a user meets the condition of an achievement by now (ms). */
export function qualifies(rules: Rules, condition: Qualification, user: UserState, now: number): boolean {
  if (!hasAttributes(rules, condition, user)) return false;
  if (condition.trigger === 'anniversary') return hasAnniversary(rules, condition, user, now);
  const progress = progressOf(rules, condition, user, now);
  return progress !== null && progress.current >= progress.target;
}

/**
 * The progress of a user who has reached nine tenths of the target or more and has not completed the
 * achievement; null for other users.
 */
export function progressIfNear(
  rules: Rules,
  achievement: Achievement,
  user: UserState,
  now: number,
): number | null {
  if (user.achievements.has(achievement.no) || !hasAttributes(rules, achievement, user)) return null;
  const progress = progressOf(rules, achievement, user, now);
  if (progress === null) return null;
  const { current, target } = progress;
  return current < target && current * 10 >= target * 9 ? current : null;
}

/** Whether a user has the attributes that an achievement asks for. */
export const hasAttributes = (
  rules: Rules,
  { userAttributes }: Pick<Qualification, 'userAttributes'>,
  user: UserState,
): boolean => matchesAll(rules, userAttributes, user.attributes);

function hasAnniversary(
  rules: Rules,
  { anniversaryYears }: Qualification,
  { signUpDate, tz }: UserState,
  now: number,
): boolean {
  if (signUpDate === null) return false;
  const year = Number(signUpDate.slice(0, 4)) + anniversaryYears!;
  const today = dateOfDay(localTime(tz ?? rules.config.settings.defaultTimeZone, now).day);
  return `${year}${signUpDate.slice(4)}` <= today;
}
