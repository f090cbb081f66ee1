import type { PointsTriggerResponse } from '../../../contract/points.ts';
import { count, formatDate, formatNumber } from '../../text/format.ts';

/** What a trigger awards points for, in words, with the attributes that it asks for. */
export function triggerText(trigger: PointsTriggerResponse | null): string {
  if (trigger === null) return 'A deleted trigger';
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
      return `${metricName ?? 'A deleted metric'}, every ${formatNumber(metricThreshold)}`;
    case 'achievement':
      return `Completed ${achievementName ?? 'a deleted achievement'}`;
    case 'streak':
      return `Every ${count(streakLengthThreshold ?? 0, 'period')} of streak`;
    case 'time':
      return `Every ${count(timeInterval ?? 0, timeUnit ?? 'hour')}`;
    case 'user_creation':
      return 'Joined';
    case 'adjustment':
      return 'Adjusted by an administrator';
    case 'import':
      return 'Imported';
    case 'challenge':
      return `Completed the challenge ${challengeName ?? 'that was deleted'}`;
    case 'leaderboard':
      return `Rank ${formatNumber(rank)} of ${leaderboardName ?? 'a deleted leaderboard'}, run of ${formatDate(run)}`;
  }
}
