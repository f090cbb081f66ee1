import { describe, expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { exportConfig } from '../../src/admin/files/exportConfig.ts';
import { ConfigFileError, parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { GOALS_MAX } from '../../src/base/challengeLimits.ts';
import { type ConfigFile, ConfigFileSchema } from '../../src/contract/configured/configFile.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { item, items, metricBoard, perLesson, WEEKLY, xp } from '../support/items.ts';

/** The bounds and defaults that the schema documents are those that a file meets when it is applied. */

const NOW = Date.parse('2026-11-18T12:00:00Z');
const city = { city: 'berlin' };
const device = { device: 'phone' };
const BRANDING = {
  appName: 'Acme',
  appUrl: 'https://example.com',
  brandColor: '#2f5d9e',
  logo: { url: 'https://example.com/logo.png' },
  appIcon: { url: 'https://example.com/icon.png' },
  address: '1 Main Street',
};
const long = { description: 'Text', badge: { url: 'https://example.com/badge.png' } };

/** A file with every field that has bounds. */
const FULL = {
  attributes: { user: items('city'), event: items('device') },
  metrics: [
    {
      key: 'lessons',
      name: 'Lessons',
      units: 'lessons',
      guards: {
        maxValue: 10,
        cooldownSeconds: 20,
        limits: [
          { per: 'hour', events: 30 },
          { per: 'day', value: 100 },
        ],
      },
    },
    { key: 'minutes', name: 'Minutes', guards: { minValue: 1 } },
  ],
  streak: {
    daysOff: [6],
    metrics: [{ key: 'lessons', threshold: 1 }],
    freezes: { startCount: 1, maxCount: 100, autoEarnInterval: 7, autoEarnAmount: 1 },
  },
  achievements: [
    {
      key: 'ten',
      name: 'Ten',
      trigger: 'metric',
      metric: 'lessons',
      metricValue: 10,
      ...long,
      userAttributes: city,
      eventAttributes: device,
    },
    item('week', { trigger: 'streak', streakLength: 7 }),
    item('year', { trigger: 'anniversary', anniversaryYears: 1 }),
  ],
  points: [
    {
      key: 'xp',
      name: 'XP',
      maxPoints: 100,
      ...long,
      levels: [{ key: 'bronze', name: 'Bronze', points: 50, ...long }],
      triggers: [
        perLesson(10, { userAttributes: city, eventAttributes: device }),
        { type: 'streak', streakLength: 7, points: 10 },
        { type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 },
      ],
      boosts: [
        {
          name: 'Double',
          start: '2026-12-01',
          end: '2026-12-31',
          multiplier: 2,
          userId: 'ada',
          userAttributes: city,
        },
      ],
    },
  ],
  leaderboards: [
    metricBoard('weekly', {
      description: 'Text',
      maxParticipants: 1_000,
      start: '2026-11-16',
      end: '2027-11-16',
      startTime: '08:00',
      endTime: '20:00',
      ...WEEKLY,
      rewards: [{ from: 1, to: 3, points: { system: 'xp', amount: 50 } }],
    }),
    {
      key: 'league',
      name: 'League',
      rankBy: 'metric',
      metric: 'lessons',
      runUnit: 'day',
      runInterval: 7,
      rewards: [{ tier: 'silver', promoted: true, points: { system: 'xp', amount: 10 } }],
      league: {
        groupSize: 30,
        tiers: [item('bronze', { promote: 10 }), item('silver', { demote: 5 })],
      },
    },
  ],
  challenges: [
    item('quests', {
      ...long,
      start: '2026-11-16',
      end: '2027-11-16',
      runUnit: 'week',
      runInterval: 1,
      goals: Array.from({ length: GOALS_MAX }, (_, i) =>
        item(`goal-${i}`, { metric: 'lessons', target: 10, eventAttributes: device }),
      ),
      complete: 'any',
      pick: 1,
      claim: 'manual',
      claimDays: 7,
      rewards: {
        points: [{ system: 'xp', points: 50 }],
        freezes: 1,
        boost: { system: 'xp', multiplier: 2, hours: 24 },
      },
    }),
  ],
  webhooks: [
    {
      name: 'Backend',
      url: 'https://example.com/hook',
      events: ['points.changed'],
      secret: `whsec_${'a'.repeat(32)}`,
    },
  ],
  templates: [
    {
      name: 'Recap',
      type: 'recap',
      channel: 'email',
      subject: 'Your week',
      body: '<p>Well done</p>',
      variants: [
        { key: 'warm', share: 1, subject: 'Your good week', body: '<p>Good</p>' },
        { key: 'short', share: 9, body: '<p>Week</p>' },
      ],
      userAttributes: city,
    },
    { name: 'Ending', type: 'challenge_ending', channel: 'push', hoursBefore: 4 },
  ],
  settings: {
    experimentation: { controlRatio: 10, userActivationWindow: 7 },
    idempotencyWindowSeconds: 60,
    lateEvents: { maxAgeSeconds: 3_600 },
    defaultTimeZone: 'Europe/Berlin',
    branding: BRANDING,
  },
};

type Json = Record<string, unknown>;
type Steps = (string | number)[];
interface Schema extends Json {
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
}

/** Every value of the file with its path and its schema. */
function leaves(schema: Schema, value: unknown, steps: Steps = []): { schema: Schema; steps: Steps }[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => leaves(schema.items!, item, [...steps, index]));
  if (typeof value !== 'object') return [{ schema, steps }];
  const childOf = (name: string): Schema =>
    schema.properties?.[name] ?? Object.values(schema.patternProperties ?? {})[0]!;
  return Object.entries(value!).flatMap(([name, child]) => leaves(childOf(name), child, [...steps, name]));
}

const pathOf = (steps: Steps): string =>
  steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);

/** Such a text, unless the schema asks for more than a length. */
const textOf = (chars: number, { format }: Schema) => (format === undefined ? 'a'.repeat(chars) : undefined);

/** Values just within and just beyond each bound of a schema. */
const BOUNDS: Record<string, (limit: never, schema: Schema) => { within?: unknown; beyond: unknown }> = {
  minimum: (limit: number) => ({ within: limit, beyond: limit - 1 }),
  maximum: (limit: number) => ({ within: limit, beyond: limit < 2 ? limit + 0.1 : limit + 1 }),
  exclusiveMinimum: (limit: number) => ({ beyond: limit }),
  exclusiveMaximum: (limit: number) => ({ beyond: limit }),
  not: ({ const: excluded }: { const: number }) => ({ beyond: excluded }),
  minLength: (limit: number, schema) => ({ within: textOf(limit, schema), beyond: '' }),
  maxLength: (limit: number, schema) => ({ within: textOf(limit, schema), beyond: 'a'.repeat(limit + 1) }),
  pattern: () => ({ beyond: '?' }),
  format: () => ({ beyond: '?' }),
};

const cases = leaves(ConfigFileSchema as unknown as Schema, FULL).flatMap(({ schema, steps }) =>
  Object.entries(schema)
    .filter(([keyword]) => keyword in BOUNDS)
    .map(([keyword, limit]) => ({
      path: pathOf(steps),
      steps,
      keyword,
      ...BOUNDS[keyword]!(limit as never, schema),
    })),
);

function withValue(steps: Steps, value: unknown): Json {
  const file = structuredClone(FULL) as unknown as Json;
  const parent = steps.slice(0, -1).reduce((node, step) => node[step] as Json, file);
  parent[steps.at(-1)!] = value;
  return file;
}

function issuesAt(path: string, file: Json): string[] {
  const messages = (issues: { path: string; message: string }[]): string[] =>
    // A filter that is refused as a whole is named without the attribute.
    issues.filter((issue) => issue.path !== '' && path.startsWith(issue.path)).map(({ message }) => message);
  try {
    return messages(planConfig(emptyConfig(1), parseConfigFile(JSON.stringify(file), 'test'), NOW).issues);
  } catch (error) {
    if (error instanceof ConfigFileError) return messages(error.issues);
    throw error;
  }
}

/** Paths of the schema, without indexes, that have a bound. */
function boundedPaths(schema: Schema, path = ''): string[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, child]) =>
      boundedPaths(child, `${path}.${name}`),
    );
  }
  if (schema.items !== undefined) return boundedPaths(schema.items, path);
  return Object.keys(schema).some((keyword) => keyword in BOUNDS) ? [path.slice(1)] : [];
}

describe('the bounds that the schema documents', () => {
  test('are all tried here', () => {
    const tried = new Set(cases.map(({ path }) => path.replace(/\[\d+\]/g, '')));
    expect(boundedPaths(ConfigFileSchema as unknown as Schema).filter((path) => !tried.has(path))).toEqual(
      [],
    );
  });

  test.each(cases)('$path: $keyword is enforced', ({ path, steps, within, beyond }) => {
    expect(issuesAt(path, withValue(steps, beyond))).not.toEqual([]);
    if (within !== undefined) expect(issuesAt(path, withValue(steps, within))).toEqual([]);
  });
});

/** Values of all fields with a default, by path. */
function defaultsIn(schema: Schema, path = ''): [path: string, value: unknown][] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, child]) => defaultsIn(child, `${path}.${name}`));
  }
  if (schema.items !== undefined) return defaultsIn(schema.items, path);
  return 'default' in schema ? [[path.slice(1), schema.default]] : [];
}

const MINIMAL = {
  attributes: { user: [{ key: 'plan', name: 'Plan' }], event: [{ key: 'device', name: 'Device' }] },
  metrics: [{ key: 'lessons', name: 'Lessons', guards: { minValue: 1 } }],
  streak: { metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [item('done', { trigger: 'api' })],
  points: [
    xp([{ type: 'user_creation', points: 1 }], {
      levels: [item('one', { points: 1 })],
      boosts: [{ name: 'Double', start: '2026-01-01', multiplier: 2 }],
    }),
  ],
  leaderboards: [{ key: 'board', name: 'Board', rankBy: 'metric', metric: 'lessons' }],
  challenges: [item('quest', { goals: [item('one', { metric: 'lessons', target: 1 })] })],
  webhooks: [{ name: 'Backend', url: 'https://example.com/hook', events: ['points.changed'] }],
  templates: [{ name: 'Recap', type: 'recap', channel: 'email' }],
  settings: {},
} satisfies ConfigFile;

test('fields that a file leaves out get the defaults that the schema documents', () => {
  const { config, issues } = planConfig(emptyConfig(1), MINIMAL as ConfigFile, NOW);
  expect(issues).toEqual([]);
  const exported = exportConfig(config, NOW);
  const valueAt = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((node, name) => ((Array.isArray(node) ? node[0] : node) as Json)[name], exported);
  const defaults = defaultsIn(ConfigFileSchema as unknown as Schema);
  expect(defaults.length).toBeGreaterThan(15);
  // The export leaves out flags that are false.
  expect(defaults.map(([path]) => [path, valueAt(path) ?? false])).toEqual(defaults);
});
