import type { PointsTriggerResponse } from '../../../contract/points.ts';
import { everyText } from '../../text/everyText.ts';
import { capital, formatDate } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';

/** What a trigger awards points for, in words, with the attributes that it asks for. */
export function triggerText(trigger: PointsTriggerResponse | null): string {
  if (trigger === null) return t('A deleted trigger');
  const asked = [...trigger.userAttributes, ...(trigger.eventAttributes ?? [])];
  const attributes = asked.map(({ key, value }) => `${key}: ${value}`).join(', ');
  return attributes === '' ? causeText(trigger) : `${causeText(trigger)} (${attributes})`;
}

function causeText(trigger: PointsTriggerResponse): string {
  const {
    type,
    metricName,
    metricThreshold,
    achievementName,
    streakLengthThreshold,
    timeUnit,
    timeInterval,
    leaderboardName,
    challengeName,
    rank,
    run,
  } = trigger;
  switch (type) {
    case 'metric':
      return t('{metric}, every {threshold}', {
        metric: metricName ?? t('A deleted metric'),
        threshold: metricThreshold,
      });
    case 'achievement':
      return t('Completed {name}', { name: achievementName ?? t('a deleted achievement') });
    case 'streak':
      return plural(streakLengthThreshold ?? 0, 'Every {n} period of streak', 'Every {n} periods of streak');
    case 'time':
      return capital(everyText(timeInterval ?? 0, timeUnit ?? 'hour'));
    case 'user_creation':
      return t('Joined');
    case 'adjustment':
      return t('Adjusted by an administrator');
    case 'import':
      return t('Imported');
    case 'challenge':
      return t('Completed the challenge {name}', { name: challengeName ?? t('that was deleted') });
    case 'leaderboard':
      return t('Rank {rank} of {name}, run of {run}', {
        rank,
        name: leaderboardName ?? t('a deleted leaderboard'),
        run: formatDate(run),
      });
  }
}
