import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../src/base/webhookEvents.ts';
import { WEBHOOKS } from '../src/contract/webhooks.ts';
import type { Json } from './support/reading.ts';
import type { Received } from './support/receiver.ts';
import { until } from './support/until.ts';
import { useWebhooks } from './support/webhooks.ts';

/** What happens, as webhooks are told of it by a server, a worker and a receiver. */
const CONFIG = {
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: {
    conditions: [{ metric: 'lessons', threshold: 1 }],
    freezes: { initial: 1, max: 1, earnEveryDays: 5, earnAmount: 1 },
  },
  achievements: [
    { key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', value: 2 },
    { key: 'later', name: 'Later', trigger: 'metric', metric: 'lessons', value: 1, status: 'inactive' },
  ],
  points: [
    {
      ...{ key: 'xp', name: 'XP' },
      levels: [{ key: 'bronze', name: 'Bronze', points: 15 }],
      triggers: [{ type: 'metric', metric: 'lessons', threshold: 1, points: 10 }],
    },
  ],
  leaderboards: [
    { key: 'all', name: 'All', rankBy: 'metric', metric: 'lessons', start: '2026-03-01' },
    {
      key: 'city',
      name: 'City',
      rankBy: 'metric',
      metric: 'lessons',
      start: '2026-03-01',
      breakdownAttributes: ['city'],
    },
  ],
};

const tests = useWebhooks(CONFIG);
const { call, createWebhook, deliveries, moveTo, record, settled } = tests;
const schemas = new Map(WEBHOOKS.map(({ type, payload }) => [type, Compile(payload)]));

const typesAt = (path: string): string[] => tests.receiver.of(path).map(({ body }) => body.type);

/** The body is what the contract says of its type, and signed. */
function expectValid({ headers, text, body }: Received, secret: string): void {
  const check = schemas.get(body.type)!;
  expect([...check.Errors(body)]).toEqual([]);
  expect(new Verifier(secret).verify(text, headers as Record<string, string>)).toEqual(body);
  const plain = createHmac('sha256', secret).update(text).digest('base64');
  expect(headers['x-laurel-signature']).toBe(plain);
}

test('every type has a schema', () => {
  expect([...schemas.keys()].toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
});

describe('what a user does', () => {
  test('reaches every webhook that wants it, signed, with the payload of the contract', async () => {
    const ofUsers = WEBHOOK_EVENTS.filter((type) => !type.startsWith('leaderboard'));
    const all = await createWebhook('/all', ofUsers);
    const some = await createWebhook('/some', ['points.changed']);
    const event = await record({ id: 'ann', name: 'Ann', attributes: { city: 'london' } });
    await record('ann');
    await until(() => tests.receiver.of('/all').length >= 5);
    expect(typesAt('/all').toSorted()).toEqual(
      [
        'achievement.completed',
        'points.changed',
        'points.changed',
        'points.level_changed',
        'streak.started',
      ].toSorted(),
    );
    for (const received of tests.receiver.of('/all')) expectValid(received, all.secret);
    await until(() => tests.receiver.of('/some').length === 2);
    for (const received of tests.receiver.of('/some')) expectValid(received, some.secret);
    const changes = tests.receiver.of('/some').map(({ body }) => body.points);
    expect(changes.find(({ total }) => total === 10)).toEqual(event.points.xp);
  });
});

describe('what is configured', () => {
  test('a new webhook gets what happens after its creation was answered, an inactive one nothing', async () => {
    const created: Json[] = [];
    for (let i = 0; i < 10; i++) {
      created.push(await createWebhook(`/new-${i}`, ['points.changed']));
      await record(`user-${i}`);
    }
    const usersOf = async (id: string) => (await deliveries(id)).map(({ userId }) => userId);
    for (const [i, { id }] of created.entries()) {
      const after = Array.from({ length: 10 - i }, (_, n) => `user-${n + i}`);
      await until(async () => expect(await usersOf(id)).toEqual(expect.arrayContaining(after)) ?? true);
    }
    const ids = created.map(({ id }) => id);
    const before = (await usersOf(ids[0]!)).length;
    await call('PATCH', '/admin/v1/webhooks', [{ id: ids[0], status: 'inactive' }]);
    await record('last');
    await until(async () => (await usersOf(ids[1]!)).includes('last'));
    expect(await usersOf(ids[0]!)).toHaveLength(before);
    await call('DELETE', `/admin/v1/webhooks?${ids.map((id) => `ids=${id}`).join('&')}`);
  });

  test('nobody is told of achievements that were activated after users had qualified', async () => {
    const { id } = await createWebhook('/silent', ['achievement.completed']);
    const achievements = await call('GET', '/admin/v1/achievements?limit=100');
    const later = achievements.find(({ key }: { key: string }) => key === 'later');
    await call('PATCH', '/admin/v1/achievements', [{ id: later.id, status: 'active' }]);
    await until(async () =>
      (await call('GET', '/v1/users/ann/achievements')).some(({ key }: { key: string }) => key === 'later'),
    );
    await record('new', 1);
    expect((await settled(id, 1)).map(({ userId }) => userId)).toEqual(['new']);
  });

  test('a test delivery of every type has the payload of the contract', async () => {
    const webhook = await createWebhook('/samples', ['streak.lost']);
    for (const type of WEBHOOK_EVENTS) await call('POST', `/admin/v1/webhooks/${webhook.id}/test`, { type });
    await until(() => tests.receiver.of('/samples').length === WEBHOOK_EVENTS.length);
    for (const received of tests.receiver.of('/samples')) expectValid(received, webhook.secret);
    expect(typesAt('/samples').toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  });

  test('the OpenAPI document describes every type', async () => {
    const { body } = await tests.server.call('GET', '/openapi.json');
    expect(Object.keys(body.webhooks).toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  });

  test('metrics show what was sent', async () => {
    const { body } = await tests.server.call('GET', '/metrics');
    expect(body).toMatch(/laurel_deliveries_total\{channel="webhooks",outcome="sent",reason=""\} \d+/);
    expect(body).toMatch(/laurel_jobs\{queue="webhooks",state="waiting"\} \d+/);
    expect(body).toMatch(/laurel_deliveries_oldest_seconds\{channel="webhooks"\} \d+/);
  });
});

describe('time', () => {
  test('rankings are reported once for each quarter of an hour, as they are at its end', async () => {
    const { id, secret } = await createWebhook('/boards', ['leaderboard.changed', 'leaderboard.rank_changed']);
    for (const value of [1, 2, 3]) await record({ id: 'eve', attributes: { city: 'rome' } }, value);
    await moveTo('2026-03-04T12:16:00Z');
    const found = await settled(id, 4);
    for (const received of tests.receiver.of('/boards')) expectValid(received, secret);
    expect(found).toHaveLength(4);
    const bodies = tests.receiver.of('/boards').map(({ body }) => body);
    const city = bodies.find(({ type, leaderboard }) => type === 'leaderboard.changed' && leaderboard.key === 'city');
    expect(city.leaderboard).toMatchObject({
      ...{ status: 'active', breakdownAttributeValue: 'rome' },
      rankings: [{ userId: 'eve', userName: null, rank: 1, value: 6 }],
    });
    const rank = bodies.find(
      ({ type, leaderboard }) => type === 'leaderboard.rank_changed' && leaderboard.key === 'all',
    );
    expect(rank).toMatchObject({
      user: { id: 'eve' },
      leaderboard: { rank: 1, value: 6, previousRank: null, previousValue: 0 },
    });
    await call('DELETE', '/admin/v1/users/ann');
    const bodiesOf = async () => (await deliveries(id)).map(({ request }) => request.body).join();
    // Rankings that named the user are no longer in the log, the others are.
    expect(await bodiesOf()).not.toContain('"ann"');
    expect(await bodiesOf()).toContain('"eve"');
    await record('eve', 1);
    await moveTo('2026-03-04T12:31:00Z');
    const dropped = (await until(async () => {
      const later = await deliveries(id);
      return (
        later.length === 8 &&
        later.every(({ status }) => status !== 'pending') &&
        later.filter(({ status }) => status === 'dropped')
      );
    })) as { type: string; reason: string }[];
    // The rank is the same as before.
    expect(dropped.map(({ type, reason }) => [type, reason])).toEqual(
      Array.from({ length: 2 }, () => ['leaderboard.rank_changed', 'nothing has changed']),
    );
  });

  test('streaks, freezes, boosts and runs', async () => {
    const { id, secret } = await createWebhook(
      '/time',
      WEBHOOK_EVENTS.filter((type) => !type.endsWith('changed')),
    );
    const [system] = await call('GET', '/admin/v1/points');
    const boost = { name: 'Double', start: '2026-03-04', end: '2026-03-05', multiplier: 2 };
    await call('POST', `/admin/v1/points/${system.id}/boosts`, [
      boost,
      { ...boost, name: 'Later', start: '2026-03-05' },
    ]);
    const metric = (await call('GET', '/admin/v1/metrics'))[0];
    await call('POST', '/admin/v1/leaderboards', [
      {
        key: 'week',
        name: 'Week',
        rankBy: 'metric',
        metricId: metric.id,
        start: '2026-03-04',
        runUnit: 'day',
        runInterval: 7,
        status: 'active',
      },
    ]);
    await record('flo', 3);
    await moveTo('2026-03-05T11:00:00Z');
    await record('flo', 3);
    await moveTo('2026-03-12T13:00:00Z');
    await until(() => typesAt('/time').includes('leaderboard.finished'), 30_000);
    await settled(id, 10);
    for (const received of tests.receiver.of('/time')) expectValid(received, secret);
    const bodies = tests.receiver.of('/time').map(({ body }) => body);
    const of = (type: string) => bodies.filter((body) => body.type === type);
    const ofFlo = (type: string) => of(type).filter(({ user }) => user.id === 'flo');
    expect(ofFlo('streak.started')).toHaveLength(1);
    expect(ofFlo('streak.extended')[0].streak.length).toBe(2);
    expect(ofFlo('streak.freeze_consumed')[0]).toMatchObject({ consumed: 1, freezes: 0 });
    expect(ofFlo('streak.lost')[0].length).toBe(2);
    expect(ofFlo('streak.freeze_earned')[0]).toMatchObject({ earned: 1, freezes: 1 });
    const boosts = (type: string) =>
      of(type).map(({ boost: { name, status }, timestamp }) => [name, status, timestamp.slice(0, 16)]);
    expect(boosts('points.boost_started').toSorted()).toEqual([
      ['Double', 'active', '2026-03-04T12:31'],
      ['Later', 'active', '2026-03-05T00:00'],
    ]);
    expect(boosts('points.boost_finished').toSorted()).toEqual([
      ['Double', 'finished', '2026-03-06T00:00'],
      ['Later', 'finished', '2026-03-06T00:00'],
    ]);
    expect(of('leaderboard.started').map(({ leaderboard: { key, start } }) => [key, start])).toEqual([
      ['week', '2026-03-04'],
      ['week', '2026-03-11'],
    ]);
    expect(of('leaderboard.finished').map(({ leaderboard }) => leaderboard)).toMatchObject([
      {
        key: 'week',
        start: '2026-03-04',
        end: '2026-03-10',
        status: 'finished',
        rankings: [{ userId: 'flo', value: 6 }],
      },
    ]);
  }, 60_000);
});
