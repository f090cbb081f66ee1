import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ResourceSchemas } from '../../src/contract/admin.ts';
import { AdminKeys, ApplicationKeys, Tenants } from '../../src/contract/adminAccess.ts';
import { ApplyConfig, UpdateStreakSettings } from '../../src/contract/configured/adminConfiguration.ts';
import { ADMIN_RESOURCES } from '../../src/contract/configured/adminEntities.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { UpdateSettings } from '../../src/contract/settings.ts';
import { DEFAULT_TENANT, listUnpublished } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import type { Pool } from '../../src/db/pool.ts';
import { publishPending } from '../../src/engine/configuration/publishing.ts';
import type { Stores } from '../../src/engine/stores/stores.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { configureRedis } from '../support/redisData.ts';
import type { Reply } from '../support/server.ts';
import { storeOnly } from '../support/storedConfig.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/**
 * A table of every kind of configured thing: what is sent, what is shown, and what is refused with which
 * words.
 */

const server = useServer({ config: 'none' });
/** Ids of things that others refer to. */
const ids: Record<string, string> = {};
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const [TODAY, FUTURE, PAST] = [dayFromStart(0), dayFromStart(30), dayFromStart(-30)];

const { admin } = server;

const createOne = async (path: string, item: object): Promise<string> => (await server.create(path, item)).id;

beforeAll(async () => {
  ids.city = await createOne('/attributes', { key: 'city', name: 'City', type: 'user' });
  ids.skill = await createOne('/attributes', { key: 'skill', name: 'Skill', type: 'event' });
  ids.lessons = await createOne('/metrics', { key: 'lessons', name: 'Lessons' });
  ids.first = await createOne('/achievements', {
    key: 'first',
    name: 'First',
    trigger: 'metric',
    status: 'active',
    metricId: ids.lessons,
    metricValue: 1,
  });
  ids.xp = await createOne('/points', { key: 'xp', name: 'XP' });
});

interface Case {
  path: () => string;
  /** Sent, and what is shown of it besides the id. */
  item: () => object;
  shown: () => object;
  change: object;
  changed: object;
  /** Items that are refused when they are created, each with what the issue says. */
  refused: () => [item: object, message: RegExp][];
  /** Changes that are refused. */
  frozen?: [change: object, message: RegExp][];
}

const CASES: Record<string, Case> = {
  attributes: {
    path: () => '/attributes',
    item: () => ({ key: 'plan', name: 'Plan', type: 'user' }),
    shown: () => ({ key: 'plan', name: 'Plan', type: 'user' }),
    change: { name: 'Tariff' },
    changed: { key: 'plan', name: 'Tariff', type: 'user' },
    refused: () => [
      [{ key: 'city', name: 'Again', type: 'user' }, /key is not unique: city/],
      [{ key: 'with space', name: 'X', type: 'user' }, /key must consist of letters/],
      // In JavaScript, where clients read answers, it would set something else.
      [{ key: '__proto__', name: 'X', type: 'user' }, /key must not be __proto__/],
      [{ key: 'x', name: ' ', type: 'user' }, /name must not be empty/],
    ],
    frozen: [
      [{ key: 'other' }, /key cannot be changed/],
      [{ type: 'event' }, /type cannot be changed/],
    ],
  },
  metrics: {
    path: () => '/metrics',
    item: () => ({ key: 'minutes', name: 'Minutes', units: 'min' }),
    shown: () => ({ key: 'minutes', name: 'Minutes', unitType: 'number', units: 'min', guards: null }),
    change: { unitType: 'currency', units: null },
    changed: { unitType: 'currency', units: '' },
    refused: () => [
      [{ key: 'lessons', name: 'Again' }, /key is not unique: lessons/],
      [{ key: 'ü', name: 'X' }, /key must consist of letters/],
      [{ key: 'x', name: 'x'.repeat(256) }, /name must not be longer than 255/],
    ],
    frozen: [[{ key: 'hours' }, /key cannot be changed/]],
  },
  achievements: {
    path: () => '/achievements',
    item: () => ({
      key: 'speaker',
      name: 'Speaker',
      trigger: 'metric',
      metricId: ids.lessons,
      metricValue: 5,
      status: 'active',
      hidden: true,
      badge: { url: 'https://example.com/speaker.png' },
      eventAttributes: [{ attributeId: ids.skill, attributeValue: 'speaking' }],
      userAttributes: [{ attributeId: ids.city, attributeValue: 'rome' }],
    }),
    shown: () => ({
      key: 'speaker',
      name: 'Speaker',
      trigger: 'metric',
      status: 'active',
      description: null,
      badge: { url: 'https://example.com/speaker.png' },
      metricId: ids.lessons,
      metricValue: 5,
      hidden: true,
      userAttributes: [{ attributeId: ids.city, attributeValue: 'rome' }],
      eventAttributes: [{ attributeId: ids.skill, attributeValue: 'speaking' }],
    }),
    change: { status: 'locked', description: 'Speak.', badge: null, userAttributes: null, hidden: false },
    changed: {
      status: 'locked',
      description: 'Speak.',
      badge: null,
      userAttributes: [],
      metricValue: 5,
      hidden: false,
    },
    refused: () => [
      [
        { key: 'a', name: 'A', trigger: 'metric', metricId: ids.lessons },
        /metricValue is required when trigger is metric/,
      ],
      [
        { key: 'a', name: 'A', trigger: 'metric', metricId: NOWHERE, metricValue: 1 },
        /metricId must name an existing metric/,
      ],
      [{ name: 'A', trigger: 'api' }, /key is required/],
      [{ key: 'a', name: 'A', trigger: 'streak', streakLength: 1.5 }, /streakLength must be a whole number/],
      [
        { key: 'a', name: 'A', trigger: 'streak', streakLength: 1e13 },
        /streakLength must not be greater than 1000000000000/,
      ],
      [
        { key: 'a', name: 'A', trigger: 'metric', metricId: ids.lessons, metricValue: 1e13 },
        /metricValue must not be greater than 1000000000000/,
      ],
      [{ key: 'a', name: 'A', trigger: 'api', badge: { url: '' } }, /badge.url must not be empty/],
      [{ key: 'a', name: 'A', trigger: 'api', streakLength: 2 }, /streakLength must be left out/],
      [
        { key: 'a', name: 'A', trigger: 'achievement', achievementIds: [NOWHERE] },
        /must name an existing achievement/,
      ],
      [
        { key: 'a', name: 'A', trigger: 'achievement', achievementIds: [ids.first, ids.first] },
        /achievementIds\[1\] names the same achievement twice/,
      ],
      [
        {
          key: 'a',
          name: 'A',
          trigger: 'api',
          userAttributes: [{ attributeId: ids.skill, attributeValue: 'x' }],
        },
        /an existing user attribute/,
      ],
    ],
  },
  'points systems': {
    path: () => '/points',
    item: () => ({
      key: 'energy',
      name: 'Energy',
      maxPoints: 30,
      badge: { url: 'https://example.com/e.png' },
    }),
    shown: () => ({
      key: 'energy',
      name: 'Energy',
      maxPoints: 30,
      badge: { url: 'https://example.com/e.png' },
      description: '',
      status: 'active',
    }),
    change: { maxPoints: null, badge: null, description: 'Spent' },
    changed: { maxPoints: null, badge: null, description: 'Spent', name: 'Energy' },
    refused: () => [
      [{ key: 'xp', name: 'Again' }, /key is not unique: xp/],
      [{ key: 'z', name: 'Z', maxPoints: 0 }, /maxPoints must be a whole number of at least 1/],
      [{ key: 'z', name: 'Z', badge: { url: 'x'.repeat(1_001) } }, /badge.url must not be longer/],
      [{ key: 'z', name: 'Z', badge: { url: '' } }, /badge.url must not be empty/],
      [
        { key: 'z', name: 'Z', levels: [{ key: 'l', name: 'L', points: -1 }] },
        /levels\[0\]\.points must be a whole number/,
      ],
    ],
    frozen: [[{ key: 'mana' }, /key cannot be changed/]],
  },
  levels: {
    path: () => `/points/${ids.xp}/levels`,
    item: () => ({ key: 'bronze', name: 'Bronze', points: 50 }),
    shown: () => ({ key: 'bronze', name: 'Bronze', points: 50, description: '', badge: null }),
    change: { points: 60, badge: { url: 'https://example.com/b.png' } },
    changed: { points: 60, badge: { url: 'https://example.com/b.png' }, key: 'bronze' },
    refused: () => [
      [{ key: 'bronze', name: 'Again', points: 1 }, /key is not unique/],
      [{ key: 'silver', name: 'Silver', points: 60 }, /points is the same as in another level/],
      [{ key: 'silver', name: 'Silver', points: -1 }, /points must be a whole number of at least 0/],
    ],
    frozen: [[{ key: 'gold' }, /key cannot be changed/]],
  },
  triggers: {
    path: () => `/points/${ids.xp}/triggers`,
    item: () => ({
      type: 'metric',
      points: 10,
      metricId: ids.lessons,
      metricThreshold: 1,
      eventAttributes: [{ attributeId: ids.skill, attributeValue: 'speaking' }],
    }),
    shown: () => ({
      type: 'metric',
      points: 10,
      status: 'inactive',
      metricId: ids.lessons,
      metricThreshold: 1,
      userAttributes: [],
      blockIfOutOfPoints: false,
      eventAttributes: [{ attributeId: ids.skill, attributeValue: 'speaking' }],
    }),
    change: { type: 'time', timeUnit: 'hours', timeInterval: 2 },
    changed: {
      points: 10,
      type: 'time',
      timeUnit: 'hours',
      timeInterval: 2,
      metricId: undefined,
      metricThreshold: undefined,
    },
    refused: () => [
      [{ type: 'metric', points: 1, metricId: ids.lessons }, /metricThreshold is required/],
      [{ type: 'streak', points: 0, streakLength: 1 }, /points must be a whole number other than 0/],
      [
        { type: 'streak', points: -1e13, streakLength: 1 },
        /points must be from -1000000000000 to 1000000000000/,
      ],
      [
        { type: 'achievement', points: 1, achievementId: NOWHERE },
        /achievementId must name an existing achievement/,
      ],
      [{ type: 'time', points: 1, timeUnit: 'days', timeInterval: 0 }, /timeInterval must be a whole number/],
      [{ type: 'user_creation', points: 1, blockIfOutOfPoints: true }, /blockIfOutOfPoints must be left out/],
    ],
  },
  boosts: {
    path: () => `/points/${ids.xp}/boosts`,
    item: () => ({ name: 'Double', start: PAST, multiplier: 2, userId: 'ada' }),
    shown: () => ({
      name: 'Double',
      start: PAST,
      end: null,
      multiplier: 2,
      rounding: 'down',
      status: 'active',
      userId: 'ada',
      userAttributes: [],
    }),
    change: { start: FUTURE, rounding: 'up' },
    changed: { start: FUTURE, rounding: 'up', status: 'scheduled' },
    refused: () => [
      ...[0, -1, 1, 100].map((multiplier): [object, RegExp] => [
        { name: 'B', start: TODAY, multiplier },
        /multiplier must be greater than 0, less than 100 and not 1/,
      ]),
      [{ name: 'B', start: '2026-02-30', multiplier: 2 }, /start must be an existing date/],
      [{ name: 'B', start: TODAY, end: PAST, multiplier: 2 }, /end must not be before start/],
    ],
    frozen: [[{ userId: 'bob' }, /userId cannot be changed/]],
  },
  leaderboards: {
    path: () => '/leaderboards',
    item: () => ({
      key: 'weekly',
      name: 'Weekly',
      rankBy: 'metric',
      metricId: ids.lessons,
      start: FUTURE,
      runUnit: 'day',
      runInterval: 7,
      breakdownAttributes: ['city'],
    }),
    shown: () => ({
      key: 'weekly',
      name: 'Weekly',
      rankBy: 'metric',
      metricId: ids.lessons,
      start: FUTURE,
      status: 'scheduled',
      runUnit: 'day',
      runInterval: 7,
      breakdownAttributes: [ids.city],
      maxParticipants: 1000,
    }),
    change: { maxParticipants: 10, key: 'week', startTime: '08:00', endTime: '20:00' },
    changed: { maxParticipants: 10, key: 'week', startTime: '08:00', endTime: '20:00' },
    refused: () => [
      [
        { key: 's', name: 'S', rankBy: 'streak', runUnit: 'day', runInterval: 7 },
        /runUnit must be left out when rankBy is streak/,
      ],
      [{ key: 'm', name: 'M', rankBy: 'metric' }, /metricId is required when rankBy is metric/],
      [
        { key: 'p', name: 'P', rankBy: 'points', pointsSystemId: NOWHERE },
        /must name an existing points system/,
      ],
      [
        { key: 'b', name: 'B', rankBy: 'streak', maxParticipants: 1001 },
        /maxParticipants must be a whole number from 1 to 1000/,
      ],
      [
        { key: 'b', name: 'B', rankBy: 'streak', breakdownAttributes: [ids.skill] },
        /an existing user attribute/,
      ],
      [
        { key: 'b', name: 'B', rankBy: 'streak', status: 'active', start: FUTURE },
        /status cannot be active before its start/,
      ],
      [
        { key: 'b', name: 'B', rankBy: 'streak', status: 'finished' },
        /status cannot go from inactive to finished/,
      ],
      [
        {
          key: 'b',
          name: 'B',
          rankBy: 'metric',
          metricId: ids.lessons,
          startTime: '08:00',
          endTime: '08:00:00',
        },
        /endTime must differ from startTime/,
      ],
    ],
  },
  webhooks: {
    path: () => '/webhooks',
    item: () => ({
      name: 'CRM',
      url: 'https://example.com/hook',
      events: ['achievement.completed', 'points.changed'],
    }),
    shown: () => ({
      name: 'CRM',
      url: 'https://example.com/hook',
      events: ['achievement.completed', 'points.changed'],
      status: 'active',
    }),
    change: { status: 'inactive', events: ['streak.lost'] },
    changed: { status: 'inactive', events: ['streak.lost'], name: 'CRM' },
    refused: () => [
      [
        { name: 'X', url: 'ftp://example.com', events: ['streak.lost'] },
        /url must be a whole URL of http or https/,
      ],
      [
        { name: 'X', url: 'https://example.com/\r\nX-Other: 1', events: ['streak.lost'] },
        /url must be a whole URL of http or https/,
      ],
      [{ name: 'X', url: '/hook', events: ['streak.lost'] }, /url must be a whole URL/],
      [
        { name: 'X', url: 'https://u:p@example.com', events: ['streak.lost'] },
        /url must not hold a user name/,
      ],
      [{ name: 'X', url: 'https://example.com', events: [] }, /events must name at least one value/],
    ],
  },
  'notification templates': {
    path: () => '/notifications/templates',
    item: () => ({
      name: 'Well done',
      type: 'achievement_completed',
      channel: 'email',
      subject: 'You did it',
      body: 'Hi',
    }),
    shown: () => ({
      name: 'Well done',
      type: 'achievement_completed',
      channel: 'email',
      subject: 'You did it',
      body: 'Hi',
      status: 'inactive',
      userAttributes: [],
    }),
    change: { status: 'active', body: 'Hello {{ user.name }}' },
    changed: { status: 'active', body: 'Hello {{ user.name }}', subject: 'You did it' },
    refused: () => [
      [{ name: 'X', type: 'recap', channel: 'push', subject: '', body: 'B' }, /subject must not be empty/],
      [
        {
          name: 'X',
          type: 'recap',
          channel: 'push',
          subject: 'S',
          body: 'B',
          userAttributes: [{ attributeId: ids.skill, attributeValue: 'x' }],
        },
        /userAttributes must name an existing user attribute/,
      ],
    ],
  },
};

describe.each(Object.entries(CASES))(
  '%s',
  (kind, { path, item, shown, change, changed, refused, frozen = [] }) => {
    /** Creates one, which is deleted after the test. */
    const create = async (): Promise<string> => {
      const id = await createOne(path(), item());
      onTestFinished(async () => void (await admin('DELETE', `${path()}?ids=${id}`)));
      return id;
    };
    /** As issues name a thing. */
    const named = (thing: string) => ({ id: thing, ...(kind === 'boosts' && { boostId: thing }) });

    test('are created, listed and shown', async () => {
      const { status, body } = await admin('POST', path(), [item()]);
      expect([status, body.issues]).toEqual([201, []]);
      const { id } = body.created[0];
      onTestFinished(async () => void (await admin('DELETE', `${path()}?ids=${id}`)));
      expect(body.created[0]).toMatchObject({ ...shown(), id });
      expect((await admin('GET', `${path()}/${id}`)).body).toEqual({ ...shown(), id });
      expect((await admin('GET', `${path()}?limit=100`)).body).toContainEqual({ ...shown(), id });
    });

    test('are changed, and keep what is not passed', async () => {
      const id = await create();
      const { status, body } = await admin('PATCH', path(), [{ id, ...change }]);
      expect([status, body.issues]).toEqual([200, []]);
      for (const [field, value] of Object.entries(changed)) expect(body.updated[0][field]).toEqual(value);
      expect((await admin('GET', `${path()}/${id}`)).body).toEqual(body.updated[0]);
    });

    test('stay unchanged if a response is sent back as an update', async () => {
      const id = await create();
      await admin('PATCH', path(), [{ id, ...change }]);
      const before = (await admin('GET', `${path()}?limit=100`)).body;
      const [last] = (await admin('GET', '/audit?limit=1')).body;
      const { body } = await admin('PATCH', path(), before);
      expect(body.updated).toEqual(before);
      expect(body.issues.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([]);
      expect((await admin('GET', '/audit?limit=1')).body).toEqual([last]);
    });

    test('are refused one by one, with what is wrong', async () => {
      const id = await create();
      await admin('PATCH', path(), [{ id, ...change }]);
      const before = (await admin('GET', `${path()}?limit=100`)).body;
      const items = refused();
      const { status, body } = await admin(
        'POST',
        path(),
        items.map(([wrong]) => wrong),
      );
      expect([status, body.created]).toEqual([200, []]);
      expect(body.issues).toEqual(
        items.map(([, message], index) => ({
          index,
          severity: 'error',
          message: expect.stringMatching(message),
        })),
      );
      for (const [wrong, message] of frozen) {
        const reply = await admin('PATCH', path(), [{ id, ...wrong }]);
        expect(reply.body).toEqual({
          updated: [],
          issues: [{ ...named(id), index: 0, severity: 'error', message: expect.stringMatching(message) }],
        });
      }
      expect((await admin('GET', `${path()}?limit=100`)).body).toEqual(before);
    });

    test('are 404 if they do not exist', async () => {
      expect((await admin('GET', `${path()}/${NOWHERE}`)).status).toBe(404);
      expect((await admin('GET', `${path()}/x`)).status).toBe(422);
      const [updated, deleted] = [
        await admin('PATCH', path(), [{ id: NOWHERE }]),
        await admin('DELETE', `${path()}?ids=${NOWHERE}`),
      ];
      const issue = { ...named(NOWHERE), severity: 'error', message: expect.stringContaining(`There is no`) };
      expect([updated.status, updated.body]).toEqual([
        200,
        { updated: [], issues: [{ ...issue, index: 0 }] },
      ]);
      expect([deleted.status, deleted.body]).toEqual([200, { deleted: [], issues: [issue] }]);
    });

    test.each([
      ['POST', 'body must be an array', {}],
      ['POST', 'body must hold at least 1 item', []],
      [
        'PATCH',
        'body must not hold more than 100 items',
        Array.from({ length: 101 }, () => ({ id: NOWHERE })),
      ],
      ['POST', '[0].', [{}]],
      ['PATCH', '[0].id is required', [{}]],
      ['PATCH', '[0].id', [{ id: 'x' }]],
      ['POST', 'body must be valid JSON: line 1, column 3', '[{'],
    ])('%s with a wrong body says %s', async (method, words, body) => {
      const reply = await admin(method, path(), body);
      expect(reply.status).toBe(body === '[{' ? 400 : 422);
      expect(reply.body.error).toContain(words);
    });

    test.each([
      ['GET', '?limit=0', 'limit'],
      ['GET', '?limit=101', 'limit'],
      ['GET', '?skip=-1', 'skip'],
      ['DELETE', '', 'ids'],
      ['DELETE', '?ids=x', 'ids'],
    ])('%s%s names %s', async (method, query, words) => {
      const reply = await admin(method, path() + query);
      expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(words)]);
    });

    test('are deleted', async () => {
      const id = await create();
      const { status, body } = await admin('DELETE', `${path()}?ids=${id}&ids=${NOWHERE}`);
      expect([status, body.deleted]).toEqual([200, [{ id }]]);
      expect(body.issues).toMatchObject([{ id: NOWHERE }]);
      expect((await admin('GET', `${path()}/${id}`)).status).toBe(404);
    });
  },
);

test('only admin keys may call', async () => {
  const reply = await server.call('GET', '/admin/v1/metrics', undefined, { 'X-API-KEY': 'wrong.key' });
  expect(reply.status).toBe(401);
});

describe('batches', () => {
  test('apply the valid items and report the others', async () => {
    const { status, body } = await admin('POST', '/metrics', [
      { key: 'one', name: 'One' },
      { key: 'one', name: 'Again' },
      { key: 'bad key', name: 'Bad' },
      { key: 'two', name: 'Two' },
    ]);
    expect(status).toBe(201);
    expect(body.created.map(({ key }: { key: string }) => key)).toEqual(['one', 'two']);
    expect(body.issues).toEqual([
      { index: 1, severity: 'error', message: 'key is not unique: one' },
      { index: 2, severity: 'error', message: expect.stringContaining('key must consist of') },
    ]);
    const others = (await admin('GET', '/metrics?limit=100')).body.length - 2;
    const { body: page } = await admin('GET', `/metrics?limit=2&skip=${others}`);
    expect(page.map(({ key }: { key: string }) => key)).toEqual(['one', 'two']);
  });

  test('warn of unknown fields and apply the rest', async () => {
    const system = {
      key: 'warned',
      name: 'Warned',
      status: 'archived',
      levels: [{ key: 'l', name: 'L', points: 1, pints: 2 }],
    };
    const { status, body } = await admin('POST', '/points', [{ key: 'clean', name: 'Clean' }, system]);
    expect([status, body.created.length]).toEqual([201, 2]);
    const warning = { index: 1, severity: 'warning' };
    expect(body.issues).toEqual([
      { ...warning, message: 'status is not a field that can be set, and was ignored' },
      { ...warning, message: 'levels[0].pints is not a field that can be set, and was ignored' },
    ]);
    const { id } = body.created[1];
    const changed = await admin('PATCH', '/points', [{ id, nmae: 'Typo' }]);
    expect(changed.body).toMatchObject({
      updated: [{ name: 'Warned' }],
      issues: [
        {
          id,
          index: 0,
          severity: 'warning',
          message: 'nmae is not a field that can be set, and was ignored',
        },
      ],
    });
    const wrong = await admin('POST', '/metrics', [{ key: 'a b', name: 'X', colour: 'red' }]);
    expect(wrong.body.issues.map(({ severity }: { severity: string }) => severity)).toEqual([
      'error',
      'warning',
    ]);
  });

  test('a change names what else it would break', async () => {
    const [low, high] = [
      await createOne(`/points/${ids.xp}/levels`, { key: 'low', name: 'Low', points: 1 }),
      await createOne(`/points/${ids.xp}/levels`, { key: 'high', name: 'High', points: 2 }),
    ];
    const path = `/points/${ids.xp}/levels`;
    const wrong = await admin('PATCH', path, [{ id: low, points: 2 }]);
    expect(wrong.body.issues).toEqual([
      {
        id: low,
        index: 0,
        severity: 'error',
        message: 'level "high" of points system "xp": points is the same as in another level: 2',
      },
    ]);
    // Together they may exchange what only one may have.
    const swap = await admin('PATCH', path, [
      { id: low, points: 2 },
      { id: high, points: 1 },
    ]);
    expect([swap.body.issues, swap.body.updated.length]).toEqual([[], 2]);
  });

  test('a points system is created with all its parts or not at all', async () => {
    const parts = {
      levels: [{ key: 'start', name: 'Start', points: 0 }],
      boosts: [{ name: 'Triple', start: PAST, end: PAST, multiplier: 3 }],
      triggers: [{ type: 'user_creation', points: 5 }],
    };
    const wrong = await admin('POST', '/points', [
      { key: 'gems', name: 'Gems', ...parts, triggers: [{ type: 'streak', points: 5 }] },
    ]);
    expect(wrong.body.issues).toMatchObject(
      [{ index: 0, message: /^triggers\[0\]\.streakLength is required/ }].map(({ index, message }) => ({
        index,
        message: expect.stringMatching(message),
      })),
    );
    const { body } = await admin('POST', '/points', [{ key: 'gems', name: 'Gems', ...parts }]);
    expect(body.created[0]).toMatchObject({
      key: 'gems',
      levels: [{ key: 'start', points: 0 }],
      boosts: [{ name: 'Triple', status: 'finished' }],
      triggers: [{ type: 'user_creation', points: 5 }],
    });
    const gone = await admin('DELETE', `/points?ids=${body.created[0].id}`);
    expect(gone.body.deleted).toHaveLength(1);
    expect((await admin('GET', `/points/${body.created[0].id}/levels`)).status).toBe(404);
  });

  test('parallel calls are processed one after the other', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        admin('POST', '/metrics', [
          { key: 'same', name: `Of ${i}` },
          { key: `own-${i}`, name: 'Own' },
        ]),
      ),
    );
    expect(replies.flatMap(({ body }) => body.created).length).toBe(9);
    expect(replies.flatMap(({ body }) => body.issues).map(({ message }) => message)).toEqual(
      Array.from({ length: 7 }, () => 'key is not unique: same'),
    );
  });
});

test('an entity in use is not deleted, and the issue names what uses it', async () => {
  const own = {
    town: await createOne('/attributes', { key: 'town', name: 'Town', type: 'user' }),
    talks: await createOne('/metrics', { key: 'talks', name: 'Talks' }),
    coins: await createOne('/points', { key: 'coins', name: 'Coins' }),
  };
  const first = await createOne('/achievements', {
    key: 'starter',
    name: 'Starter',
    trigger: 'metric',
    metricId: own.talks,
    metricValue: 1,
  });
  const leaderboard = await createOne('/leaderboards', {
    key: 'cities',
    name: 'Cities',
    rankBy: 'points',
    pointsSystemId: own.coins,
    breakdownAttributes: [own.town],
  });
  const chained = await createOne('/achievements', {
    key: 'second',
    name: 'Second',
    trigger: 'achievement',
    achievementIds: [first],
  });
  const refusal = async (path: string, id: string): Promise<string> => {
    const { body } = await admin('DELETE', `${path}?ids=${id}`);
    expect(body.deleted).toEqual([]);
    return body.issues[0].message;
  };
  expect(await refusal('/attributes', own.town)).toBe('This attribute is used by leaderboard "cities"');
  expect(await refusal('/metrics', own.talks)).toContain('achievement "starter"');
  expect(await refusal('/points', own.coins)).toBe('This points system is used by leaderboard "cities"');
  const path = `/points/${own.coins}/triggers`;
  const trigger = await createOne(path, { type: 'achievement', points: 1, achievementId: first });
  expect(await refusal('/achievements', first)).toBe(
    `This achievement is used by achievement "second", points trigger ${trigger} of points system "coins"`,
  );
  await admin('DELETE', `${path}?ids=${trigger}`);
  // Together with what needs it, it may go.
  const { body } = await admin('DELETE', `/achievements?ids=${first}&ids=${chained}`);
  expect(body).toEqual({ deleted: [{ id: first }, { id: chained }], issues: [] });
  expect((await admin('DELETE', `/leaderboards?ids=${leaderboard}`)).body.deleted).toHaveLength(1);
});

describe('a leaderboard', () => {
  const create = (fields: object): Promise<string> =>
    createOne('/leaderboards', { name: 'B', rankBy: 'metric', metricId: ids.lessons, ...fields });
  const change = async (id: string, fields: object): Promise<{ status?: string; message?: string }> => {
    const { body } = await admin('PATCH', '/leaderboards', [{ id, ...fields }]);
    return { status: body.updated[0]?.status, message: body.issues[0]?.message };
  };

  test('is inactive first; once active, the fields that rankings depend on are fixed', async () => {
    const id = await create({ key: 'states' });
    expect((await admin('GET', `/leaderboards/${id}`)).body.status).toBe('inactive');
    expect(await change(id, { rankBy: 'streak' })).toMatchObject({ status: 'inactive' });
    expect(await change(id, { rankBy: 'metric', metricId: ids.lessons })).toMatchObject({
      status: 'inactive',
    });
    expect(await change(id, { status: 'active' })).toMatchObject({ status: 'active' });
    const frozen = {
      rankBy: 'streak',
      start: PAST,
      startTime: '08:00',
      runUnit: 'day',
      runInterval: 1,
      breakdownAttributes: [ids.city],
    };
    const { message } = await change(id, frozen);
    for (const field of ['rankBy', 'metricId', 'start', 'startTime', 'breakdownAttributes']) {
      expect(message).toContain(`${field} cannot be changed once active`);
    }
    expect(await change(id, { name: 'Still free', maxParticipants: 5 })).toMatchObject({ status: 'active' });
    for (const status of ['inactive', 'scheduled']) {
      expect((await change(id, { status })).message).toContain(`status cannot go from active to ${status}`);
    }
  });

  test('is ended with today by the status finished, and may be created with an end in the past', async () => {
    const id = await create({ key: 'ended', status: 'active' });
    const { body } = await admin('PATCH', '/leaderboards', [{ id, status: 'finished' }]);
    expect(body).toMatchObject({ updated: [{ status: 'active', end: dayFromStart(0) }], issues: [] });
    const over = await create({ key: 'over', start: '2026-01-01', end: '2026-01-31', status: 'finished' });
    expect((await admin('GET', `/leaderboards/${over}`)).body.status).toBe('finished');
  });

  test('with a start in the future is scheduled, and cannot be made active', async () => {
    const id = await create({ key: 'future' });
    expect(await change(id, { start: FUTURE })).toMatchObject({ status: 'scheduled' });
    expect((await change(id, { status: 'active' })).message).toContain('cannot be active before its start');
    expect((await change(id, { status: 'inactive' })).message).toContain(
      'cannot go from scheduled to inactive',
    );
  });
});

test('the next event is evaluated with the change', async () => {
  const event = (): Promise<Reply> =>
    server.call('POST', '/v1/metrics/changing/event', { user: { id: 'eve' }, value: 1 });
  expect((await event()).status).toBe(404);
  const metricId = await createOne('/metrics', { key: 'changing', name: 'Changing' });
  const triggers = `/points/${await createOne('/points', { key: 'stars', name: 'Stars' })}/triggers`;
  expect((await event()).body.total).toBe(1);
  const trigger = await createOne(triggers, {
    type: 'metric',
    points: 7,
    metricId,
    metricThreshold: 1,
    status: 'active',
  });
  expect((await event()).body.points.stars.added).toBe(7);
  await admin('PATCH', triggers, [{ id: trigger, points: 9 }]);
  expect((await event()).body.points.stars.added).toBe(9);
  await admin('DELETE', `${triggers}?ids=${trigger}`);
  expect((await event()).body.points).toEqual({});
  await admin('DELETE', `/metrics?ids=${metricId}`);
  expect((await event()).status).toBe(404);
});

describe('a change that is stored but not published', () => {
  let stores: Stores;
  let pool: Pool;
  beforeAll(async () => {
    ({ pool } = server);
    stores = { pool, redis: server.redis, cells: (await readCells(pool))! };
  });
  const eventStatus = async (key: string): Promise<number> => {
    const event = { user: { id: 'eve' }, value: 1 };
    return (await server.call('POST', `/v1/metrics/${key}/event`, event)).status;
  };

  test('is published by a worker if the process that stored it died', async () => {
    const file = { metrics: [{ key: 'orphan', name: 'Orphan' }] };
    await storeOnly(pool, DEFAULT_TENANT, file, { actor: 'test', now: server.clock.now() });
    expect(await eventStatus('orphan')).toBe(404);
    expect(await listUnpublished(pool)).toEqual([DEFAULT_TENANT]);
    await publishPending(stores, server.clock.now());
    expect(await eventStatus('orphan')).toBe(201);
    expect(await listUnpublished(pool)).toEqual([]);
  });

  test('is reported if Redis refuses it, and published once Redis accepts writes again', async () => {
    await configureRedis(stores.redis, 'maxmemory', '1');
    const reply = await admin('POST', '/metrics', [{ key: 'late', name: 'Late' }]);
    expect([reply.status, reply.body.error]).toEqual([503, expect.stringContaining('The change is stored')]);
    await configureRedis(stores.redis, 'maxmemory', '0');
    expect(await eventStatus('late')).toBe(404);
    await publishPending(stores, server.clock.now());
    expect(await eventStatus('late')).toBe(201);
  });
});

/** The example with ids of existing entities, and with keys that begin with `prefix`. */
function withIds(example: unknown, prefix: string): unknown {
  const own: Record<string, unknown> = {
    metricId: ids.lessons,
    pointsSystemId: ids.xp,
    systemId: ids.xp,
    achievementId: ids.first,
    breakdownAttributes: [ids.city],
  };
  return JSON.parse(
    JSON.stringify(example, (name, value) => own[name] ?? value).replaceAll(/"key":"/g, `"key":"${prefix}`),
  );
}

test.each([...Object.values(ADMIN_RESOURCES), ...[Tenants, ApplicationKeys, AdminKeys]])(
  'the examples of the reference are good: $many',
  async ({ many, examples }: ResourceSchemas) => {
    const { path } = ADMIN_ROUTES.find(
      ({ method, operation }) => method === 'post' && operation.summary === `Create ${many}`,
    )!;
    const system = await createOne('/points', { key: `for-${many.replaceAll(' ', '-')}`, name: 'Own' });
    const ofSystem = path.replace('{systemId}', system);
    const { status, body } = await admin('POST', ofSystem, withIds(examples, 'example-'));
    expect([status, body.issues]).toEqual([201, []]);
  },
);

test.each([
  ['PATCH', '/streaks/settings', UpdateStreakSettings, ''],
  ['PATCH', '/settings', UpdateSettings, ''],
  ['PUT', '/config', ApplyConfig, 'file-'],
])('the example of %s %s is good', async (method, path, operation: Operation, prefix) => {
  const { request, shownRequest = request } = operation;
  const [example] = (shownRequest as { examples?: object[] }).examples!;
  expect((await admin(method, path, withIds(example!, prefix))).status).toBe(200);
});
