import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { exportConfig } from '../../src/admin/files/exportConfig.ts';
import { readEnv } from '../../src/base/env.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { Random } from '../support/random.ts';
import { randomConfig } from '../support/randomConfig.ts';
import { API_KEY } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer();
const { admin } = server;

describe('the configuration as a file', () => {
  test('changes nothing if it is applied as it was exported', async () => {
    const before = await admin('GET', '/config');
    expect(before.body.achievements.length).toBeGreaterThan(5);
    const { status, body } = await admin('PUT', '/config', before.body);
    expect([status, body.created, body.updated, body.deleted]).toEqual([200, [], [], []]);
    expect((await admin('GET', '/config')).body).toEqual(before.body);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'exports everything of random configuration %i',
    (seed) => {
      const start = DateTime.fromISO('2026-11-18T12:00:00Z', { zone: 'UTC' });
      const random = randomConfig(new Random(seed), start);
      const file = {
        ...random,
        achievements: random.achievements!.map((item) => ({ ...item, hidden: true })),
      };
      const { config, issues } = planConfig(emptyConfig(1), file, start.toMillis());
      expect(issues).toEqual([]);
      const again = planConfig(config, exportConfig(config, start.toMillis()), start.toMillis());
      expect([again.issues, again.changes, again.streak, again.settings]).toEqual([[], [], null, null]);
      // And makes the same of nothing.
      const copy = planConfig(emptyConfig(1), exportConfig(config, start.toMillis()), start.toMillis());
      expect(exportConfig(copy.config, start.toMillis())).toEqual(exportConfig(config, start.toMillis()));
    },
  );

  test('takes effect as a whole and at once, or is refused with a list of all errors', async () => {
    const wrong = await admin('PUT', '/config', {
      metrics: [{ key: 'steps', name: '' }],
      achievements: [{ key: 'walker', name: 'Walker', trigger: 'metric', metric: 'nothing', metricValue: 1 }],
    });
    expect(wrong.status).toBe(422);
    expect(wrong.body.error).toContain('metrics[0].name: must not be empty');
    expect(wrong.body.error).toContain('achievements[0].metric: there is no metric "nothing"');
    expect((await admin('PUT', '/config', { metric: [] })).body.error).toContain(
      'metric: is not a known field',
    );
    const { body } = await admin('PUT', '/config', { metrics: [{ key: 'steps', name: 'Steps' }] });
    expect(body.created).toEqual([{ kind: 'metrics', key: 'steps' }]);
    const event = await server.call('POST', '/v1/metrics/steps/event', { user: { id: 'ada' }, value: 3 });
    expect(event.body.total).toBe(3);
  });
});

describe('settings', () => {
  test('begin with those of the published shape and those of this installation', async () => {
    expect((await admin('GET', '/settings')).body).toEqual({
      branding: {
        appName: '',
        appUrl: '',
        brandColor: '#55702f',
        font: 'MODERN_SANS',
        logo: null,
        appIcon: null,
        address: null,
      },
      experimentation: { controlRatio: 0, userActivationWindow: 14 },
      lateEvents: { maxAgeSeconds: 172_800 },
      aggregationPeriod: 'weekly',
      idempotencyWindowSeconds: null,
      defaultTimeZone: 'UTC',
      multiTenancy: false,
    });
  });

  test('merge field by field; null clears images', async () => {
    const images = {
      logo: { url: 'https://example.com/logo.png' },
      appIcon: { url: 'https://example.com/icon.png' },
    };
    const branding = {
      appName: 'Sprache',
      appUrl: 'https://example.com',
      brandColor: '#abc',
      font: 'BOOK_SERIF',
    };
    const experimentation = { controlRatio: 100, userActivationWindow: 30 };
    await admin('PATCH', '/settings', { branding, experimentation, aggregationPeriod: 'monthly' });
    await admin('PATCH', '/settings', { branding: images });
    await admin('PATCH', '/settings', { experimentation: { controlRatio: 10 } });
    const { status, body } = await admin('PATCH', '/settings', { branding: { logo: null } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      branding: { ...branding, ...images, logo: null },
      experimentation: { ...experimentation, controlRatio: 10 },
      aggregationPeriod: 'monthly',
    });
  });

  test('change where they are passed', async () => {
    const before = (await admin('GET', '/settings')).body;
    const { status, body } = await admin('PATCH', '/settings', { defaultTimeZone: 'Asia/Tokyo' });
    expect([status, body]).toEqual([200, { ...before, defaultTimeZone: 'Asia/Tokyo' }]);
    expect((await admin('GET', '/settings')).body).toEqual(body);
    expect((await admin('PATCH', '/settings', before)).body).toEqual(before);
  });

  test.each([
    [
      { experimentation: { controlRatio: 101 } },
      'experimentation.controlRatio must be a whole number from 0 to 100',
    ],
    [{ experimentation: { controlRatio: 0.5 } }, 'experimentation.controlRatio must be a whole number'],
    [
      { experimentation: { userActivationWindow: 2 } },
      'userActivationWindow must be a whole number from 3 to 30',
    ],
    [
      { experimentation: { userActivationWindow: 31 } },
      'userActivationWindow must be a whole number from 3 to 30',
    ],
    [{ experimentation: null }, 'experimentation must be an object'],
    [{ branding: null }, 'branding must be an object'],
    [{ aggregationPeriod: 'daily' }, 'aggregationPeriod must be'],
    [{ controlRatio: 10 }, 'controlRatio is not known'],
    [{ idempotencyWindowSeconds: 0.5 }, 'idempotencyWindowSeconds must be a whole number'],
    [{ defaultTimeZone: 'Mars/Olympus' }, 'defaultTimeZone must be the IANA name'],
    [{ defaultTimeZone: 'IST' }, 'defaultTimeZone must name a place'],
    [{ defaultTimeZone: 'CET' }, 'defaultTimeZone must name a place'],
    [{ unknown: 1 }, 'unknown is not known'],
  ])('refuse %j', async (change, message) => {
    const before = (await admin('GET', '/settings')).body;
    const reply = await admin('PATCH', '/settings', change);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(message)]);
    expect((await admin('GET', '/settings')).body).toEqual(before);
  });
});

test('the installation is one environment', async () => {
  const { status, body } = await admin('GET', '/environments');
  expect([status, body]).toEqual([200, [{ name: 'Production', key: 'production', priority: 1 }]]);
  expect(readEnv({ LAUREL_ENVIRONMENT: 'staging' }).environment).toBe('staging');
  expect(() => readEnv({ LAUREL_ENVIRONMENT: 'a b' })).toThrow('LAUREL_ENVIRONMENT must be a key');
});

describe('streak settings', () => {
  test('that are passed are changed; lists and freezes are replaced', async () => {
    const before = (await admin('GET', '/streaks/settings')).body;
    expect(Object.keys(before).sort()).toEqual(
      [
        'customizationEnabled',
        'daysOff',
        'enabled',
        'evaluationMode',
        'freezes',
        'frequency',
        'metrics',
      ].sort(),
    );
    const change = {
      frequency: 'weekly',
      metrics: [{ key: 'lessons', threshold: 3 }],
      freezes: { startCount: 0, maxCount: 2 },
    };
    const { body } = await admin('PATCH', '/streaks/settings', change);
    const freezes = { startCount: 0, maxCount: 2, autoEarnInterval: null, autoEarnAmount: null };
    expect(body).toEqual({ ...before, ...change, freezes });
    expect((await admin('GET', '/streaks/settings')).body).toEqual(body);
    const user = { id: 'weekly', name: 'W' };
    const event = await server.call('POST', '/v1/metrics/lessons/event', { user, value: 3 });
    expect(event.body.currentStreak).toMatchObject({ frequency: 'weekly', extended: true });
    const { body: without } = await admin('PATCH', '/streaks/settings', {
      freezes: null,
      evaluationMode: 'OR',
    });
    expect(without).toEqual({ ...body, freezes: null, evaluationMode: 'OR' });
    expect((await admin('PATCH', '/streaks/settings', before)).body).toEqual(before);
  });

  test('lose their days off with another frequency than daily', async () => {
    const before = (await admin('GET', '/streaks/settings')).body;
    const { body } = await admin('PATCH', '/streaks/settings', { daysOff: [6, 0] });
    expect(body).toEqual({ ...before, daysOff: [0, 6] });
    expect((await admin('PATCH', '/streaks/settings', { enabled: true })).body.daysOff).toEqual([0, 6]);
    const weekly = await admin('PATCH', '/streaks/settings', { frequency: 'weekly' });
    expect(weekly.body).toMatchObject({ frequency: 'weekly', daysOff: [] });
    expect((await admin('PATCH', '/streaks/settings', before)).body).toEqual(before);
  });

  const FREEZES = { startCount: 1, maxCount: 2 };
  test.each([
    [{ metrics: [] }, 'metrics must hold at least 1 item'],
    [{ metrics: [{ key: 'x', threshold: 1 }] }, 'metrics[0].key must name an existing metric'],
    [
      { metrics: [1, 2].map((threshold) => ({ key: 'lessons', threshold })) },
      'metrics[1].key names the same metric twice',
    ],
    [
      { metrics: [{ key: 'lessons', threshold: 0 }] },
      'metrics[0].threshold must be a whole number from 1 to 10000',
    ],
    [{ metrics: [{ key: 'lessons', threshold: 1.5 }] }, 'metrics[0].threshold must be a whole number'],
    [{ freezes: { startCount: 1 } }, 'freezes.maxCount is required'],
    [{ freezes: { startCount: 0, maxCount: 101 } }, 'freezes.maxCount must be a whole number from 1 to 100'],
    [
      { freezes: { startCount: 3, maxCount: 2 } },
      'freezes.maxCount must not be less than freezes.startCount',
    ],
    [{ freezes: { ...FREEZES, autoEarnInterval: 7 } }, 'freezes.autoEarnAmount is required with'],
    [{ freezes: { ...FREEZES, autoEarnAmount: 1 } }, 'freezes.autoEarnInterval is required with'],
    [
      { freezes: { ...FREEZES, autoEarnInterval: 366, autoEarnAmount: 1 } },
      'must be a whole number from 1 to 365',
    ],
    [
      { freezes: { ...FREEZES, autoEarnInterval: 7, autoEarnAmount: 11 } },
      'must be a whole number from 1 to 10',
    ],
    [{ daysOff: [7] }, 'daysOff[0] must be a whole number from 0 to 6'],
    [{ daysOff: [1, 1] }, 'daysOff[1] names the same weekday twice'],
    [{ daysOff: [0, 1, 2, 3, 4, 5, 6] }, 'daysOff must not hold more than 6 weekdays'],
    [{ frequency: 'weekly', daysOff: [0] }, 'daysOff must be empty unless frequency is daily'],
    [{ evaluationMode: 'ALL' }, 'evaluationMode must be one of OR, AND'],
    [{ frequency: 'hourly' }, 'frequency must be'],
    [{ mode: 'ALL' }, 'mode is not known'],
  ])('refuse %j', async (settings, message) => {
    const before = (await admin('GET', '/streaks/settings')).body;
    const reply = await admin('PATCH', '/streaks/settings', settings);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(message)]);
    expect((await admin('GET', '/streaks/settings')).body).toEqual(before);
  });
});

describe('the audit log', () => {
  test('lists who changed what, in order, without refused changes', async () => {
    const { body: created } = await admin('POST', '/metrics', [
      { key: 'logged', name: 'Logged' },
      { key: '!', name: 'Bad' },
    ]);
    const { id } = created.created[0];
    await admin('PATCH', '/metrics', [{ id, name: 'Renamed' }]);
    await admin('PATCH', '/metrics', [{ id, name: 'Renamed' }]);
    await admin('DELETE', `/metrics?ids=${id}`);
    const { body } = await admin('GET', `/audit?id=${id}`);
    const actor = API_KEY.slice(0, 8);
    expect(body).toMatchObject([
      { action: 'delete', kind: 'metrics', id, actor, before: { name: 'Renamed' }, after: null },
      {
        action: 'update',
        kind: 'metrics',
        id,
        actor,
        before: { name: 'Logged' },
        after: { name: 'Renamed' },
      },
      {
        action: 'create',
        kind: 'metrics',
        id,
        actor,
        before: null,
        after: { key: 'logged', name: 'Logged' },
      },
    ]);
    expect((await admin('GET', '/audit?limit=2&skip=1')).body).toEqual(
      (await admin('GET', '/audit?limit=3')).body.slice(1),
    );
    const first = (await admin('GET', '/audit?limit=100')).body;
    expect(first.some((entry: { kind: string }) => entry.kind === 'counters')).toBe(false);
  });

  test('names the item as it is called now, and no deleted one', async () => {
    const { body: created } = await admin('POST', '/points', [{ key: 'named', name: 'Old name' }]);
    const { id } = created.created[0];
    const level = { key: 'first', name: 'First', points: 1 };
    const { body: levels } = await admin('POST', `/points/${id}/levels`, [level]);
    await admin('PATCH', '/points', [{ id, name: 'New name' }]);
    const itemsOf = async (of: string) =>
      (await admin('GET', `/audit?id=${of}`)).body.map(({ item }: { item: unknown }) => item);
    const system = { kind: 'pointsSystems', id, name: 'New name' };
    expect(await itemsOf(id)).toEqual([system, system]);
    const levelId = levels.created[0].id;
    const part = { kind: 'pointsLevels', id: levelId, name: 'First', systemId: id };
    expect(await itemsOf(levelId)).toEqual([part]);
    await admin('DELETE', `/points?ids=${id}`);
    expect(await itemsOf(levelId)).toEqual([null, null]);
  });

  test('holds no secrets', async () => {
    const webhook = { name: 'Hook', url: 'https://example.com', events: ['streak.lost'] };
    const { body: created } = await admin('POST', '/webhooks', [webhook]);
    const { id, secret } = created.created[0];
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify((await admin('GET', '/webhooks')).body)).not.toContain(secret);
    const { body } = await admin('GET', `/audit?id=${id}`);
    expect(body).toMatchObject([{ action: 'create', after: { url: 'https://example.com' } }]);
    expect(JSON.stringify(body)).not.toContain(secret);
  });
});
