import { beforeAll, expect, test } from 'vitest';
import { type Json, record } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Why a user lost a streak. */

const server = useServer({ relay: true });
const { moveTo } = server;
beforeAll(async () => {
  for (const day of [1, 2]) {
    await moveTo(`2099-11-0${day}T12:00:00Z`);
    await record(server, { id: 'ann', tz: 'America/New_York' });
  }
});

const lossOf = async (user: string, query = ''): Promise<Json> => {
  const { status, body } = await server.call('GET', `/admin/v1/users/${user}/streak-loss${query}`);
  expect(status).toBe(200);
  return body;
};

test('a user without a lost streak has nothing to restore', async () => {
  await record(server, { id: 'bob' });
  expect(await lossOf('bob')).toEqual({ length: 1, restorable: 0, loss: null });
  expect((await server.call('GET', '/admin/v1/users/nobody/streak-loss')).status).toBe(404);
});

test('a loss names what was missing when, and is restored for a reason', async () => {
  // The freeze of the start saves the 3rd. On the 4th words do not count; one minute after it a lesson comes.
  await moveTo('2099-11-04T20:00:00Z');
  await record(server, { id: 'ann' }, 30, 'words');
  await moveTo('2099-11-05T05:01:00Z');
  await record(server, { id: 'ann' });
  const { length, restorable, loss } = await lossOf('ann');
  expect([length, restorable]).toEqual([1, 2]);
  expect(loss).toMatchObject({
    lostAt: '2099-11-05T05:00:00.000Z',
    frequency: 'daily',
    length: 2,
    timeZone: 'America/New_York',
    missed: { start: '2099-11-04', end: '2099-11-04' },
    evaluationMode: 'AND',
    conditions: [{ metric: { key: 'lessons' }, threshold: 1, reached: 0 }],
    hasFreezes: true,
    lastFreeze: { start: '2099-11-03', end: '2099-11-03' },
    events: [
      { at: '2099-11-05T05:01:00.000Z', metric: { key: 'lessons' }, value: 1, counts: true },
      { at: '2099-11-04T20:00:00.000Z', metric: { key: 'words' }, value: 30, counts: false },
    ],
  });
  expect((await lossOf('ann', '?at=2099-11-04T00:00:00Z')).loss).toBe(null);

  const body = { users: [{ id: 'ann' }], reason: 'The app was down' };
  expect((await server.call('POST', '/admin/v1/streaks/restore', body)).status).toBe(201);
  expect(await lossOf('ann')).toMatchObject({ length: 3, restorable: 0 });
  const { items } = (await server.call('GET', '/admin/v1/users/ann/timeline?kinds=admin')).body;
  expect(items[0]).toMatchObject({ subject: 'streaks', after: { length: 3, reason: 'The app was down' } });
});
