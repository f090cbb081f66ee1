import { lessonStreak, perLesson, xp, xpBoard } from '../items.ts';

/**
 * What the load is evaluated with: everything that an event can change, and nothing that time changes by
 * itself, so that what must come of a user's totals can be told from them alone.
 */
export const METRICS = ['lessons', 'words', 'minutes'] as const;
export type MetricKey = (typeof METRICS)[number];

/** Totals that complete an achievement. */
export const MILESTONES = { lessons: [1, 20], words: [50, 200], minutes: [10] } as const;
export const milestoneKey = (metric: MetricKey, value: number): string => `${metric}-${value}`;
/** Completed with all milestones of lessons. */
export const FINISHER = 'finisher';
/** Completed by the clients. */
export const BY_API = 'profile';

const WELCOME_POINTS = 5;
const POINTS_PER_LESSON = 10;
const WORDS_PER_AWARD = 10;
const POINTS_PER_AWARD = 3;
const FINISHER_POINTS = 100;
const BY_API_POINTS = 25;
const ENERGY_MAX = 40;

export type Totals = Record<MetricKey, number>;

/** Every award, counted from the totals. */
export function expectedXp(totals: Totals, completed: ReadonlySet<string>): number {
  return (
    WELCOME_POINTS +
    totals.lessons * POINTS_PER_LESSON +
    Math.floor(totals.words / WORDS_PER_AWARD) * POINTS_PER_AWARD +
    (completed.has(FINISHER) ? FINISHER_POINTS : 0) +
    (completed.has(BY_API) ? BY_API_POINTS : 0)
  );
}

/** Those that follow from the totals; `profile` does not. */
export function expectedAchievements(totals: Totals): Set<string> {
  const reached = METRICS.flatMap((metric) =>
    MILESTONES[metric].filter((value) => totals[metric] >= value).map((value) => milestoneKey(metric, value)),
  );
  const isFinished = MILESTONES.lessons.every((value) => totals.lessons >= value);
  return new Set(isFinished ? [...reached, FINISHER] : reached);
}

/** A leaderboard of this year's run for each metric. */
export const boardKey = (metric: MetricKey): string => `${metric}-this-year`;

export const CONFIG = {
  metrics: METRICS.map((key) => ({ key, name: key })),
  streak: lessonStreak(),
  achievements: [
    ...METRICS.flatMap((metric) =>
      MILESTONES[metric].map((value) => {
        const key = milestoneKey(metric, value);
        return { key, name: key, trigger: 'metric', metric, metricValue: value };
      }),
    ),
    {
      key: FINISHER,
      name: FINISHER,
      trigger: 'achievement',
      achievements: MILESTONES.lessons.map((value) => milestoneKey('lessons', value)),
    },
    { key: BY_API, name: BY_API, trigger: 'api' },
  ],
  points: [
    xp([
      { type: 'user_creation', points: WELCOME_POINTS },
      perLesson(POINTS_PER_LESSON),
      { type: 'metric', metric: 'words', metricThreshold: WORDS_PER_AWARD, points: POINTS_PER_AWARD },
      { type: 'achievement', achievement: FINISHER, points: FINISHER_POINTS },
      { type: 'achievement', achievement: BY_API, points: BY_API_POINTS },
    ]),
    {
      key: 'energy',
      name: 'Energy',
      maxPoints: ENERGY_MAX,
      triggers: [perLesson(7), { type: 'metric', metric: 'minutes', metricThreshold: 2, points: -3 }],
    },
  ],
  leaderboards: [
    ...METRICS.map((metric) => ({
      key: boardKey(metric),
      name: metric,
      rankBy: 'metric',
      metric,
      start: '2020-01-01',
      runUnit: 'year',
      runInterval: 1,
    })),
    xpBoard('xp', { name: 'XP' }),
  ],
};
