/**
 * Items of configuration files, named after their keys. They are about the metric `lessons` and the points system
 * `xp`; a test passes what else matters for it.
 */

const nameOf = (key: string): string => key[0]!.toUpperCase() + key.slice(1);

export function item(key: string): { key: string; name: string };
export function item<const T extends object>(key: string, more: T): { key: string; name: string } & T;
export function item(key: string, more: object = {}): object {
  return { key, name: nameOf(key), ...more };
}

/** Items with a key and a name only, such as metrics and attributes. */
export const items = (...keys: string[]) => keys.map((key) => item(key));

/** An achievement that is completed by a total of lessons. */
export const achievement = (key: string, metricValue: number, more: object = {}) => ({
  ...item(key),
  trigger: 'metric' as const,
  metric: 'lessons',
  metricValue,
  ...more,
});

export const xp = <T extends object>(triggers: T[], more: object = {}) => ({
  key: 'xp',
  name: 'XP',
  triggers,
  ...more,
});

/** A trigger that awards points for each lesson. */
export const perLesson = (points: number, more: object = {}) => ({
  type: 'metric' as const,
  metric: 'lessons',
  metricThreshold: 1,
  points,
  ...more,
});

/** Streaks that one lesson extends. */
export const lessonStreak = (more: object = {}) => ({
  enabled: true,
  metrics: [{ key: 'lessons', threshold: 1 }],
  ...more,
});

/** A leaderboard of lessons. */
export const metricBoard = (key: string, more: object = {}) => ({
  ...item(key),
  rankBy: 'metric' as const,
  metric: 'lessons',
  start: '2020-01-01',
  ...more,
});

/** A leaderboard of points. */
export const xpBoard = (key: string, more: object = {}) => ({
  ...item(key),
  rankBy: 'points' as const,
  points: 'xp',
  start: '2020-01-01',
  ...more,
});

/** A goal of a challenge, for lessons. */
export const goal = (key: string, target: number, more: object = {}) => ({
  ...item(key),
  metric: 'lessons',
  target,
  ...more,
});

/** A goal for a number of events with lessons. */
export const countedGoal = (key: string, target: number) => goal(key, target, { aggregate: 'count' });

/** Runs of a leaderboard. */
export const DAILY = { runUnit: 'day' as const, runInterval: 1 };
export const WEEKLY = { runUnit: 'day' as const, runInterval: 7 };
