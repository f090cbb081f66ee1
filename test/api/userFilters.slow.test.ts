import { expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Users who lost a streak on a day, and blocked users, in the list of users. */

const CONFIG = {
  settings: { defaultTimeZone: 'Europe/Berlin' },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { frequency: 'daily', evaluationMode: 'AND', metrics: [{ key: 'lessons', threshold: 1 }] },
};
const server = useServer({ config: CONFIG, now: '2031-03-01T12:00:00.000Z', relay: true });
const { admin, call, moveTo } = server;
const record = async (...ids: string[]): Promise<void> => {
  for (const id of ids) await call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });
};
const list = async (query: string): Promise<Json[]> =>
  (await server.answer('GET', `/admin/v1/users?${query}`)).users;
const ids = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);

test('users are found by the day on which they lost a streak, with what a restore would add', async () => {
  await record('ada', 'bob', 'cem');
  await moveTo('2031-03-02T12:00:00.000Z');
  await record('bob', 'cem');
  await moveTo('2031-03-05T12:00:00.000Z');
  await record('ada', 'bob', 'cem');
  await server.relayed();
  // The day of Berlin begins at 23:00 UTC.
  expect(await ids('streakLostOn=2031-03-02')).toEqual([]);
  expect(await ids('streakLostOn=2031-03-03')).toEqual(['ada']);
  expect((await ids('streakLostOn=2031-03-04&sort=id')).toSorted()).toEqual(['bob', 'cem']);
  expect((await ids('streakLostOn=2031-03-04')).toSorted()).toEqual(['bob', 'cem']);
  const first: Json = await server.answer('GET', '/admin/v1/users?streakLostOn=2031-03-04&limit=1');
  const next = `/admin/v1/users?streakLostOn=2031-03-04&cursor=${first.cursor}`;
  const second: Json = await server.answer('GET', next);
  expect([...first.users, ...second.users].map(({ id }: Json) => id).toSorted()).toEqual(['bob', 'cem']);

  await server.answer('POST', '/admin/v1/streaks/restore', { users: [{ id: 'bob' }] });
  const standings = (await list('sort=id')).map((user) => [
    user.id,
    user.streak,
    user.lostStreak,
    user.freezes,
  ]);
  expect(standings).toEqual([
    ['ada', 1, 1, 0],
    ['bob', 3, 0, 0],
    ['cem', 1, 2, 0],
  ]);
});

test('blocked users are found until their blocks end', async () => {
  await record('dan', 'eve', 'fay');
  await server.answer('POST', '/admin/v1/users/dan/block', { reason: 'A bot' });
  await moveTo('2031-03-06T12:00:00.000Z');
  const until = '2031-03-07T12:00:00.000Z';
  await server.answer('POST', '/admin/v1/users/eve/block', { reason: 'A bot', until });
  await server.relayed();
  expect(await ids('blocked=true')).toEqual(['eve', 'dan']);
  expect(await ids('blocked=true&sort=id')).toEqual(['dan', 'eve']);
  expect(await ids('blocked=false')).toContain('fay');
  expect(await ids('blocked=false')).not.toContain('eve');
  await moveTo(until);
  expect(await ids('blocked=true')).toEqual(['dan']);
  expect(await ids('blocked=false')).toContain('eve');
});

test.each([
  ['sort=lost', /^streakLostOn must name the day/],
  ['sort=blocked', /^blocked must be true/],
  ['sort=blocked&blocked=false', /^blocked must be true/],
  ['streakLostOn=2031-02-30', /^streakLostOn/],
])('refuses %s', async (query, message) => {
  const { status, body } = await admin('GET', `/users?${query}`);
  expect(status).toBe(422);
  expect(body.error).toMatch(message);
});
