import type { Config, NotificationTemplate } from '../rules/config.ts';

/** What templates may name. */

export interface TemplateVariables {
  user: {
    id: string;
    name: string | null;
    email: string | null;
    tz: string | null;
    attributes: Record<string, string>;
  };
  streak: { length: number; frequency: string; expires: string | null };
  /** Totals by the keys of metrics and of points systems. */
  metrics: Record<string, number>;
  points: Record<string, number>;
  /** In `achievement_completed` only. */
  achievement?: { key: string; name: string; description: string | null; badgeUrl: string | null };
}

/** Any key may stand in an empty object. */
const SAMPLE: TemplateVariables = {
  user: { id: 'sample', name: 'Ada Lovelace', email: 'ada@example.com', tz: 'Europe/London', attributes: {} },
  streak: { length: 7, frequency: 'daily', expires: '2026-12-24' },
  metrics: {},
  points: {},
};
const SAMPLE_ACHIEVEMENT: TemplateVariables['achievement'] = {
  key: 'sample',
  name: 'Sample achievement',
  description: 'What has to be done for it',
  badgeUrl: 'https://example.com/badge.png',
};

/** The variables of templates of a type, with sample values. */
export function variablesOf(type: NotificationTemplate['type']): TemplateVariables {
  return type === 'achievement_completed' ? { ...SAMPLE, achievement: SAMPLE_ACHIEVEMENT! } : SAMPLE;
}

const SAMPLE_TOTAL = 100;

/** The same with every key that is configured: what stands in a preview where nobody says. */
export function sampleOf(type: NotificationTemplate['type'], config: Config): TemplateVariables {
  const variables = variablesOf(type);
  const fill = <T>(entities: { key: string }[], value: T): Record<string, T> =>
    Object.fromEntries(entities.map(({ key }) => [key, value]));
  const ofUsers = config.attributes.filter((attribute) => attribute.type === 'user');
  return {
    ...variables,
    user: { ...variables.user, attributes: fill(ofUsers, 'sample') },
    metrics: fill(config.metrics, SAMPLE_TOTAL),
    points: fill(config.pointsSystems, SAMPLE_TOTAL),
  };
}

/** `user.id, user.name, …`: what a template may name, to be listed. */
export function namesOf(variables: object, prefix = ''): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0
      ? namesOf(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

/** Whether the way that a template takes through the variables, `['user', 'name']`, leads to one. */
export function hasVariable(variables: object, segments: readonly unknown[]): boolean {
  const [first, ...rest] = segments;
  // Of what is named by another variable, only the rendering knows.
  if (first === undefined || Array.isArray(first) || Object.keys(variables).length === 0) return true;
  const value = (variables as Record<string, unknown>)[String(first)];
  if (value === undefined) return false;
  return typeof value === 'object' && value !== null ? hasVariable(value, rest) : true;
}
