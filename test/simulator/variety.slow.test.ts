import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { ConfigFileSchema } from '../../src/contract/configured/configFile.ts';
import { TIMELINE_KINDS } from '../../src/contract/timeline.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { API_ACHIEVEMENTS, METRICS } from '../support/randomConfig.ts';
import type { EventOperation } from '../support/randomOperations.ts';
import { KINDS_COMPARED, KINDS_NOT_COMPARED } from './expected/timeline.ts';
import { runWorld } from './runWorld.ts';
import { drawWorld, type Step } from './world.ts';

/** What the simulator leaves out is named here with the reason: nothing is forgotten. */

const WORLDS = 600;

/** What conditions ask of events; those of challenges ask of users only. */
const ASKED_OF_EVENTS = [
  ...['attribute', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'exists'],
  ...['value', 'weekday', 'localTime'],
];

/** Fields of a configuration that no world varies, with all fields below them. */
const SAME_IN_ALL_WORLDS: Record<string, string> = {
  webhooks: 'worlds create webhooks by the Admin API',
  templates: 'messages have tests of their own',
  'settings.branding': 'only messages show it',
  'settings.aggregationPeriod': 'only analytics use it',
  'settings.experimentation.userActivationWindow': 'only analytics use it',
  'settings.multiTenancy': 'worlds of two tenants set it',
  ...Object.fromEntries(
    ASKED_OF_EVENTS.map((field) => [`challenges[].where.${field}`, 'refused: it is no question of users']),
  ),
};

/** Operations of the Application API whose answers are not compared. */
const NOT_COMPARED: Record<string, string> = {
  queryLeaderboard: 'answered like getLeaderboard',
  watchLeaderboard: 'a stream; live.slow compares it with reads',
  listStreakRankings: 'streakReads.slow; imports of users compare the longest streak',
  getUserWrapped: 'wrapped.slow, year.slow',
};

/** Operations of the Admin API with timelines, exports and analytics whose answers are not compared. */
const FIGURES_NOT_COMPARED: Record<string, string> = {
  adminDeleteAnalytics: 'refused while there are users; analytics.slow',
  adminListAnomalies: 'a worker examines days; anomalies.test',
  adminListChallengeRuns: 'challengeRuns.slow; the progress of users is compared',
  adminGetTemplateVariants: 'no world has a template; templateVariants.test',
};
const FIGURES = [
  'adminGetUserTimeline',
  'adminExportUser',
  'adminListChallengeRuns',
  'adminGetTemplateVariants',
];

/** Of what users do; administrators have operations of their own. */
const ONE_OF_EACH: readonly Step[] = [
  { op: 'record' as const, events: METRICS.map((metric) => event(metric)) },
  { op: 'record' as const, events: [{ ...event('lessons'), others: { minutes: 5 } }] },
  ...(['PUT', 'POST', 'PATCH'] as const).map((by) => {
    return { op: 'identify' as const, userId: 'ann', profile: { name: by }, by };
  }),
  { op: 'prefer' as const, userId: 'ann', streak: { enabled: true }, isVisible: true },
  { op: 'complete' as const, userId: 'ann', profile: {}, achievement: API_ACHIEVEMENTS[0] },
  ...(['joined', 'left', 'claimed'] as const).map((step) => {
    return { op: 'challenge' as const, userId: 'ann', challenge: 0, step, isFormer: false };
  }),
].map((operation) => ({ pause: 1_000, operation }));

function event(metric: string): EventOperation {
  return { metric, request: { user: { id: 'ann' }, value: 1 }, key: null };
}

test('each field of a configuration differs between worlds, or is excused', () => {
  const values = new Map<string, Set<string>>();
  for (let seed = 1; seed <= WORLDS; seed++) collect(values, ConfigFileSchema, drawWorld(seed).file, '');
  const same = [...values.keys()].filter((path) => values.get(path)!.size < 2);
  const isOf = (path: string, excuse: string): boolean =>
    path === excuse || /^[.[]/.test(path.slice(excuse.length));
  const excuses = Object.keys(SAME_IN_ALL_WORLDS);
  expect(same.filter((path) => !excuses.some((excuse) => isOf(path, excuse)))).toEqual([]);
  expect(excuses.filter((excuse) => !same.some((path) => isOf(path, excuse)))).toEqual([]);
});

/** The values of each declared field, by its path as in `points[].levels[].points`. */
function collect(values: Map<string, Set<string>>, schema: TSchema, value: unknown, path: string): void {
  const { anyOf, items, properties } = schema as Partial<{
    anyOf: TSchema[];
    items: TSchema;
    properties: Record<string, TSchema>;
  }>;
  if (anyOf !== undefined) {
    for (const choice of anyOf) collect(values, choice, value, path);
  } else if (properties !== undefined) {
    const fields = (value ?? {}) as Record<string, unknown>;
    for (const [name, field] of Object.entries(properties))
      collect(values, field, fields[name], path === '' ? name : `${path}.${name}`);
  } else if (items !== undefined && hasFields(items)) {
    const list = Array.isArray(value) && value.length > 0 ? value : [undefined];
    for (const item of list) collect(values, items, item, `${path}[]`);
  } else {
    const seen = values.get(path) ?? new Set();
    values.set(path, seen.add(JSON.stringify(value) ?? ''));
  }
}

const hasFields = (schema: TSchema): boolean => 'properties' in schema || 'anyOf' in schema;

test('each operation of the Application API and of analytics is compared, or is excused', async () => {
  const { finding, compared } = await runWorld({ ...drawWorld(2), hasFigures: true }, { steps: ONE_OF_EACH });
  expect(finding).toBeNull();
  const missingOf = (routes: readonly { name: string }[]): string[] =>
    routes.flatMap(({ name }) => (compared.has(name) ? [] : name)).sort();
  expect(missingOf(APPLICATION_ROUTES)).toEqual(Object.keys(NOT_COMPARED).sort());
  const figures = ADMIN_ROUTES.filter(
    ({ name, operation }) => operation.tag === 'Analytics' || FIGURES.includes(name),
  );
  expect(missingOf(figures)).toEqual(Object.keys(FIGURES_NOT_COMPARED).sort());
});

test('each kind of a timeline is compared, or is excused', () => {
  const kinds = [...Object.keys(KINDS_COMPARED), ...Object.keys(KINDS_NOT_COMPARED)];
  expect(kinds.sort()).toEqual([...TIMELINE_KINDS].sort());
});
