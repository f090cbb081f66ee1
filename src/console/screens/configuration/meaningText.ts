import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { Guards } from '../../../contract/guards.ts';
import { type Prerequisites, prerequisitesOf } from '../../../contract/kinds/prerequisites.ts';
import { count } from '../../text/format.ts';
import type { Value } from '../../ui/form/schema.ts';
import { challengeText } from './challengeText.ts';
import { countedText, every, isChosen, isNumber, type NameOf, number } from './countedText.ts';

const periods = (value: unknown): string => count(Number(value), 'period');

/** The meaning of an item in a sentence; null while the form is incomplete. */
export function meaningOf(form: FormName, value: Value, nameOf: NameOf): string | null {
  const meaning = {
    achievements: achievement,
    triggers: trigger,
    leaderboards: leaderboard,
    challenges: challengeText,
    boosts: boost,
    levels: level,
    metrics: guards,
    streak,
  }[form as 'achievements'];
  return meaning?.(value, nameOf) ?? null;
}

function achievement(value: Value, nameOf: NameOf): string | null {
  const { trigger: by, metricId, metricValue, streakLength, achievementIds, anniversaryYears } = value;
  const who = isChosen(value.userAttributes) ? 'a matching user' : 'a user';
  const metric = nameOf(metricId);
  if (by === 'metric' && metric && isNumber(metricValue))
    return `Completes ${value.repeat ? `once in every ${value.repeat} in which` : 'when'} ${who} reaches ${countedText(metricValue, metric, value)}.`;
  if (by === 'streak' && isNumber(streakLength))
    return `Completes when ${who} has a streak of ${periods(streakLength)}.`;
  const { ids, needed } = prerequisitesOf({ achievementIds: (achievementIds ?? []) as Prerequisites });
  if (by === 'achievement' && ids.length > 0) {
    const names = ids.map((id) => `“${nameOf(id) ?? id}”`);
    const all = needed === ids.length;
    const which = all ? names.join(' and ') : `at least ${number(needed)} of ${names.join(', ')}`;
    return `Completes when ${who} has completed ${which}.`;
  }
  if (by === 'anniversary' && isNumber(anniversaryYears))
    return `Completes ${count(anniversaryYears, 'year')} after ${who} signed up.`;
  return by === 'api' ? `Completed by your backend for ${who}.` : null;
}

/** Includes the conditions, because triggers may differ only in these. */
function trigger(value: Value, nameOf: NameOf): string | null {
  const text = triggerEffect(value, nameOf);
  return text !== null && isChosen(value.userAttributes) ? `${text} Only for matching users.` : text;
}

function triggerEffect(value: Value, nameOf: NameOf): string | null {
  const { type, points, metricId, metricThreshold, achievementId, streakLength, timeInterval, timeUnit } =
    value;
  if (!isNumber(points) || points === 0) return null;
  const amount = count(Math.abs(points), 'point');
  const gives = points > 0 ? `Gives ${amount}` : `Takes ${amount}`;
  const metric = nameOf(metricId);
  const completed = nameOf(achievementId);
  if (type === 'metric' && metric && isNumber(metricThreshold))
    return `${gives} for every ${countedText(metricThreshold, metric, value)}.`;
  if (type === 'achievement' && completed) return `${gives} when a user completes “${completed}”.`;
  if (type === 'streak' && isNumber(streakLength))
    return `${gives} each time a streak has grown by ${periods(streakLength)}.`;
  if (type === 'time' && isNumber(timeInterval) && timeUnit)
    return `${gives} every ${every(timeInterval, String(timeUnit).replace(/s$/, ''))}, regardless of activity.`;
  return type === 'user_creation' ? `${gives} to every new user.` : null;
}

const RUNS: Record<string, string> = { day: 'day', week: 'week', month: 'month', year: 'year' };

function leaderboard(value: Value, nameOf: NameOf): string | null {
  const { rankBy, metricId, pointsSystemId, runUnit, runInterval, aggregation, sortOrder, ties } = value;
  const name = rankBy === 'streak' ? 'the streak' : nameOf(rankBy === 'points' ? pointsSystemId : metricId);
  if (name === undefined) return null;
  const what = rankBy === 'streak' ? 'the length of the streak' : `“${name}”`;
  const score = { best: 'the best event of ', latest: 'the latest event of ' }[String(aggregation)] ?? '';
  const order = sortOrder === 'asc' ? 'lowest first' : 'highest first';
  const unit = isNumber(runInterval) && RUNS[String(runUnit)];
  const equal = ties === 'shared' ? ' Equal scores share a rank.' : '';
  const runs = unit ? `It resets every ${every(runInterval, unit)}.` : 'It never resets.';
  return `Ranks users by ${score}${what}, ${order}.${equal} ${runs}`;
}

function boost({ multiplier, start, end }: Value): string | null {
  if (!isNumber(multiplier) || !start) return null;
  const until = end ? `from ${start} to ${end}` : `from ${start} on`;
  return `Multiplies awarded points by ${number(multiplier)}, ${until}.`;
}

function level({ points }: Value): string | null {
  return isNumber(points) ? `Users are at this level from ${count(points, 'point')} on.` : null;
}

const ACTIONS: Record<string, string> = {
  refuse: 'is refused',
  clamp: 'is reduced to what is allowed, or refused',
  hold: 'waits for a review',
};

function guards(value: Value): string | null {
  const {
    minValue,
    maxValue,
    cooldownSeconds,
    limits = [],
    action = 'refuse',
  } = (value.guards ?? {}) as Guards;
  const stopped = [
    ...(isNumber(minValue) ? [`below ${number(minValue)}`] : []),
    ...(isNumber(maxValue) ? [`above ${number(maxValue)}`] : []),
    ...(isNumber(cooldownSeconds) ? [`within ${count(cooldownSeconds, 'second')} of the last one`] : []),
    ...limits.flatMap(({ per, events, value: sum }) => [
      ...(isNumber(events) ? [`after ${count(events, 'event')} in one ${per}`] : []),
      ...(isNumber(sum) ? [`beyond a sum of ${number(sum)} in one ${per}`] : []),
    ]),
  ];
  return stopped.length === 0 ? null : `An event ${stopped.join(' or ')} ${ACTIONS[action]}.`;
}

const PERIODS: Record<string, string> = { daily: 'day', weekly: 'week', monthly: 'month' };

function streak({ metrics, frequency, evaluationMode, freezes }: Value): string | null {
  const conditions = (metrics ?? []) as { key?: string; threshold?: number }[];
  const period = PERIODS[String(frequency)];
  if (period === undefined || conditions.length === 0) return null;
  if (!conditions.every(({ key, threshold }) => key && isNumber(threshold))) return null;
  const needs = conditions.map(({ key, threshold }) => `${number(threshold)} of “${key}”`);
  const all = needs.join(evaluationMode === 'OR' ? ' or ' : ' and ');
  const grows = `A streak grows with each ${period} in which a user reaches ${all}.`;
  return [grows, freezesText((freezes ?? {}) as Value)].filter(Boolean).join(' ');
}

function freezesText({ startCount, maxCount, autoEarnInterval, autoEarnAmount }: Value): string | null {
  if (!isNumber(startCount) || !isNumber(maxCount)) return null;
  const earns =
    isNumber(autoEarnInterval) && isNumber(autoEarnAmount)
      ? `, gets ${number(autoEarnAmount)} more every ${every(autoEarnInterval, 'day')}`
      : '';
  return `A new user has ${count(startCount, 'freeze')}${earns}, and has at most ${number(maxCount)}.`;
}
