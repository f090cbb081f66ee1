/** Starter templates: configuration files and habits of their sample users. */

interface Keyed {
  key: string;
}

/** Sections of a configuration file that templates use. */
interface StarterConfig {
  attributes?: { user?: Keyed[]; event?: Keyed[] };
  metrics: (Keyed & { name: string })[];
  achievements: (Keyed & { name: string })[];
  points: (Keyed & { name: string })[];
  leaderboards: (Keyed & { name: string })[];
  challenges?: (Keyed & { name: string })[];
  streak?: { metrics: Keyed[] };
}

/** Activity of a sample user on an active day. */
interface Habit {
  metric: string;
  /** Share of the active days, 0 to 1. */
  chance: number;
  least: number;
  greatest: number;
}

export interface StarterTemplate {
  name: string;
  about: string;
  config: StarterConfig;
  habits: Habit[];
}

/** Put in by the build (vite.config.ts). */
declare const __TEMPLATES__: Record<'learning' | 'fitness' | 'shop' | 'saas', StarterConfig>;

const habit = (metric: string, chance: number, least: number, greatest: number): Habit => ({
  metric,
  chance,
  least,
  greatest,
});

export const TEMPLATES: StarterTemplate[] = [
  {
    name: 'Learning',
    about:
      'Lessons, a daily streak with freezes, XP with levels, daily quests, weekly and city leaderboards.',
    config: __TEMPLATES__.learning,
    habits: [habit('lessons', 0.95, 1, 3), habit('words', 0.6, 5, 30)],
  },
  {
    name: 'Fitness',
    about: 'Workouts and distance, a streak of three workouts a week, effort points with levels.',
    config: __TEMPLATES__.fitness,
    habits: [
      habit('workouts', 0.9, 1, 1),
      habit('active-minutes', 0.9, 15, 70),
      habit('distance', 0.5, 2, 12),
    ],
  },
  {
    name: 'Shop',
    about: 'Orders and reviews, coins for money spent, a streak of monthly orders.',
    config: __TEMPLATES__.shop,
    habits: [habit('orders', 0.25, 1, 2), habit('spent', 0.25, 12, 90), habit('reviews', 0.1, 1, 1)],
  },
  {
    name: 'SaaS',
    about: 'Tasks, comments and invitations, a streak on working days, karma points.',
    config: __TEMPLATES__.saas,
    habits: [habit('tasks', 0.95, 1, 6), habit('comments', 0.6, 1, 5), habit('invites', 0.03, 1, 1)],
  },
];

/** Number of items that a template configures. */
export const itemsOf = ({
  metrics,
  achievements,
  points,
  leaderboards,
  challenges = [],
}: StarterConfig): number =>
  [metrics, achievements, points, leaderboards, challenges].reduce((sum, { length }) => sum + length, 0);

/** The template whose metrics are all configured; undefined if there is none. */
export const templateOf = (metrics: readonly Keyed[]): StarterTemplate | undefined =>
  TEMPLATES.find(({ config }) =>
    config.metrics.every(({ key }) => metrics.some((metric) => metric.key === key)),
  );

type ConfigFile = Partial<StarterConfig>;

const without = <T extends Keyed>(items: readonly T[] = [], removed: readonly Keyed[] = []): T[] =>
  items.filter(({ key }) => !removed.some((item) => item.key === key));

/**
 * The lists of a configuration without the items of a template, to be applied with `prune`. Streaks are
 * turned off if they depend on a metric of the template.
 */
export function withoutTemplate(
  { attributes, metrics, achievements, points, leaderboards, challenges, streak }: ConfigFile,
  template: StarterConfig,
): object {
  const isKept = without(streak?.metrics, template.metrics).length === (streak?.metrics ?? []).length;
  return {
    attributes: {
      user: without(attributes?.user, template.attributes?.user),
      event: without(attributes?.event, template.attributes?.event),
    },
    metrics: without(metrics, template.metrics),
    achievements: without(achievements, template.achievements),
    points: without(points, template.points),
    leaderboards: without(leaderboards, template.leaderboards),
    challenges: without(challenges, template.challenges),
    ...(!isKept && { streak: { enabled: false, metrics: [] } }),
  };
}
