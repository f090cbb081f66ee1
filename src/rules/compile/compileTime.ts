import { isLive } from '../calendar.ts';
import type { Config, PointsTrigger } from '../config.ts';
import type { ScriptTimer, TimeRules } from '../scriptRules.ts';
import { filterCompiler } from './compileScope.ts';

const HOUR_SECONDS = 3_600;

/** The interval of a time trigger: in seconds if its unit is hours, else in days. */
export function intervalOf(trigger: PointsTrigger): number {
  return trigger.timeInterval! * (trigger.timeUnit === 'hour' ? HOUR_SECONDS : 1);
}

/**
 * When a time trigger begins to fire, seconds since 1970: at its last change. It awards nothing for the time
 * before.
 */
export function startOf(trigger: PointsTrigger): number {
  return Math.floor(Date.parse(trigger.updated) / 1000);
}

export function timeTriggers(config: Config): PointsTrigger[] {
  return config.pointsTriggers.filter(({ type, status }) => type === 'time' && status === 'active');
}

/** The rules that settling needs. */
export function compileTimeRules(config: Config): TimeRules {
  const compileFilter = filterCompiler(config);
  const { freezes, enabled } = config.streak;
  const timers = timeTriggers(config).map((trigger): ScriptTimer => {
    const system = config.pointsSystems.find(({ id }) => id === trigger.systemId)!;
    return {
      system: system.no,
      max: system.maxPoints ?? false,
      points: trigger.points,
      hourly: trigger.timeUnit === 'hour',
      every: intervalOf(trigger),
      from: startOf(trigger),
      users: compileFilter(trigger.userAttributes),
    };
  });
  return {
    freezes: {
      initial: freezes?.startCount ?? 0,
      max: enabled && freezes ? freezes.maxCount : 0,
      every: freezes?.autoEarnInterval ?? false,
      amount: freezes?.autoEarnAmount ?? 0,
    },
    timers,
    anniversaries: config.achievements
      .filter(({ trigger, status }) => trigger === 'anniversary' && status === 'active')
      .map(({ no, anniversaryYears, userAttributes }) => ({
        no,
        years: anniversaryYears!,
        users: compileFilter(userAttributes),
      })),
    daily: timers.some(({ hourly }) => !hourly),
    boards: config.leaderboards.filter(isLive).map(({ no }) => no),
  };
}
