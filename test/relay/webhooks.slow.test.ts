import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { WEBHOOK_EVENTS, WEBHOOKS } from '../../src/contract/webhooks.ts';
import { planScheduledWebhooks } from '../../src/engine/webhooks/planScheduledWebhooks.ts';
import { laterWebhookRows } from '../../src/engine/webhooks/webhookRows.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { achievement, item, items, metricBoard, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import type { Received } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** What happens, as webhooks are told of it by a server, a worker and a receiver. */
const CONFIG = {
  attributes: { user: items('city') },
  metrics: [
    { key: 'lessons', name: 'Lessons' },
    { key: 'guarded', name: 'Guarded', guards: { maxValue: 1, action: 'hold' } },
  ],
  streak: {
    metrics: [{ key: 'lessons', threshold: 1 }],
    freezes: { startCount: 1, maxCount: 1, autoEarnInterval: 5, autoEarnAmount: 1 },
  },
  achievements: [achievement('two', 2), achievement('later', 1, { status: 'inactive' })],
  challenges: [
    item('visits', {
      goals: [item('three', { metric: 'guarded', aggregate: 'count', target: 3 })],
      start: '2026-03-01',
    }),
  ],
  points: [xp([perLesson(10)], { levels: [item('bronze', { points: 15 })] })],
  leaderboards: [
    metricBoard('all', { start: '2026-03-01' }),
    metricBoard('city', { start: '2026-03-01', breakdownAttributes: ['city'] }),
  ],
};

const server = useWebhooks(CONFIG, { tenantEach: true });
const { answer: call, createWebhook, deliveries, moveTo, record, settled } = server;
const schemas = new Map(WEBHOOKS.map(({ type, payload }) => [type, Compile(payload)]));

const typesAt = (path: string): string[] => server.receiver.of(path).map(({ body }) => body.type);

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
    await until(() => server.receiver.of('/all').length >= 4);
    const types = ['achievement.completed', 'points.changed', 'points.level_changed', 'streak.started'];
    expect(typesAt('/all').toSorted()).toEqual(types);
    for (const received of server.receiver.of('/all')) expectValid(received, all.secret);
    await until(() => server.receiver.of('/some').length > 0);
    const [received] = server.receiver.of('/some') as [Received];
    expectValid(received, some.secret);
    // Whether the second event is in it depends on when it was relayed.
    expect(received.body.points.awards[0]).toEqual(event.points.xp.awards[0]);
  });
});

describe('a challenge', () => {
  test('is reported when it is completed, once', async () => {
    const { id, secret } = await createWebhook('/challenge', ['challenge.completed']);
    const visit = () => call('POST', '/v1/metrics/guarded/event', { user: { id: 'cleo' }, value: 1 });
    for (let i = 0; i < 4; i++) await visit();
    await settled(id, 1);
    const received = server.receiver.of('/challenge');
    for (const one of received) expectValid(one, secret);
    expect(received.map(({ body }) => [body.user.id, body.challenge.key, body.challenge.goals])).toEqual([
      ['cleo', 'visits', [{ key: 'three', name: 'Three', progress: 3, target: 3, completed: true }]],
    ]);
  });
});

describe('a held event', () => {
  test('is reported when it is held, approved and rejected', async () => {
    const { secret } = await createWebhook('/held', ['event.held', 'event.approved', 'event.rejected']);
    const hold = async (): Promise<string> =>
      (await call('POST', '/v1/metrics/guarded/event', { user: { id: 'holly' }, value: 2 })).eventId;
    const [first, second] = [await hold(), await hold()];
    await call('POST', '/admin/v1/held-events/approve', { ids: [first], reason: 'A test' });
    await call('POST', '/admin/v1/held-events/approve', { ids: [first], reason: 'A test' });
    await call('POST', '/admin/v1/held-events/reject', { ids: [second], reason: 'A test' });
    await until(() => server.receiver.of('/held').length >= 4);
    const received = server.receiver.of('/held');
    for (const one of received) expectValid(one, secret);
    expect(received.map(({ body }) => `${body.type} ${body.heldEvent.id}`).toSorted()).toEqual([
      `event.approved ${first}`,
      ...[`event.held ${first}`, `event.held ${second}`].toSorted(),
      `event.rejected ${second}`,
    ]);
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

  test('what happened before a webhook was created is not sent to it', () => {
    const created = '2026-03-04T12:00:00.000Z';
    const none = { disabledReason: null, previousSecret: null };
    const webhook = {
      id: newId(),
      no: 1,
      created,
      updated: created,
      name: 'New',
      url: '',
      secret: '',
      ...none,
    };
    const events = ['streak.lost' as const];
    const rules = new Rules({ ...emptyConfig(1), webhooks: [{ ...webhook, events, status: 'active' }] });
    const rowsAt = (at: number) =>
      laterWebhookRows(rules, { type: 'streak.lost', at, userId: 'ann', ids: [] }, at, {});
    expect(rowsAt(Date.parse(created) - 1)).toEqual([]);
    expect(rowsAt(Date.parse(created))).toHaveLength(1);
  });

  test('nobody is told of achievements that were activated after users had qualified', async () => {
    await record('old');
    const { id } = await createWebhook('/silent', ['achievement.completed']);
    const achievements = await call('GET', '/admin/v1/achievements?limit=100');
    const later = achievements.find(({ key }: { key: string }) => key === 'later');
    await call('PATCH', '/admin/v1/achievements', [{ id: later.id, status: 'active' }]);
    await until(async () =>
      (await call('GET', '/v1/users/old/achievements')).some(({ key }: { key: string }) => key === 'later'),
    );
    await record('new', 1);
    expect((await settled(id, 1)).map(({ userId }) => userId)).toEqual(['new']);
  });

  test('a test delivery of every type has the payload of the contract', async () => {
    const webhook = await createWebhook('/samples', ['streak.lost']);
    for (const type of WEBHOOK_EVENTS) await call('POST', `/admin/v1/webhooks/${webhook.id}/test`, { type });
    await until(() => server.receiver.of('/samples').length === WEBHOOK_EVENTS.length);
    for (const received of server.receiver.of('/samples')) expectValid(received, webhook.secret);
    expect(typesAt('/samples').toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  });

  test('the OpenAPI document describes every type', async () => {
    const { body } = await server.call('GET', '/openapi.json');
    expect(Object.keys(body.webhooks).toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  });

  test('metrics show what was sent', async () => {
    await createWebhook('/counted', ['points.changed']);
    await record('cora');
    await until(() => server.receiver.of('/counted').length > 0);
    // What a busy machine does not read in time is missing.
    const page = async () => (await server.call('GET', '/metrics')).body;
    for (const line of [
      /laurel_deliveries_total\{channel="webhooks",outcome="sent",reason=""\} \d+/,
      /laurel_jobs\{queue="webhooks",state="waiting"\} \d+/,
      /laurel_deliveries_oldest_seconds\{channel="webhooks"\} \d+/,
    ])
      await expect.poll(page).toMatch(line);
  });
});

describe('time', () => {
  test('streaks, freezes, boosts and runs', async () => {
    // After the start of the leaderboards of the configuration.
    await moveTo('2026-03-04T12:08:00Z');
    const { id, secret } = await createWebhook(
      '/time',
      WEBHOOK_EVENTS.filter((type) => !type.endsWith('changed')),
    );
    const [system] = await call('GET', '/admin/v1/points');
    const boost = { name: 'Double', start: '2026-03-04', end: '2026-03-05', multiplier: 2 };
    await call('POST', `/admin/v1/points/${system.id}/boosts`, [
      boost,
      { ...boost, name: 'Later', start: '2026-03-06', end: '2026-03-07' },
      { ...boost, name: 'Own', userId: 'flo', start: '2026-03-06', end: '2026-03-07' },
      { ...boost, name: 'Tokyo', userId: 'tok', start: '2026-03-06', end: '2026-03-07' },
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
    await record({ id: 'tok', tz: 'Asia/Tokyo' });
    for (let i = 0; i < 10; i++) await record(`other-${i}`, 1);
    await moveTo('2026-03-05T11:00:00Z');
    await record('flo', 3);
    await moveTo('2026-03-12T13:00:00Z');
    await until(() => typesAt('/time').includes('leaderboard.finished'));
    await settled(id, 10);
    for (const received of server.receiver.of('/time')) expectValid(received, secret);
    const bodies = server.receiver.of('/time').map(({ body }) => body);
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
      ['Double', 'active', '2026-03-04T12:08'],
      ['Later', 'active', '2026-03-05T10:00'],
      ['Own', 'active', '2026-03-06T00:00'],
      ['Tokyo', 'active', '2026-03-05T15:00'],
    ]);
    expect(boosts('points.boost_finished').toSorted()).toEqual([
      ['Double', 'finished', '2026-03-06T13:00'],
      ['Later', 'finished', '2026-03-08T13:00'],
      ['Own', 'finished', '2026-03-08T00:00'],
      ['Tokyo', 'finished', '2026-03-07T15:00'],
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
        rankings: [{ userId: 'flo', value: 6 }, ...Array(9).fill({ value: 1 })],
      },
    ]);
  });

  test('a start that cannot be reported holds up no other', async () => {
    const { id } = await createWebhook('/starts', ['points.boost_started']);
    const [system] = await call('GET', '/admin/v1/points');
    const begins = (name: string, start: string, userId?: string) => ({
      name,
      start,
      end: '2030-02-01',
      multiplier: 2,
      ...(userId && { userId }),
    });
    const boosts = [begins('Unreadable', '2030-01-01', 'flo'), begins('Later', '2030-01-02')];
    await call('POST', `/admin/v1/points/${system.id}/boosts`, boosts);
    const users = { read: () => Promise.reject(new Error('the user cannot be read')) };
    const log = createLog('test', 'silent');
    // The worker looks at new boosts, too, and what it looks at is passed over meanwhile.
    await until(async () => {
      await planScheduledWebhooks({ pool: server.pool, users, log }, Date.parse('2030-01-05T00:00:00Z'));
      return (await deliveries(id)).length > 0;
    });
    expect((await deliveries(id)).map(({ type }) => type)).toEqual(['points.boost_started']);
  });
});
