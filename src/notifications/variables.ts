import type { NotificationType } from '../contract/preferences.ts';
import type { Config, RecapFrequency } from '../rules/config.ts';
import { type Branding, DEFAULT_SETTINGS } from '../rules/tenantSettings.ts';

/** The variables of templates. */

export interface ShownAchievement {
  key: string;
  name: string;
  description: string | null;
  badgeUrl: string | null;
}

export interface ShownTotal {
  key: string;
  name: string;
  /** Units of a metric; '' if it has none. */
  units: string;
  total: number;
}

export interface ShownChange extends ShownTotal {
  change: number;
  previous: number;
}

export interface Recap {
  frequency: RecapFrequency;
  /** day, week, month or year */
  unit: string;
  /** The period in words: `16 to 22 November 2026`. */
  title: string;
  /** YYYY-MM-DD, both inclusive. */
  periodStart: string;
  periodEnd: string;
  /** Metrics and points systems with activity in the period. */
  metrics: ShownChange[];
  points: ShownChange[];
  achievements: ShownAchievement[];
}

export interface ShownChallenge {
  key: string;
  name: string;
  description: string | null;
  badgeUrl: string | null;
  /** First and last day of the run, YYYY-MM-DD. */
  start: string;
  end: string;
  /** From the hour of the notification to the end of the run. */
  hoursLeft: number;
  goals: { key: string; name: string; progress: number; target: number; completed: boolean }[];
}

export interface UserVariables {
  user: {
    id: string;
    name: string | null;
    email: string | null;
    tz: string | null;
    attributes: Record<string, string>;
  };
  /** `unit` is day, week or month. */
  streak: { length: number; frequency: string; unit: string; expires: string | null };
  /** Totals by the keys of metrics and of points systems. */
  metrics: Record<string, number>;
  points: Record<string, number>;
  branding: Branding;
}

export interface NoticeVariables {
  /** In `achievement_completed`: the first one, and all of them. */
  achievement?: ShownAchievement;
  achievements?: ShownAchievement[];
  recap?: Recap;
  /** In `challenge_ending`. */
  challenge?: ShownChallenge;
  /** In `reactivation`; `totals` are those of metrics and points systems that are not 0. */
  reactivation?: { messageNumber: number; daysSinceLastActive: number };
  totals?: ShownTotal[];
}

export interface TemplateVariables extends UserVariables, NoticeVariables {
  /** URL of the page of the user's notification preferences; null if the service has no public URL. */
  preferencesUrl: string | null;
}

const SAMPLE_ACHIEVEMENT: ShownAchievement = {
  key: 'sample',
  name: 'Sample achievement',
  description: 'What has to be done for it',
  badgeUrl: null,
};
const SAMPLE_TOTAL: ShownTotal = { key: 'sample', name: 'Lessons', units: 'lessons', total: 100 };
const SAMPLE_CHANGE: ShownChange = { ...SAMPLE_TOTAL, change: 12, previous: 8 };

/** Sample values. An empty object stands for an object with any keys. */
const SAMPLE: TemplateVariables = {
  user: { id: 'sample', name: 'Ada Lovelace', email: 'ada@example.com', tz: 'Europe/London', attributes: {} },
  streak: { length: 7, frequency: 'daily', unit: 'day', expires: '2026-12-24' },
  metrics: {},
  points: {},
  branding: {
    ...DEFAULT_SETTINGS.branding,
    appName: 'Example',
    appUrl: 'https://example.com',
    logo: { url: 'https://example.com/logo.png' },
    appIcon: { url: 'https://example.com/icon.png' },
    address: 'Example Ltd, 1 Sample Street, London',
  },
  preferencesUrl: 'https://example.com/preferences',
};

const SAMPLE_NOTICES: Record<NotificationType, NoticeVariables> = {
  achievement_completed: { achievement: SAMPLE_ACHIEVEMENT, achievements: [SAMPLE_ACHIEVEMENT] },
  challenge_ending: {
    challenge: {
      key: 'sample',
      name: 'Sample challenge',
      description: 'What has to be done for it',
      badgeUrl: null,
      start: '2026-12-21',
      end: '2026-12-27',
      hoursLeft: 4,
      goals: [
        { key: 'lessons', name: 'Ten lessons', progress: 8, target: 10, completed: false },
        { key: 'days', name: 'On three days', progress: 3, target: 3, completed: true },
      ],
    },
  },
  message: {},
  streak_reminder: {},
  recap: {
    recap: {
      frequency: 'weekly',
      unit: 'week',
      title: '16 to 22 November 2026',
      periodStart: '2026-11-16',
      periodEnd: '2026-11-22',
      metrics: [SAMPLE_CHANGE],
      points: [{ ...SAMPLE_CHANGE, name: 'XP', units: '', change: 240 }],
      achievements: [SAMPLE_ACHIEVEMENT],
    },
  },
  reactivation: {
    reactivation: { messageNumber: 1, daysSinceLastActive: 3 },
    totals: [SAMPLE_TOTAL],
  },
};

/** The variables of templates of a type, with sample values. */
export function variablesOf(type: NotificationType): TemplateVariables {
  return { ...SAMPLE, ...SAMPLE_NOTICES[type] };
}

const SAMPLE_VALUE = 100;

/** Sample values with every configured key, for previews without given values. */
export function sampleOf(type: NotificationType, config: Config): TemplateVariables {
  const variables = variablesOf(type);
  const fill = <T>(entities: { key: string }[], value: T): Record<string, T> =>
    Object.fromEntries(entities.map(({ key }) => [key, value]));
  const ofUsers = config.attributes.filter((attribute) => attribute.type === 'user');
  const { branding } = config.settings;
  return {
    ...variables,
    user: { ...variables.user, attributes: fill(ofUsers, 'sample') },
    metrics: fill(config.metrics, SAMPLE_VALUE),
    points: fill(config.pointsSystems, SAMPLE_VALUE),
    branding:
      branding.appName === ''
        ? { ...variables.branding, logo: branding.logo, appIcon: branding.appIcon }
        : branding,
  };
}

/** Paths of all variables (`user.id`, `user.name`, …), for error messages. */
export function namesOf(variables: object, prefix = ''): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? namesOf(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

/** Whether a path in a template, such as `['user', 'name']`, leads to a variable. */
export function hasVariable(variables: object, segments: readonly unknown[]): boolean {
  const [first, ...rest] = segments;
  // Segments that are variables themselves, and items of lists, are known only when the template is rendered.
  if (first === undefined || Array.isArray(first) || Array.isArray(variables)) return true;
  if (Object.keys(variables).length === 0) return true;
  const value = (variables as Record<string, unknown>)[String(first)];
  if (value === undefined) return false;
  return typeof value === 'object' && value !== null ? hasVariable(value, rest) : true;
}
