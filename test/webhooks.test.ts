import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../src/base/webhookEvents.ts';
import { WEBHOOKS } from '../src/contract/webhooks.ts';
import type { Received } from './support/receiver.ts';
import { until } from './support/until.ts';
import { useWebhooks } from './support/webhooks.ts';

/** What happens, as webhooks are told of it by a server, a worker and a receiver. */
const CONFIG = {
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: {
    conditions: [{ metric: 'lessons', threshold: 1 }],
    freezes: { initial: 1, max: 2, earnEveryDays: 1, earnAmount: 1 },
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
    const all = await createWebhook('/all', WEBHOOK_EVENTS);
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
void [call, deliveries, moveTo, settled];
