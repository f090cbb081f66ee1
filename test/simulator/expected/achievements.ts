import type { Achievement, Config, Metric } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import type { LocalDate } from '../../support/modelCalendar.ts';
import { prerequisites } from '../../support/modelCounting.ts';
import { counterOn, counterTotal, type ModelUser } from '../../support/modelUser.ts';
import type { Expected } from '../difference.ts';
import { achievementOf } from './entities.ts';

/** The achievements of a user, and the metrics with theirs. */

const iso = (at: number): string => new Date(at).toISOString();

/** Inactive achievements are seen by nobody, locked and hidden ones by those who have completed them. */
const sees = (user: ModelUser, { id, status, hidden }: Achievement): boolean =>
  status !== 'inactive' && (user.achievements.has(id) || (status === 'active' && !hidden));

function withProgress(
  config: Config,
  user: ModelUser,
  achievement: Achievement,
  today: LocalDate,
): Record<string, Expected> {
  const view = achievementOf(config, achievement);
  const at = user.achievements.get(achievement.id);
  const achievedAt = at === undefined ? null : iso(at);
  const repeats = achievement.repeat !== null;
  if (achievedAt !== null && !repeats) return { ...view, achievedAt };
  const times = achievedAt === null ? 0 : user.repeats.get(achievement.id)?.times || 1;
  if (achievedAt !== null && achievement.status !== 'active')
    return { ...view, achievedAt, timesCompleted: times };
  const progress = (current: number, target: number): Expected => ({
    achievedAt,
    progress: { current: Math.min(current, target), target },
    ...(repeats && { timesCompleted: times }),
  });
  const shown = (() => {
    switch (achievement.trigger) {
      case 'metric':
        return progress(
          counterOn(today, user.events, achievement.metricId!, achievement),
          achievement.metricValue!,
        );
      case 'streak': {
        const { length } = user.streaks[config.streak.frequency];
        return progress(config.streak.enabled ? length : 0, achievement.streakLength!);
      }
      case 'api':
        return progress(0, 1);
      case 'achievement': {
        const { ids, needed } = prerequisites(achievement);
        return progress(ids.filter((id) => user.achievements.has(id)).length, needed);
      }
      case 'anniversary':
        return { achievedAt: null };
    }
  })();
  return { ...view, ...(shown as object) };
}

export const metricsOf = (config: Config, user: ModelUser, today: LocalDate): Expected =>
  config.metrics.map((metric) => metricOf(config, user, metric, today));

export function metricOf(
  config: Config,
  user: ModelUser,
  { id, key, name }: Metric,
  today: LocalDate,
): Expected {
  return {
    id,
    key,
    name,
    status: 'active',
    current: counterTotal(user.events, id),
    achievements: config.achievements
      .filter((one) => one.trigger === 'metric' && one.metricId === id && sees(user, one))
      .map((one) => withProgress(config, user, one, today)),
  };
}

export function statisticsOf({ users }: Model, { id }: Achievement): { completions: number; rarity: number } {
  const completions = [...users.values()].filter((user) => user.achievements.has(id)).length;
  const rarity = users.size === 0 ? 0 : Math.round((completions / users.size) * 10_000) / 100;
  return { completions, rarity };
}

export function achievementsOf(
  model: Model,
  user: ModelUser,
  includeIncomplete: boolean,
  today: LocalDate,
): Expected {
  return model.config.achievements
    .filter((one) => sees(user, one) && (includeIncomplete || user.achievements.has(one.id)))
    .map((one) => ({ ...withProgress(model.config, user, one, today), ...statisticsOf(model, one) }));
}
