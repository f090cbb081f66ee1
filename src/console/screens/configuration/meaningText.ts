import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { Guards } from '../../../contract/guards.ts';
import { type Prerequisites, prerequisitesOf } from '../../../contract/kinds/prerequisites.ts';
import { everyText } from '../../text/everyText.ts';
import { formatDate } from '../../text/format.ts';
import { allOf, anyOf, plural, quoted, t } from '../../text/translate.ts';
import type { Value } from '../../ui/form/schema.ts';
import { challengeText } from './challengeText.ts';
import { countedText, isChosen, isNumber, type NameOf } from './countedText.ts';

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

const REPEATED: Record<string, (who: string, counted: string) => string> = {
  day: (who, counted) => t('Completes once in every day in which {who} reaches {counted}.', { who, counted }),
  week: (who, counted) =>
    t('Completes once in every week in which {who} reaches {counted}.', { who, counted }),
  month: (who, counted) =>
    t('Completes once in every month in which {who} reaches {counted}.', { who, counted }),
};

function achievement(value: Value, nameOf: NameOf): string | null {
  const { trigger: by, metricId, metricValue, streakLength, anniversaryYears, repeat } = value;
  const who = isChosen(value.userAttributes) ? t('a matching user') : t('a user');
  const metric = nameOf(metricId);
  if (by === 'metric' && metric && isNumber(metricValue)) {
    const counted = countedText(metricValue, metric, value);
    const repeated = REPEATED[String(repeat)]?.(who, counted);
    return repeated ?? t('Completes when {who} reaches {counted}.', { who, counted });
  }
  if (by === 'streak' && isNumber(streakLength))
    return plural(
      streakLength,
      'Completes when {who} has a streak of {n} period.',
      'Completes when {who} has a streak of {n} periods.',
      { who },
    );
  if (by === 'achievement') return prerequisites(value, who, nameOf);
  if (by === 'anniversary' && isNumber(anniversaryYears))
    return plural(
      anniversaryYears,
      'Completes {n} year after {who} signed up.',
      'Completes {n} years after {who} signed up.',
      { who },
    );
  return by === 'api' ? t('Completed by your backend for {who}.', { who }) : null;
}

function prerequisites({ achievementIds }: Value, who: string, nameOf: NameOf): string | null {
  const { ids, needed } = prerequisitesOf({ achievementIds: (achievementIds ?? []) as Prerequisites });
  if (ids.length === 0) return null;
  const names = ids.map((id) => quoted(nameOf(id) ?? id));
  const which =
    needed === ids.length
      ? allOf(names)
      : t('at least {needed} of {names}', { needed, names: names.join(', ') });
  return t('Completes when {who} has completed {which}.', { who, which });
}

/** Includes the conditions, because triggers may differ only in these. */
function trigger(value: Value, nameOf: NameOf): string | null {
  const text = triggerEffect(value, nameOf);
  return text !== null && isChosen(value.userAttributes) ? `${text} ${t('Only for matching users.')}` : text;
}

function triggerEffect(value: Value, nameOf: NameOf): string | null {
  const {
    type,
    points: given,
    metricId,
    metricThreshold,
    achievementId,
    streakLength,
    timeInterval,
    timeUnit,
  } = value;
  if (!isNumber(given) || given === 0) return null;
  const gives = given > 0;
  const points = plural(Math.abs(given), '{n} point', '{n} points');
  const metric = nameOf(metricId);
  const name = nameOf(achievementId);
  if (type === 'metric' && metric && isNumber(metricThreshold)) {
    const counted = countedText(metricThreshold, metric, value);
    return gives
      ? t('Gives {points} for every {counted}.', { points, counted })
      : t('Takes {points} for every {counted}.', { points, counted });
  }
  if (type === 'achievement' && name)
    return gives
      ? t('Gives {points} when a user completes “{name}”.', { points, name })
      : t('Takes {points} when a user completes “{name}”.', { points, name });
  if (type === 'streak' && isNumber(streakLength)) {
    const periods = plural(streakLength, '{n} period', '{n} periods');
    return gives
      ? t('Gives {points} each time a streak has grown by {periods}.', { points, periods })
      : t('Takes {points} each time a streak has grown by {periods}.', { points, periods });
  }
  if (type === 'time' && isNumber(timeInterval) && timeUnit) {
    const every = everyText(timeInterval, String(timeUnit));
    return gives
      ? t('Gives {points} {every}, regardless of activity.', { points, every })
      : t('Takes {points} {every}, regardless of activity.', { points, every });
  }
  if (type !== 'user_creation') return null;
  return gives
    ? t('Gives {points} to every new user.', { points })
    : t('Takes {points} from every new user.', { points });
}

function leaderboard(value: Value, nameOf: NameOf): string | null {
  const { rankBy, metricId, pointsSystemId, runUnit, runInterval, sortOrder, ties } = value;
  const name = nameOf(rankBy === 'points' ? pointsSystemId : metricId);
  if (rankBy !== 'streak' && name === undefined) return null;
  const score = scoreText(value, name);
  const ranks =
    sortOrder === 'asc'
      ? t('Ranks users by {score}, lowest first.', { score })
      : t('Ranks users by {score}, highest first.', { score });
  const equal = ties === 'shared' ? t('Equal scores share a rank.') : null;
  const runs =
    isNumber(runInterval) && runUnit
      ? t('It resets {every}.', { every: everyText(runInterval, String(runUnit)) })
      : t('It never resets.');
  return [ranks, equal, runs].filter(Boolean).join(' ');
}

/** What ranks users. */
function scoreText({ rankBy, aggregation }: Value, name = ''): string {
  if (rankBy === 'streak') return t('the length of the streak');
  if (aggregation === 'best') return t('the best event of “{name}”', { name });
  return aggregation === 'latest' ? t('the latest event of “{name}”', { name }) : quoted(name);
}

function boost({ multiplier, start, end }: Value): string | null {
  if (!isNumber(multiplier) || !start) return null;
  const values = { multiplier, start: formatDate(String(start)), end: end ? formatDate(String(end)) : null };
  return end
    ? t('Multiplies awarded points by {multiplier}, from {start} to {end}.', values)
    : t('Multiplies awarded points by {multiplier}, from {start} on.', values);
}

function level({ points }: Value): string | null {
  if (!isNumber(points)) return null;
  return plural(
    points,
    'Users are at this level from {n} point on.',
    'Users are at this level from {n} points on.',
  );
}

const ACTIONS: Record<string, (stopped: string) => string> = {
  refuse: (stopped) => t('An event {stopped} is refused.', { stopped }),
  clamp: (stopped) => t('An event {stopped} is reduced to what is allowed, or refused.', { stopped }),
  hold: (stopped) => t('An event {stopped} waits for a review.', { stopped }),
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
    ...(isNumber(minValue) ? [t('below {minValue}', { minValue })] : []),
    ...(isNumber(maxValue) ? [t('above {maxValue}', { maxValue })] : []),
    ...(isNumber(cooldownSeconds)
      ? [plural(cooldownSeconds, 'within {n} second of the last one', 'within {n} seconds of the last one')]
      : []),
    ...limits.flatMap(limitTexts),
  ];
  return stopped.length === 0 ? null : ACTIONS[action]!(anyOf(stopped));
}

function limitTexts({ per, events, value: sum }: NonNullable<Guards['limits']>[number]): string[] {
  const isHour = per === 'hour';
  const ofEvents = !isNumber(events)
    ? null
    : isHour
      ? plural(events, 'after {n} event in one hour', 'after {n} events in one hour')
      : plural(events, 'after {n} event in one day', 'after {n} events in one day');
  const ofSum = !isNumber(sum)
    ? null
    : isHour
      ? t('beyond a sum of {sum} in one hour', { sum })
      : t('beyond a sum of {sum} in one day', { sum });
  return [ofEvents, ofSum].filter((text) => text !== null);
}

const GROWS: Record<string, (needs: string) => string> = {
  daily: (needs) => t('A streak grows with each day in which a user reaches {needs}.', { needs }),
  weekly: (needs) => t('A streak grows with each week in which a user reaches {needs}.', { needs }),
  monthly: (needs) => t('A streak grows with each month in which a user reaches {needs}.', { needs }),
};

function streak({ metrics, frequency, evaluationMode, freezes }: Value): string | null {
  const conditions = (metrics ?? []) as { key?: string; threshold?: number }[];
  const grows = GROWS[String(frequency)];
  if (grows === undefined || conditions.length === 0) return null;
  const needs = conditions.flatMap(({ key, threshold }) =>
    key && isNumber(threshold) ? [t('{amount} of {metric}', { amount: threshold, metric: quoted(key) })] : [],
  );
  if (needs.length < conditions.length) return null;
  const all = evaluationMode === 'OR' ? anyOf(needs) : allOf(needs);
  return [grows(all), freezesText((freezes ?? {}) as Value)].filter(Boolean).join(' ');
}

function freezesText({ startCount, maxCount, autoEarnInterval, autoEarnAmount }: Value): string | null {
  if (!isNumber(startCount) || !isNumber(maxCount)) return null;
  const most = maxCount;
  if (!isNumber(autoEarnInterval) || !isNumber(autoEarnAmount))
    return plural(
      startCount,
      'A new user has {n} freeze, and has at most {most}.',
      'A new user has {n} freezes, and has at most {most}.',
      { most },
    );
  return plural(
    startCount,
    'A new user has {n} freeze, gets {amount} more {every}, and has at most {most}.',
    'A new user has {n} freezes, gets {amount} more {every}, and has at most {most}.',
    { amount: autoEarnAmount, every: everyText(autoEarnInterval, 'day'), most },
  );
}
