import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moveClock, read, record } from './support/reading.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** What an administrator does to the streaks of users. */
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.startRelay();
  await moveClock(server, '2099-11-02T12:00:00Z');
});
afterAll(() => server.stop());

const admin = (method: string, path: string, body?: unknown) =>
  server.call(method, `/admin/v1/streaks/${path}`, body);
const noon = (day: number) => moveClock(server, `2099-11-${String(day).padStart(2, '0')}T12:00:00Z`);
const streak = (userId: string, periods = 0) =>
  read(server, `/users/${userId}/streak?historyPeriods=${periods}`);

describe('freezes', () => {
  test('are given up to the maximum; the issues say why the rest is not', async () => {
    await record(server, { id: 'ann' });
    expect(await streak('ann')).toMatchObject({ freezes: 1, maxFreezes: 2 });
    const freezes = ['ann', 'nobody', 'ann'].map((userId) => ({ userId }));
    const reply = await admin('POST', 'freezes', { freezes });
    expect(reply).toMatchObject({ status: 201 });
    expect(reply.body.issues).toMatchObject([
      { userId: 'nobody', index: 1, severity: 'error', message: expect.stringContaining('does not exist') },
      { userId: 'ann', index: 2, severity: 'error', message: expect.stringContaining('all the freezes') },
    ]);
    expect(await streak('ann')).toMatchObject({ freezes: 2 });
    expect((await admin('POST', 'freezes', { freezes: [] })).status).toBe(422);
    expect(await admin('POST', 'freezes', { freezes: [{ userId: 'nobody' }] })).toMatchObject({
      status: 200,
    });
  });
});

describe('freezes without a maximum', () => {
  test('are not given', async () => {
    const settings = (await admin('GET', 'settings')).body;
    expect((await admin('PATCH', 'settings', { freezes: null })).status).toBe(200);
    const reply = await admin('POST', 'freezes', { freezes: [{ userId: 'ann' }, { userId: 'ann' }] });
    expect(reply.status).toBe(200);
    expect(reply.body.issues.map(({ message }: { message: string }) => message)).toEqual([
      'User ann has all the freezes that a user may have: the maximum is 0',
      'User ann has all the freezes that a user may have: the maximum is 0',
    ]);
    expect((await admin('PATCH', 'settings', settings)).status).toBe(200);
  });
});

describe('pauses', () => {
  test('protect the streak during missed periods, use no freezes, and can be deleted', async () => {
    await noon(3);
    await record(server, { id: 'bo', tz: 'Pacific/Auckland' }); // the 4th there
    const pauses = [
      { userId: 'bo', start: '2099-11-05', end: '2099-11-06' },
      { userId: 'bo', start: '2099-11-06', end: '2099-11-09' },
      { userId: 'bo', start: '2099-11-03', end: '2099-11-04' },
      { userId: 'bo', start: '2099-11-20', end: '2099-11-19' },
      { userId: 'bo', start: '2099-11-07', end: '2099-11-09' },
    ];
    const reply = await admin('POST', 'pauses', { pauses });
    expect(reply.status).toBe(201);
    const [first, second] = reply.body.created;
    expect(reply.body.created).toEqual([
      { id: first.id, ...pauses[0], status: 'active' },
      { id: second.id, ...pauses[4], status: 'active' },
    ]);
    expect(reply.body.issues.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3]);
    const messages = reply.body.issues.map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      'User bo has a pause on some of these days already',
      'User bo can be paused from today on, not before',
      'end must not be before start',
    ]);
    const wrong = await admin('POST', 'pauses', {
      pauses: [
        { userId: 'bo', start: '2099-02-30', end: '2099-11-19' },
        { userId: '', start: '2099-11-19', end: '2099-11-19' },
        { userId: 'nobody', start: '2099-11-19', end: '2099-11-19' },
      ],
    });
    expect(wrong).toMatchObject({ status: 200, body: { created: [] } });
    expect(wrong.body.issues.map(({ message }: { message: string }) => message)).toEqual([
      'start must be an existing date, YYYY-MM-DD',
      'The id of a user must not be empty',
      'User nobody does not exist',
    ]);
    expect((await admin('POST', 'pauses', { pauses: [] })).status).toBe(422);
    expect((await streak('bo')).pauses.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);

    const gone = await admin('DELETE', `pauses?ids=${second.id}&ids=0199d2a5-0000-7000-8000-000000000000`);
    expect(gone.body).toMatchObject({ deleted: [{ id: second.id }], issues: [{ index: 1 }] });
    await noon(6); // the 7th there: the 5th and 6th were paused
    expect(await streak('bo', 4)).toMatchObject({
      length: 1,
      freezes: 1,
      streakHistory: [{ length: 1 }, { usedPause: true }, { usedPause: true }, { length: 0 }],
    });
    await noon(7); // the 8th: the 7th took the freeze
    expect(await streak('bo')).toMatchObject({ length: 1, freezes: 0 });
    await noon(9);
    expect(await streak('bo')).toMatchObject({ length: 0 });
  });
});

describe('a lost streak', () => {
  test('is restored to the length last lost, and goes on', async () => {
    for (const day of [10, 11, 12]) {
      await noon(day);
      await record(server, { id: 'cy' });
    }
    await noon(16);
    expect(await streak('cy')).toMatchObject({ length: 0 });
    const reply = await admin('POST', 'restore', { users: [{ id: 'cy' }, { id: 'ann' }, { id: 'nobody' }] });
    expect(reply).toMatchObject({ status: 201, body: { restoredUsers: expect.arrayContaining(['cy']) } });
    expect(reply.body.issues.map(({ userId }: { userId: string }) => userId)).toContain('nobody');
    expect(await streak('cy')).toMatchObject({ length: 3, started: '2099-11-10', expires: '2099-11-16' });
    expect((await record(server, { id: 'cy' })).currentStreak).toMatchObject({ length: 4, extended: true });
    expect((await admin('POST', 'restore', { users: [{ id: 'cy' }] })).body).toMatchObject({
      restoredUsers: [],
    });
    expect((await admin('POST', 'restore', { users: [{}] })).status).toBe(422);
  });
});

test('the audit log lists who changed whose streak, without refused changes', async () => {
  const of = async (userId: string) => (await server.call('GET', `/admin/v1/audit?userId=${userId}`)).body;
  const by = { actor: 'testkey1', userId: 'ann' };
  expect(await of('ann')).toMatchObject([
    { ...by, action: 'update', kind: 'streaks', after: { length: 1 } },
    { ...by, action: 'create', kind: 'streakFreezes', after: { freezes: 2 } },
  ]);
  expect(await of('bo')).toMatchObject([
    { action: 'delete', kind: 'streakPauses' },
    { action: 'create', kind: 'streakPauses', after: { start: '2099-11-07', end: '2099-11-09' } },
    { action: 'create', kind: 'streakPauses', after: { start: '2099-11-05', end: '2099-11-06' } },
  ]);
  expect(await of('cy')).toMatchObject([{ action: 'update', kind: 'streaks', after: { length: 3 } }]);
  expect(await of('nobody')).toEqual([]);
  const moved = (await server.call('GET', '/admin/v1/audit?limit=100')).body.filter(
    ({ kind }: { kind: string }) => kind === 'testClock',
  );
  expect(moved[0]).toMatchObject({
    after: { now: '2099-11-16T12:00:00.000Z' },
    before: { now: expect.any(String) },
  });
});

test('a restored streak began when the lost one did, even if another has begun since', async () => {
  await noon(20);
  await record(server, { id: 'di' });
  await noon(21);
  await record(server, { id: 'di' });
  await noon(25);
  expect((await record(server, { id: 'di' })).currentStreak).toMatchObject({
    length: 1,
    started: '2099-11-25',
  });
  expect(await admin('POST', 'restore', { users: [{ id: 'di' }] })).toMatchObject({ status: 201 });
  expect(await streak('di')).toMatchObject({ length: 3, started: '2099-11-20' });
});

describe('a reset streak', () => {
  const reset = (...ids: string[]) =>
    admin('POST', 'reset', { users: ids.map((id) => ({ id })), reason: 'Recorded by a script' });
  const of = async (userId: string) => (await server.call('GET', `/admin/v1/audit?userId=${userId}`)).body;

  test('ends at once, shows when, keeps freezes, and comes back when it is restored', async () => {
    for (const day of [26, 27]) {
      await noon(day);
      await record(server, { id: 'eve' });
    }
    expect(await reset('eve', 'nobody')).toMatchObject({
      status: 200,
      body: {
        resetUsers: ['eve'],
        issues: [{ userId: 'nobody', index: 1, severity: 'error', message: 'User nobody does not exist' }],
      },
    });
    const resetAt = '2099-11-27T12:00:00.000Z';
    expect(await streak('eve', 2)).toMatchObject({
      length: 0,
      freezes: 1,
      streakHistory: [{ length: 1 }, { length: 2, resetAt: expect.stringContaining(resetAt.slice(0, 16)) }],
    });
    expect((await streak('eve', 2)).streakHistory[0]).not.toHaveProperty('resetAt');
    // The day has been extended already.
    expect((await record(server, { id: 'eve' })).currentStreak).toMatchObject({ length: 0, extended: false });
    expect((await reset('eve')).body).toMatchObject({
      resetUsers: [],
      issues: [{ userId: 'eve', index: 0, severity: 'warning', message: 'User eve has no streak to reset' }],
    });
    expect(await of('eve')).toMatchObject([
      {
        action: 'update',
        kind: 'streaks',
        before: { length: 2 },
        after: { length: 0, reason: 'Recorded by a script' },
      },
    ]);
    expect(await admin('POST', 'restore', { users: [{ id: 'eve' }] })).toMatchObject({ status: 201 });
    expect(await streak('eve')).toMatchObject({ length: 2, started: '2099-11-26', expires: '2099-11-28' });
    await noon(28);
    expect((await record(server, { id: 'eve' })).currentStreak).toMatchObject({ length: 3, extended: true });
  });

  test('begins with 1 later in the same period if the period was not extended yet', async () => {
    await noon(29);
    await record(server, { id: 'flo' });
    await noon(30);
    expect((await reset('flo')).body).toMatchObject({ resetUsers: ['flo'] });
    expect((await record(server, { id: 'flo' })).currentStreak).toMatchObject({ length: 1, extended: true });
    expect(await streak('flo', 1)).toMatchObject({
      streakHistory: [{ length: 1, resetAt: expect.any(String) }],
    });
  });

  test('is refused for a list without users', async () => {
    expect((await reset()).status).toBe(422);
  });
});
