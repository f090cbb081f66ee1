import { expect, test } from 'vitest';
import { countedGoal, goal, item, items } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';
import { weeksApart } from '../support/weeksApart.ts';

/** How many runs of a challenge a user has completed. Each test begins on a Wednesday. */

const DAILY = { start: '2026-01-01', runUnit: 'day', runInterval: 1 };
const CONFIG = {
  metrics: items('lessons'),
  challenges: [
    item('quest', { ...DAILY, goals: [countedGoal('two', 2)] }),
    item('claimed', {
      ...DAILY,
      goals: [countedGoal('two', 2)],
      claim: 'manual',
      rewards: { freezes: 1 },
    }),
    item('long', { ...DAILY, goals: [countedGoal('many', 90)] }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, tenantEach: true });
const { admin, call } = server;
const { day, at } = weeksApart(server, 2);
const send = (more: object = {}): Promise<Json> => server.record('ann', 1, 'lessons', more);
const completions = async (): Promise<Json> => {
  const { body } = await call('GET', '/v1/users/ann/challenges');
  const { body: summary } = await call('GET', '/v1/users/ann/summary?include=challenges');
  expect(summary.challenges).toEqual(body);
  return Object.fromEntries(body.map((one: Json) => [one.key, one.completions]));
};

test('each run counts once, also a run that a late event completes, over all time', async () => {
  await send();
  expect(await completions()).toEqual({ quest: 0, claimed: 0, long: 0 });
  await at(1);
  for (let i = 0; i < 3; i++) await send();
  expect(await completions()).toEqual({ quest: 1, claimed: 1, long: 0 });
  await send({ timestamp: `${day(0)}T11:00:00Z` });
  await at(9);
  expect(await completions()).toEqual({ quest: 2, claimed: 2, long: 0 });
  const former = await call('GET', '/v1/users/ann/challenges/quest');
  expect(former.body).toMatchObject({ completed: false, completions: 2 });
  await server.expectSameStores();
});

test('an undo and a claim leave the number, a correction counts', async () => {
  await send();
  const { eventId } = await send();
  await server.relayed();
  expect((await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' })).status).toBe(200);
  await call('POST', '/v1/users/ann/challenges/claimed/claim');
  for (let i = 0; i < 2; i++)
    await admin('POST', '/users/ann/challenges/long/complete', { reason: 'A test' });
  expect(await completions()).toEqual({ quest: 1, claimed: 1, long: 1 });
  await send();
  expect(await completions()).toEqual({ quest: 1, claimed: 1, long: 1 });
});

test('an export has the numbers and the steps by key', async () => {
  for (let i = 0; i < 2; i++) await send();
  await server.relayed();
  const { state, records } = (await admin('GET', '/users/ann/export')).body;
  expect(state.challengeCompletions).toEqual({ quest: 1, claimed: 1 });
  expect(records.challenge_steps).toEqual(
    expect.arrayContaining([expect.objectContaining({ challenge: 'quest', step: 'completed' })]),
  );
});

test('a lowered target is met with the next event of the challenge, which reports it', async () => {
  const goals = (target: number) =>
    ['lessons', 'minutes'].map((metric) => goal(metric, target, { metric, aggregate: 'count' }));
  const configured = (target: number) => ({
    metrics: items('lessons', 'minutes'),
    challenges: [item('quest', { ...DAILY, goals: goals(target), pick: 1 })],
  });
  await server.configure(configured(3));
  await server.answer('POST', '/v1/users', { id: 'ann' });
  const [drawn] = (await server.get('/v1/users/ann/challenges/quest')).goals;
  const metrics = drawn.key === 'lessons' ? ['lessons', 'minutes'] : ['minutes', 'lessons'];
  for (let i = 0; i < 2; i++) await server.record('ann', 1, metrics[0]);
  await server.configure(configured(2));
  const { challenges } = await server.record('ann', 1, metrics[1]);
  expect(challenges.quest).toMatchObject({ completed: true, goals: [{ key: metrics[0], completed: true }] });
  await server.expectSameStores();
});
