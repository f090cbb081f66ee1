import { afterEach, expect, test } from 'vitest';
import { writeKeptMonths } from '../../src/db/installation.ts';
import { countedGoal, goal, item, items, perLesson, xp } from '../support/items.ts';
import { putInForce } from '../support/putInForce.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';
import { weeksApart } from '../support/weeksApart.ts';

/**
 * Goals that begin to count have what the history has of the present run. Each test begins on a Wednesday,
 * four weeks after the one before.
 */
const WEEKLY = { start: '2026-01-01', runUnit: 'week', runInterval: 1 };
const ALL_KINDS = [
  countedGoal('ten', 10),
  goal('sum', 20),
  goal('days', 3, { aggregate: 'days' }),
  goal('kinds', 3, { aggregate: { distinct: 'kind' } }),
  goal('best', 7, { aggregate: { max: 'value' } }),
  goal('pro', 5, { where: { user: { attribute: 'plan', eq: 'pro' } } }),
];
const BASE = {
  attributes: { user: items('plan'), event: items('kind') },
  metrics: items('lessons'),
  points: [xp([perLesson(1)])],
};
const weekly = (more: object) => ({ ...BASE, challenges: [item('weekly', { ...WEEKLY, ...more })] });

const server = useServer({ config: BASE, relay: true, worker: true, tenantEach: true });
const { admin, call } = server;
const { day, at } = weeksApart(server, 4);

const configure = (config: object): Promise<void> => putInForce(admin, config);

const send = (value: number, kind: string, user: object = {}): Promise<Json> =>
  server.record('ann', value, 'lessons', { attributes: { kind }, user: { id: 'ann', ...user } });
const challenge = async (query = ''): Promise<Json> =>
  (await call('GET', `/v1/users/ann/challenges/weekly${query}`)).body;
const progressOf = ({ goals }: Json): Json =>
  Object.fromEntries(goals.map((one: Json) => [one.key, one.progress]));
const xpOf = async (): Promise<number> => (await call('GET', '/v1/users/ann/points/xp')).body.total;

afterEach(() => writeKeptMonths(server.pool, 'events', null));

test('new goals have what happened in the present run, and what was counted stays', async () => {
  await configure(weekly({ goals: [countedGoal('ten', 10)] }));
  await send(5, 'before');
  await at(5);
  await send(4, 'a');
  await at(6);
  await send(6, 'b');
  await send(-2, 'b', { attributes: { plan: 'pro' } });
  await configure(weekly({ goals: ALL_KINDS }));
  const filled = { ten: 3, sum: 8, days: 2, kinds: 2, best: 6, pro: 0 };
  expect(progressOf(await challenge())).toEqual(filled);
  expect(progressOf(await challenge(`?run=${day(0)}`))).toMatchObject({ ten: 1, sum: 0, days: 0 });
  await at(7);
  const { challenges } = await send(7, 'a');
  expect(progressOf(challenges.weekly)).toEqual({ ten: 4, sum: 15, days: 3, kinds: 2, best: 7, pro: 5 });
});

test('what completes a challenge by this does so silently, and the next run gives its reward', async () => {
  await configure(BASE);
  const { id: hook } = await server.create('/webhooks', {
    name: 'Steps',
    url: 'https://example.com/hook',
    events: ['challenge.completed'],
  });
  for (let i = 0; i < 3; i++) await send(1, 'a');
  await server.record('bob', 1);
  const rewards = { points: [{ system: 'xp', points: 50 }] };
  await configure(weekly({ goals: [countedGoal('two', 2)], claim: 'manual', rewards }));
  expect(await challenge()).toMatchObject({
    completed: true,
    completions: 1,
    claimable: false,
    completedAt: `${day(0)}T10:00:00.000Z`,
    goals: [{ progress: 2, completed: true }],
  });
  expect(await xpOf()).toBe(3);
  await server.record('bob', 1);
  await server.relayed();
  const { items: steps } = (await admin('GET', '/users/ann/timeline?kinds=challenge')).body;
  expect(steps).toMatchObject([{ change: 'completed', challenge: { key: 'weekly' }, run: day(-2) }]);
  const [{ id }] = (await admin('GET', '/challenges')).body;
  expect((await admin('GET', `/challenges/${id}/runs`)).body[0]).toMatchObject({
    users: 2,
    completed: 2,
    goals: [{ users: 2 }],
  });
  const delivered = (await admin('GET', `/webhooks/${hook}/deliveries`)).body;
  expect(delivered.map(({ userId }: Json) => userId)).toEqual(['bob']);
  await at(5);
  for (let i = 0; i < 2; i++) await send(1, 'a');
  expect(await challenge()).toMatchObject({ completed: true, completions: 2, claimable: true });
});

test('a challenge that is active again has what happened meanwhile', async () => {
  const goals = [countedGoal('ten', 10)];
  await configure(weekly({ goals }));
  await send(1, 'a');
  await configure(weekly({ goals, status: 'inactive' }));
  expect((await send(1, 'a')).challenges).toEqual({});
  await at(0, '11:00:00');
  await configure(weekly({ goals }));
  expect(progressOf(await challenge())).toEqual({ ten: 2 });
  expect(progressOf((await send(1, 'a')).challenges.weekly)).toEqual({ ten: 3 });
});

test('of users who joined, what happened since counts; others have nothing', async () => {
  const joined = { join: 'optIn' };
  await configure(weekly({ goals: [goal('sum', 20)], ...joined }));
  await send(4, 'a');
  await server.record('bob', 3);
  await at(0, '11:00:00');
  await call('POST', '/v1/users/ann/challenges/weekly/join');
  await at(0, '12:00:00');
  await send(3, 'a');
  await configure(weekly({ goals: [goal('sum', 20), countedGoal('ten', 10)], ...joined }));
  expect(progressOf(await challenge())).toEqual({ sum: 3, ten: 1 });
  const { body } = await call('GET', '/v1/users/bob/challenges/weekly');
  expect([body.joined, progressOf(body)]).toEqual([false, { sum: 0, ten: 0 }]);
});

test('an undo takes what a goal was filled with', async () => {
  await configure(weekly({ goals: [countedGoal('ten', 10)] }));
  const { eventId } = await send(4, 'a');
  await at(0, '11:00:00');
  await configure(weekly({ goals: [countedGoal('ten', 10), goal('sum', 20)] }));
  await send(3, 'a');
  await server.relayed();
  expect((await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' })).status).toBe(200);
  expect(progressOf(await challenge())).toEqual({ ten: 1, sum: 3 });
});

test('if events have been dropped, what is known stays', async () => {
  await configure(weekly({ goals: [countedGoal('ten', 10)] }));
  await send(4, 'a');
  await server.relayed();
  await configure(weekly({ goals: [countedGoal('ten', 10)], status: 'inactive' }));
  await send(1, 'a');
  await writeKeptMonths(server.pool, 'events', 12);
  await at(0, '11:00:00');
  await configure(weekly({ goals: [countedGoal('ten', 10), goal('sum', 20)] }));
  expect(progressOf(await challenge())).toEqual({ ten: 1, sum: 5 });
});
