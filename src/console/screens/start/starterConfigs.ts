import { addDays } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import type { Keyed, StarterConfig, TemplateFile } from './templateFile.ts';

/** Starter templates: configuration files and habits of their sample users. */

/** Activity of a sample user on an active day. */
interface Habit {
  metric: string;
  /** Share of the active days, 0 to 1. */
  chance: number;
  least: number;
  greatest: number;
  /** Values of an attribute of the events, of which each has one. */
  attribute?: { key: string; values: string[] };
}

export interface StarterTemplate {
  name: string;
  about: string;
  file: TemplateFile;
  /** In the order in which they happen on a day. */
  habits: Habit[];
  /** Values of the attributes of users, of which each user has one. */
  userAttributes?: Record<string, string[]>;
}

/** Put in by the build (vite.config.ts). */
declare const __TEMPLATES__: Record<'language' | 'fitness' | 'community' | 'energy', TemplateFile>;

const habit = (
  metric: string,
  chance: number,
  least: number,
  greatest: number,
  attribute?: Habit['attribute'],
): Habit => ({ metric, chance, least, greatest, attribute });

export const TEMPLATES: StarterTemplate[] = [
  {
    name: t('Language'),
    about: t(
      'Lessons, a daily streak with freezes, XP with levels, daily quests, a weekly league and rankings by city.',
    ),
    file: __TEMPLATES__.language,
    habits: [
      habit('lessons', 0.95, 1, 3, {
        key: 'skill',
        values: ['listening', 'reading', 'speaking', 'writing'],
      }),
      habit('words', 0.6, 5, 30),
    ],
    userAttributes: { city: ['berlin', 'lisbon', 'oslo'], plan: ['free', 'free', 'premium'] },
  },
  {
    name: t('Fitness'),
    about: t(
      'Workouts and distance, a streak of three workouts a week, effort points, an active week and a league.',
    ),
    file: __TEMPLATES__.fitness,
    habits: [
      habit('workouts', 0.9, 1, 1, { key: 'kind', values: ['run', 'ride', 'swim', 'yoga'] }),
      habit('active-minutes', 0.9, 15, 70),
      habit('distance', 0.5, 2, 12),
    ],
  },
  {
    name: t('Community'),
    about: t(
      'Posts, answers and thanks, a streak on working days, reputation with levels, a helpers’ league.',
    ),
    file: __TEMPLATES__.community,
    habits: [
      habit('posts', 0.6, 1, 2, { key: 'topic', values: ['news', 'questions', 'projects'] }),
      habit('answers', 0.7, 1, 6),
      habit('thanks', 0.5, 1, 8),
    ],
  },
  {
    name: t('Energy game'),
    about: t(
      'Matches that cost energy, which regenerates. Trophies with levels, daily missions, a weekly league.',
    ),
    file: __TEMPLATES__.energy,
    // Energy of the past does not regenerate, because time triggers count from the configuration on.
    habits: [habit('refills', 1, 1, 1), habit('matches', 0.95, 2, 4), habit('wins', 0.7, 1, 2)],
  },
];

/** A boost of two days in the past, so that the sample days have one. */
const BOOST = { name: 'Double weekend', multiplier: 2 };
const BOOST_DAYS_AGO = [9, 8] as const;

/** @throws Error if the server does not answer */
export async function readConfig({ file }: StarterTemplate): Promise<StarterConfig> {
  const response = await fetch(file.path);
  if (!response.ok) throw new Error(t('The template could not be read.'));
  return response.json();
}

/** The configuration, with a boost of the first points system in the days before `today`. */
export async function configAsOf(template: StarterTemplate, today: string): Promise<StarterConfig> {
  const config = await readConfig(template);
  const [start, end] = BOOST_DAYS_AGO.map((daysAgo) => addDays(today, -daysAgo));
  const points = config.points.map((system, i) =>
    i === 0 ? { ...system, boosts: [...(system.boosts ?? []), { ...BOOST, start, end }] } : system,
  );
  return { ...config, points };
}

/** The template whose metrics are all configured; undefined if there is none. */
export const templateOf = (metrics: readonly Keyed[]): StarterTemplate | undefined =>
  TEMPLATES.find(({ file }) => file.metrics.every((key) => metrics.some((metric) => metric.key === key)));

type ConfigFile = Partial<StarterConfig>;

const without = <T extends Keyed>(items: readonly T[] = [], removed: readonly Keyed[] = []): T[] =>
  items.filter(({ key }) => !removed.some((item) => item.key === key));

/**
 * The lists of a configuration without the items of a template, to be applied with `prune`. Streaks are
 * turned off if they depend on a metric of the template.
 */
export function withoutTemplate(
  { attributes, metrics, achievements, points, leaderboards, challenges, templates, streak }: ConfigFile,
  template: StarterConfig,
): object {
  const isKept = without(streak?.metrics, template.metrics).length === (streak?.metrics ?? []).length;
  const names = template.templates?.map(({ name }) => name) ?? [];
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
    templates: (templates ?? []).filter(({ name }) => !names.includes(name)),
    ...(!isKept && { streak: { enabled: false, metrics: [] } }),
  };
}
