import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import {
  ConfigFileError,
  parseConfigFile,
  readConfigText,
  withFaults,
} from '../../src/admin/files/readConfigFile.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { type Config, emptyConfig } from '../../src/rules/config.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { DEFAULT_SETTINGS } from '../../src/rules/tenantSettings.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');

const BASE = `
attributes: { user: [{ key: city, name: City }], event: [{ key: device, name: Device }] }
metrics: [{ key: lessons, name: Lessons }, { key: minutes, name: Minutes }]
achievements:
  - { key: first, name: First, trigger: metric, metric: lessons, metricValue: 1 }
  - { key: master, name: Master, trigger: achievement, achievements: [first] }
points: [{ key: xp, name: XP }]
leaderboards: [{ key: board, name: Board, rankBy: metric, metric: lessons }]
`;

/** The configuration after a file that must be right. */
function applied(text: string, current: Config = emptyConfig(1), now = NOW): Config {
  const plan = planConfig(current, parseConfigFile(text, 'test'), now);
  expect(plan.issues).toEqual([]);
  return plan.config;
}

function issuesOf(text: string, current: Config, now = NOW): { path: string; message: string }[] {
  try {
    return planConfig(current, parseConfigFile(text, 'test'), now).issues;
  } catch (error) {
    if (error instanceof ConfigFileError) return error.issues;
    throw error;
  }
}

function pathsOf(text: string, current: Config, now = NOW): string[] {
  return issuesOf(text, current, now).map((issue) => issue.path);
}

const base = applied(BASE);

/** Files over the base configuration, and the paths they must be refused at. */
const bad: [name: string, text: string, paths: string[]][] = [
  ['a list instead of a file', '[]', ['']],
  ['unknown sections', 'metric: []\nextra: 1', ['metric', 'extra']],
  [
    'unknown fields at any depth',
    'points: [{ key: a, name: A, levels: [{ key: b, name: B, points: 1, point: 2 }] }]',
    ['points[0].levels[0].point'],
  ],
  ['missing fields', 'metrics: [{}, { key: a }]', ['metrics[0].key', 'metrics[0].name', 'metrics[1].name']],
  [
    'wrong types',
    'metrics: [{ key: 1, name: [] }]\nsettings: { multiTenancy: "no" }',
    ['metrics[0].key', 'metrics[0].name', 'settings.multiTenancy'],
  ],
  [
    'not finite',
    'settings: { experimentation: { controlRatio: .nan } }',
    ['settings.experimentation.controlRatio'],
  ],
  [
    'choices',
    'achievements: [{ key: a, name: A, trigger: event, status: on }]',
    ['achievements[0].trigger', 'achievements[0].status'],
  ],
  [
    'more than eight errors',
    `metrics: [${'{}, '.repeat(9)}{}]`,
    [...Array.from({ length: 10 }, (_, i) => [`metrics[${i}].key`, `metrics[${i}].name`]).flat()],
  ],
  [
    'an empty value in a filter',
    'achievements: [{ key: a, name: A, trigger: api, userAttributes: { city: "" } }]',
    ['achievements[0].userAttributes.city'],
  ],

  [
    'keys',
    'metrics: [{ key: a b, name: A }, { key: "", name: B }, { key: ü, name: C }]',
    ['metrics[0].key', 'metrics[1].key', 'metrics[2].key'],
  ],
  [
    'names',
    'metrics: [{ key: a, name: " " }, { key: b, name: "x\\0" }]',
    ['metrics[0].name', 'metrics[1].name'],
  ],
  [
    'repeated keys, also of stored entities',
    'metrics: [{ key: lessons, name: A }, { key: x, name: X }, { key: lessons, name: B }, { key: x, name: X }]',
    ['metrics[2].key', 'metrics[3].key'],
  ],
  [
    'repeated attribute keys of one type',
    'attributes: { user: [{ key: a, name: A }, { key: a, name: B }], event: [{ key: a, name: A }] }',
    ['attributes.user[1].key'],
  ],

  [
    'unknown references',
    `
streak: { metrics: [{ key: x, threshold: 1 }] }
achievements:
  - { key: a, name: A, trigger: metric, metric: x, metricValue: 1, userAttributes: { device: ios }, eventAttributes: { city: b } }
  - { key: b, name: B, trigger: achievement, achievements: [first, x] }
points:
  - key: p
    name: P
    triggers: [{ type: metric, metric: x, metricThreshold: 1, points: 1 }, { type: achievement, achievement: x, points: 1 }]
    boosts: [{ name: B, start: 2026-11-18, multiplier: 2, userAttributes: { x: y } }]
leaderboards:
  - { key: a, name: A, rankBy: metric, metric: x }
  - { key: b, name: B, rankBy: points, points: x, breakdownAttributes: [city, device] }`,
    [
      'achievements[0].metric',
      'achievements[0].userAttributes.device',
      'achievements[0].eventAttributes.city',
      'achievements[1].achievements[1]',
      'points[0].triggers[0].metric',
      'points[0].triggers[1].achievement',
      'points[0].boosts[0].userAttributes.x',
      'leaderboards[0].metric',
      'leaderboards[1].points',
      'leaderboards[1].breakdownAttributes[1]',
      'streak.metrics[0].key',
    ],
  ],

  [
    'achievement: fields that its trigger needs',
    `
achievements:
  - { key: a, name: A, trigger: metric }
  - { key: b, name: B, trigger: streak }
  - { key: c, name: C, trigger: achievement }`,
    [
      'achievements[0].metric',
      'achievements[0].metricValue',
      'achievements[1].streakLength',
      'achievements[2].achievements',
    ],
  ],
  [
    'achievement: fields of other triggers',
    `
achievements:
  - { key: a, name: A, trigger: metric, metric: lessons, metricValue: 1, streakLength: 1, achievements: [first] }
  - { key: b, name: B, trigger: streak, streakLength: 1, metric: lessons, metricValue: 1, eventAttributes: { device: ios } }
  - { key: c, name: C, trigger: api, metricValue: 1 }`,
    [
      'achievements[0].streakLength',
      'achievements[0].achievements',
      'achievements[1].metric',
      'achievements[1].metricValue',
      'achievements[1].eventAttributes',
      'achievements[2].metricValue',
    ],
  ],
  [
    'achievement: values',
    `
achievements:
  - { key: a, name: A, trigger: metric, metric: lessons, metricValue: 0 }
  - { key: b, name: B, trigger: streak, streakLength: 1.5 }
  - { key: c, name: C, trigger: streak, streakLength: 0 }`,
    ['achievements[0].metricValue', 'achievements[1].streakLength', 'achievements[2].streakLength'],
  ],
  [
    'achievement: requires itself',
    'achievements: [{ key: a, name: A, trigger: achievement, achievements: [a] }]',
    ['achievements[0].achievements'],
  ],
  [
    'achievement: a circle in the file, and one that only leads to it',
    `
achievements:
  - { key: a, name: A, trigger: achievement, achievements: [b] }
  - { key: b, name: B, trigger: achievement, achievements: [c] }
  - { key: c, name: C, trigger: achievement, achievements: [first, b] }`,
    ['achievements[1].achievements', 'achievements[2].achievements'],
  ],

  [
    'points system',
    'points: [{ key: a, name: A, maxPoints: 0 }, { key: b, name: B, maxPoints: 1.5 }]',
    ['points[0].maxPoints', 'points[1].maxPoints'],
  ],
  [
    'levels',
    `
points:
  - key: xp
    name: XP
    levels:
      - { key: a, name: A, points: 0 }
      - { key: b, name: B, points: 0 }
      - { key: a, name: C, points: 5 }
      - { key: d, name: D, points: -1 }
      - { key: e, name: E, points: 0.5 }`,
    [
      'points[0].levels[2].key',
      'points[0].levels[1].points',
      'points[0].levels[3].points',
      'points[0].levels[4].points',
    ],
  ],
  [
    'triggers: fields',
    `
points:
  - key: xp
    name: XP
    triggers:
      - { type: metric, points: 1 }
      - { type: streak, points: 1 }
      - { type: achievement, points: 1 }
      - { type: time, points: 1 }
      - { type: user_creation, points: 1, metric: lessons, blockIfOutOfPoints: true }
      - { type: streak, streakLength: 1, points: 1, metricThreshold: 1, eventAttributes: { device: ios } }
      - { type: time, timeUnit: day, timeInterval: 1, points: 1, streakLength: 1, achievement: first }`,
    [
      'points[0].triggers[0].metric',
      'points[0].triggers[0].metricThreshold',
      'points[0].triggers[1].streakLength',
      'points[0].triggers[2].achievement',
      'points[0].triggers[3].timeUnit',
      'points[0].triggers[3].timeInterval',
      'points[0].triggers[4].metric',
      'points[0].triggers[4].blockIfOutOfPoints',
      'points[0].triggers[5].metricThreshold',
      'points[0].triggers[5].eventAttributes',
      'points[0].triggers[6].streakLength',
      'points[0].triggers[6].achievement',
    ],
  ],
  [
    'triggers: values',
    `
points:
  - key: xp
    name: XP
    triggers:
      - { type: user_creation, points: 0 }
      - { type: user_creation, points: 1.5 }
      - { type: metric, metric: lessons, metricThreshold: 0, points: 1 }
      - { type: streak, streakLength: 0, points: 1 }
      - { type: time, timeUnit: hour, timeInterval: 0.5, points: 1 }`,
    [
      'points[0].triggers[0].points',
      'points[0].triggers[1].points',
      'points[0].triggers[2].metricThreshold',
      'points[0].triggers[3].streakLength',
      'points[0].triggers[4].timeInterval',
    ],
  ],
  [
    'boosts',
    `
points:
  - key: xp
    name: XP
    boosts:
      - { name: A, start: 2026-02-30, end: 2026-13-01, multiplier: 0 }
      - { name: B, start: 2026-11-18, end: 2026-11-17, multiplier: 1 }
      - { name: C, start: 2026-11-18, multiplier: 100, userId: "" }`,
    [
      'points[0].boosts[0].start',
      'points[0].boosts[0].end',
      'points[0].boosts[0].multiplier',
      'points[0].boosts[1].end',
      'points[0].boosts[1].multiplier',
      'points[0].boosts[2].multiplier',
      'points[0].boosts[2].userId',
    ],
  ],

  [
    'leaderboards: what is ranked',
    `
leaderboards:
  - { key: a, name: A, rankBy: metric }
  - { key: b, name: B, rankBy: points, metric: lessons }
  - { key: c, name: C, rankBy: streak, points: xp, metric: lessons }`,
    [
      'leaderboards[0].metric',
      'leaderboards[1].points',
      'leaderboards[1].metric',
      'leaderboards[2].metric',
      'leaderboards[2].points',
    ],
  ],
  [
    'leaderboards: runs',
    `
leaderboards:
  - { key: a, name: A, rankBy: metric, metric: lessons, runUnit: day }
  - { key: b, name: B, rankBy: metric, metric: lessons, runInterval: 1 }
  - { key: c, name: C, rankBy: metric, metric: lessons, runUnit: day, runInterval: 0 }
  - { key: d, name: D, rankBy: streak, runUnit: day, runInterval: 7 }`,
    [
      'leaderboards[0].runInterval',
      'leaderboards[1].runUnit',
      'leaderboards[2].runInterval',
      'leaderboards[3].runUnit',
      'leaderboards[3].runInterval',
    ],
  ],
  [
    'leaderboards: order of scores',
    `
leaderboards:
  - { key: a, name: A, rankBy: metric, metric: lessons, sortOrder: asc }
  - { key: b, name: B, rankBy: points, points: xp, aggregation: best }
  - { key: c, name: C, rankBy: streak, aggregation: latest, ties: shared }
  - { key: d, name: D, rankBy: points, points: xp, eventAttributes: { device: ios } }
  - { key: e, name: E, rankBy: metric, metric: lessons, eventAttributes: { city: rome } }`,
    [
      'leaderboards[4].eventAttributes.city',
      'leaderboards[0].sortOrder',
      'leaderboards[1].aggregation',
      'leaderboards[2].aggregation',
      'leaderboards[3].eventAttributes',
    ],
  ],
  [
    'leaderboards: values of the order',
    `
leaderboards:
  - { key: a, name: A, rankBy: metric, metric: lessons, sortOrder: up, aggregation: average, ties: split }`,
    ['leaderboards[0].sortOrder', 'leaderboards[0].aggregation', 'leaderboards[0].ties'],
  ],
  [
    'leaderboards: unit of runs',
    'leaderboards: [{ key: a, name: A, rankBy: streak, runUnit: hour, runInterval: 1 }]',
    ['leaderboards[0].runUnit'],
  ],
  [
    'leaderboards: values',
    `
leaderboards:
  - { key: a, name: A, rankBy: streak, maxParticipants: 0, breakdownAttributes: [city, city] }
  - { key: b, name: B, rankBy: streak, maxParticipants: 1001, start: 2026-11-31 }
  - { key: c, name: C, rankBy: streak, start: 2026-11-18, end: 2026-11-17, startTime: "24:00", endTime: 8:00 }
  - { key: d, name: D, rankBy: streak, startTime: 08:00, endTime: 08:00 }`,
    [
      'leaderboards[0].maxParticipants',
      'leaderboards[0].breakdownAttributes[1]',
      'leaderboards[1].maxParticipants',
      'leaderboards[1].start',
      'leaderboards[2].end',
      'leaderboards[2].startTime',
      'leaderboards[2].endTime',
      'leaderboards[3].endTime',
    ],
  ],
  [
    'leaderboards: status of a new one',
    `
leaderboards:
  - { key: a, name: A, rankBy: streak, status: active, start: 2026-11-19 }
  - { key: b, name: B, rankBy: streak, status: scheduled, start: 2026-11-18 }
  - { key: c, name: C, rankBy: streak, status: finished }`,
    ['leaderboards[0].status', 'leaderboards[1].status', 'leaderboards[2].status'],
  ],
  [
    'leaderboards: fixed once active',
    `
leaderboards:
  - { key: board, name: Board, rankBy: points, points: xp, start: 2026-11-01, runUnit: day, runInterval: 1, breakdownAttributes: [city] }`,
    [
      'leaderboards[0].rankBy',
      'leaderboards[0].metric',
      'leaderboards[0].points',
      'leaderboards[0].start',
      'leaderboards[0].runUnit',
      'leaderboards[0].runInterval',
      'leaderboards[0].breakdownAttributes',
    ],
  ],
  [
    'leaderboards: order fixed once active',
    `
leaderboards:
  - { key: board, name: Board, rankBy: metric, metric: lessons, aggregation: best, sortOrder: asc, ties: shared, eventAttributes: { device: ios } }`,
    [
      'leaderboards[0].sortOrder',
      'leaderboards[0].aggregation',
      'leaderboards[0].ties',
      'leaderboards[0].eventAttributes',
    ],
  ],
  [
    'leaderboards: active stays active',
    'leaderboards: [{ key: board, name: Board, rankBy: metric, metric: lessons, status: inactive }]',
    ['leaderboards[0].status'],
  ],

  ['streak without metrics', 'streak: { enabled: true }', ['streak.metrics']],
  [
    'streak',
    `
streak:
  metrics: [{ key: lessons, threshold: 0 }, { key: minutes, threshold: -1 }]
  freezes: { startCount: -1, maxCount: 101, autoEarnInterval: 0, autoEarnAmount: 1.5 }`,
    [
      'streak.metrics[0].threshold',
      'streak.metrics[1].threshold',
      'streak.freezes.startCount',
      'streak.freezes.maxCount',
      'streak.freezes.autoEarnInterval',
      'streak.freezes.autoEarnAmount',
    ],
  ],
  [
    'settings',
    'settings: { experimentation: { controlRatio: 101 }, idempotencyWindowSeconds: 0, defaultTimeZone: +03:00 }',
    [
      'settings.experimentation.controlRatio',
      'settings.idempotencyWindowSeconds',
      'settings.defaultTimeZone',
    ],
  ],
];

describe('an invalid file is refused with the position of', () => {
  test.each(bad)('%s', (_name, text, paths) => {
    expect(pathsOf(text, base).toSorted()).toEqual(paths.toSorted());
  });

  test('every syntax error', () => {
    const issues = issuesOf('a: 1\na: 2\nb: [\n', base);
    expect(issues).toHaveLength(2);
    expect(issues[0]).toEqual({ path: '', message: 'line 2, column 1: the key a is there twice' });
    for (const text of ['a: *nothing', '? [a]\n: 1', 'a: !date 2026-01-01', 'a: 1\n---\nb: 2']) {
      expect(pathsOf(text, base)).toEqual(['']);
    }
  });

  test('a cycle through an achievement that the file does not list', () => {
    const text = 'achievements: [{ key: first, name: First, trigger: achievement, achievements: [master] }]';
    const current = structuredClone(base);
    Object.assign(current.achievements[0]!, { trigger: 'achievement', metricId: null, metricValue: null });
    expect(issuesOf(text, current)).toEqual([
      { path: 'achievements[0].achievements', message: 'must not be circular: first → master → first' },
    ]);
  });

  test('its errors only: a refused file changes nothing', () => {
    const plan = planConfig(
      base,
      parseConfigFile('metrics: [{ key: a, name: A }, { key: "?", name: B }]', 'test'),
      NOW,
    );
    expect(plan.config).toBe(base);
    expect(plan.changes).toEqual([]);
  });

  test('an invalid file is refused in terms of the file', () => {
    const error = new ConfigFileError('my.yaml', issuesOf('metrics: [{ key: a, name: 1 }]\nx: 1', base));
    expect(error.status).toBe(422);
    expect(error.message).toBe(
      'my.yaml is not a valid configuration:\n  metrics[0].name: must be a string\n  x: is not a known field',
    );
    expect(
      issuesOf(
        'leaderboards: [{ key: a, name: A, rankBy: metric, metric: x, breakdownAttributes: [device] }]',
        base,
      ),
    ).toEqual([
      { path: 'leaderboards[0].metric', message: 'there is no metric "x"' },
      {
        path: 'leaderboards[0].breakdownAttributes[0]',
        message: 'there is no user attribute "device" ("device" is an event attribute)',
      },
    ]);
  });
});

describe('a valid file', () => {
  test('may be JSON, and may not be empty', () => {
    for (const text of ['', '# nothing', 'null'])
      expect(() => parseConfigFile(text, 'test')).toThrow('the file is empty');
    expect(parseConfigFile('{}', 'test')).toEqual({});
    expect(parseConfigFile('{\n\t"metrics": [\n\t\t{"key": "a", "name": "A"}\n\t]\n}\n', 'test')).toEqual({
      metrics: [{ key: 'a', name: 'A' }],
    });
  });

  test('needs no quotes for dates and times', () => {
    const text =
      'leaderboards: [{ key: a, name: A, rankBy: streak, start: 2026-12-21, startTime: 08:00, endTime: 20:30:00 }]';
    expect(applied(text).leaderboards[0]).toMatchObject({
      start: '2026-12-21',
      startTime: '08:00',
      endTime: '20:30:00',
      status: 'scheduled',
    });
  });

  test('gets defaults for what it leaves out', () => {
    const config = applied(`${BASE}
streak: { metrics: [{ key: lessons, threshold: 2 }], freezes: { startCount: 0, maxCount: 3 } }
settings: { experimentation: { controlRatio: 50 }, branding: { appName: Sprachraum } }`);
    expect(config.metrics[0]).toMatchObject({ no: 1, unitType: 'number', units: '' });
    expect(config.achievements[0]).toMatchObject({
      description: null,
      badgeUrl: null,
      status: 'active',
      streakLength: null,
      achievementIds: [],
      created: '2026-11-18T12:00:00.000Z',
    });
    expect(config.leaderboards[0]).toMatchObject({
      status: 'active',
      start: '2026-11-18',
      end: null,
      maxParticipants: 1000,
      runUnit: null,
    });
    expect(config.streak).toEqual({
      enabled: true,
      frequency: 'daily',
      evaluationMode: 'AND',
      customizationEnabled: false,
      daysOff: [],
      metrics: [{ key: 'lessons', threshold: 2 }],
      freezes: { startCount: 0, maxCount: 3, autoEarnInterval: null, autoEarnAmount: null },
    });
    expect(config.settings).toEqual({
      aggregationPeriod: 'weekly',
      experimentation: { controlRatio: 50, userActivationWindow: 14 },
      lateEvents: { maxAgeSeconds: 172_800 },
      idempotencyWindowSeconds: null,
      defaultTimeZone: 'UTC',
      multiTenancy: false,
      branding: { ...DEFAULT_SETTINGS.branding, appName: 'Sprachraum' },
    });
  });

  test('accepts both spellings of time units, and null for no limit', () => {
    const config = applied(`
points:
  - key: energy
    name: Energy
    maxPoints: null
    triggers:
      - { type: time, timeUnit: hours, timeInterval: 1, points: 5 }
      - { type: time, timeUnit: day, timeInterval: 1, points: 5 }
leaderboards: [{ key: a, name: A, rankBy: streak, maxParticipants: null }]`);
    expect(config.pointsTriggers.map((trigger) => trigger.timeUnit)).toEqual(['hour', 'day']);
    expect(config.leaderboards[0]!.maxParticipants).toBe(1000);
  });

  test('derives one counter per metric and per filter in use', () => {
    const config = applied(`
attributes: { event: [{ key: device, name: Device }, { key: skill, name: Skill }] }
metrics: [{ key: lessons, name: Lessons }]
achievements:
  - { key: a, name: A, trigger: metric, metric: lessons, metricValue: 1, eventAttributes: { device: ios, skill: talk } }
  - { key: b, name: B, trigger: metric, metric: lessons, metricValue: 2, eventAttributes: { skill: talk, device: ios } }
points:
  - key: xp
    name: XP
    triggers:
      - { type: metric, metric: lessons, metricThreshold: 1, points: 1, eventAttributes: { device: ios } }
      - { type: metric, metric: lessons, metricThreshold: 1, points: 1 }`);
    expect(config.counters.map((counter) => [counter.no, counter.eventAttributes.length])).toEqual([
      [1, 0],
      [2, 2],
      [3, 1],
    ]);
    const attributeIds = config.counters[1]!.eventAttributes.map((pair) => pair.attributeId);
    expect(attributeIds).toEqual(attributeIds.toSorted());
  });
});

describe('leaderboards, applied again as time passes', () => {
  const file = 'leaderboards: [{ key: a, name: A, rankBy: streak, start: 2026-11-20, end: 2026-11-30 }]';
  const later = Date.parse('2026-12-05T00:00:00Z');
  const become = (config: Config, status: 'scheduled' | 'active' | 'finished'): Config => ({
    ...config,
    leaderboards: config.leaderboards.map((board) => ({ ...board, status })),
  });
  const scheduled = applied(file);
  const active = become(scheduled, 'active');
  const finished = become(scheduled, 'finished');

  test('a status that time has changed is no difference', () => {
    expect(scheduled.leaderboards[0]!.status).toBe('scheduled');
    for (const status of ['', ', status: scheduled', ', status: active']) {
      const text = file.replace(' }]', `${status} }]`);
      expect(applied(text, finished, later).leaderboards).toEqual(finished.leaderboards);
    }
    // Started some hours early, where the day begins before it does in UTC.
    expect(applied(file, active).leaderboards).toEqual(active.leaderboards);
  });

  test('a leaderboard whose start has come is left to the schedule and keeps its start', () => {
    for (const status of ['', ', status: scheduled', ', status: active', ', status: finished']) {
      const text = file.replace(' }]', `${status} }]`);
      expect(applied(text, scheduled, later).leaderboards).toEqual(scheduled.leaderboards);
      expect(applied(text, active, later).leaderboards).toEqual(active.leaderboards);
    }
    expect(applied(file.replace('start: 2026-11-20, ', ''), active, later).leaderboards[0]!.start).toBe(
      '2026-11-20',
    );
  });

  test('a finished leaderboard does not start again', () => {
    const longer = file.replace('2026-11-30', '2027-01-30');
    expect(pathsOf(longer, finished, later)).toEqual(['leaderboards[0].status', 'leaderboards[0].end']);
    expect(pathsOf(longer, active, later)).toEqual(['leaderboards[0].end']);
  });

  test('the end may be moved until it has passed, and not into the past', () => {
    const soon = Date.parse('2026-11-30T23:59:59Z');
    expect(applied(file.replace('11-30', '12-30'), active, soon).leaderboards[0]!.end).toBe('2026-12-30');
    expect(applied(file.replace(', end: 2026-11-30', ''), active, soon).leaderboards[0]!.end).toBeNull();
    expect(pathsOf(file.replace('11-30', '11-29'), active, soon)).toEqual(['leaderboards[0].end']);
  });

  test('what rankings depend on is fixed once the start date has begun anywhere', () => {
    const later = file.replace('start: 2026-11-20', 'start: 2026-11-22');
    expect(applied(later, scheduled, Date.parse('2026-11-19T09:59:59Z')).leaderboards[0]!.start).toBe(
      '2026-11-22',
    );
    expect(pathsOf(later, scheduled, Date.parse('2026-11-19T10:00:00Z'))).toEqual(['leaderboards[0].start']);
  });

  test('an inactive leaderboard may still change to any status', () => {
    const inactive = applied('leaderboards: [{ key: a, name: A, rankBy: streak, status: inactive }]');
    const repeating = `
metrics: [{ key: m, name: M }]
leaderboards: [{ key: a, name: A, rankBy: metric, metric: m, start: 2026-11-02, runUnit: month, runInterval: 1 }]`;
    expect(applied(repeating, inactive).leaderboards[0]).toMatchObject({
      no: 1,
      status: 'active',
      runUnit: 'month',
    });
  });
});

test('the demo: the first lesson of a new user completes, extends, awards and ranks', () => {
  const text = readFileSync(join(packageRoot(), 'demo', 'config.yaml'), 'utf8');
  const config = applied(text);
  const rules = new Rules(config).scriptRules({
    kind: 'event',
    metric: config.metrics.find((metric) => metric.key === 'lessons')!,
  });
  expect(rules.achievements.ofMetrics.some((item) => item.value === 1 && item.users === false)).toBe(true);
  expect(rules.streak.conditions).toEqual([{ metric: rules.metric, threshold: 1 }]);
  const xp = config.pointsSystems.find((system) => system.key === 'xp')!;
  const awards = rules.points.find((system) => system.no === xp.no)!.triggers;
  expect(awards.some((trigger) => trigger.on === 'metric' && trigger.threshold === 1 && !trigger.users)).toBe(
    true,
  );
  expect(rules.boards).toHaveLength(4);
  expect(new Set(config.achievements.map((item) => item.trigger)).size).toBe(4);
});

test('a file with thousands of faulty items is refused with its first faults', () => {
  const text = JSON.stringify({ metrics: Array.from({ length: 8_000 }, () => ({})) });
  const source = readConfigText(text, 'test');
  expect(source.faults.slice(0, 2).map(({ path, message }) => `${path} ${message}`)).toEqual([
    'metrics[0].key is required',
    'metrics[0].name is required',
  ]);
  const all = withFaults(source, planConfig(emptyConfig(1), source.file, 0).issues);
  expect(all.length).toBeLessThan(20_000);
});
