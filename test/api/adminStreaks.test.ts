import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { moveClock, read, record } from '../support/reading.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** What an administrator does to the streaks of users. */

const server = useServer({ relay: true });
let days: TestDays;
beforeAll(() => moveClock(server, '2099-11-02T12:00:00Z'));
beforeEach(async () => {
  days = await TestDays.begin(server);
});

const admin = (method: string, path: string, body?: unknown) =>
  server.call(method, `/admin/v1/streaks/${path}`, body);
const noon = (day: number) => days.moveTo(day);
const day = (number: number) => days.date(number);
const auditOf = async (userId: string) => (await server.call('GET', `/admin/v1/audit?userId=${userId}`)).body;
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
    await record(server, { id: 'gil' });
    const settings = (await admin('GET', 'settings')).body;
    expect((await admin('PATCH', 'settings', { freezes: null })).status).toBe(200);
    const reply = await admin('POST', 'freezes', { freezes: [{ userId: 'gil' }, { userId: 'gil' }] });
    expect(reply.status).toBe(200);
    expect(reply.body.issues.map(({ message }: { message: string }) => message)).toEqual([
      'User gil has all the freezes that a user may have: the maximum is 0',
      'User gil has all the freezes that a user may have: the maximum is 0',
    ]);
    expect((await admin('PATCH', 'settings', settings)).status).toBe(200);
  });
});

describe('streaks that are switched off', () => {
  test('go on with the freezes that kept them meanwhile, and the history shows what they were', async () => {
    await noon(0);
    await record(server, { id: 'sid' });
    expect((await admin('PATCH', 'settings', { enabled: false })).status).toBe(200);
    await noon(2);
    expect((await admin('PATCH', 'settings', { enabled: true })).status).toBe(200);
    expect(await streak('sid', 2)).toMatchObject({
      length: 1,
      freezes: 0,
      streakHistory: [{ length: 1, usedFreeze: true }, { length: 0 }],
    });
  });
});

describe('pauses', () => {
  test('protect the streak during missed periods, use no freezes, and can be deleted', async () => {
    await noon(0);
    await record(server, { id: 'bo', tz: 'Pacific/Auckland' }); // day 1 there
    const pauses = [
      { userId: 'bo', start: day(2), end: day(3) },
      { userId: 'bo', start: day(3), end: day(6) },
      { userId: 'bo', start: day(0), end: day(1) },
      { userId: 'bo', start: day(17), end: day(16) },
      { userId: 'bo', start: day(4), end: day(6) },
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
        { userId: 'bo', start: '2099-02-30', end: day(16) },
        { userId: '', start: day(16), end: day(16) },
        { userId: 'nobody', start: day(16), end: day(16) },
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
    await noon(3); // day 4 there: days 2 and 3 were paused
    expect(await streak('bo', 4)).toMatchObject({
      length: 1,
      freezes: 1,
      streakHistory: [{ length: 1 }, { usedPause: true }, { usedPause: true }, { length: 0 }],
    });
    await noon(4); // day 5 there: day 4 took the freeze
    expect(await streak('bo')).toMatchObject({ length: 1, freezes: 0 });
    await noon(6);
    expect(await streak('bo')).toMatchObject({ length: 0 });
  });
});

describe('a lost streak', () => {
  test('is restored to the length last lost, and goes on', async () => {
    for (const number of [0, 1, 2]) {
      await noon(number);
      await record(server, { id: 'cy' });
    }
    await noon(6);
    expect(await streak('cy')).toMatchObject({ length: 0 });
    const reply = await admin('POST', 'restore', { users: [{ id: 'cy' }, { id: 'nobody' }] });
    expect(reply).toMatchObject({ status: 201, body: { restoredUsers: expect.arrayContaining(['cy']) } });
    expect(reply.body.issues.map(({ userId }: { userId: string }) => userId)).toContain('nobody');
    expect(await streak('cy')).toMatchObject({ length: 3, started: day(0), expires: day(6) });
    expect((await record(server, { id: 'cy' })).currentStreak).toMatchObject({ length: 4, extended: true });
    expect((await admin('POST', 'restore', { users: [{ id: 'cy' }] })).body).toMatchObject({
      restoredUsers: [],
    });
    expect((await admin('POST', 'restore', { users: [{}] })).status).toBe(422);
  });
});

describe('the audit log', () => {
  test('lists who changed whose streak, without refused changes', async () => {
    for (const number of [0, 1]) {
      await noon(number);
      await record(server, { id: 'hal' });
    }
    await noon(5);
    await admin('POST', 'freezes', { freezes: ['hal', 'nobody'].map((userId) => ({ userId })) });
    await admin('POST', 'freezes', { freezes: Array.from({ length: 3 }, () => ({ userId: 'hal' })) });
    await admin('POST', 'restore', { users: [{ id: 'hal' }] });
    const pauses = [
      { userId: 'hal', start: day(6), end: day(7) },
      { userId: 'hal', start: day(7), end: day(8) },
      { userId: 'hal', start: day(8), end: day(9) },
    ];
    const [, second] = (await admin('POST', 'pauses', { pauses })).body.created;
    await admin('DELETE', `pauses?ids=${second.id}`);
    const by = { actor: 'testkey1', userId: 'hal' };
    expect(await auditOf('hal')).toMatchObject([
      { ...by, action: 'delete', kind: 'streakPauses' },
      { ...by, action: 'create', kind: 'streakPauses', after: { start: day(8), end: day(9) } },
      { ...by, action: 'create', kind: 'streakPauses', after: { start: day(6), end: day(7) } },
      { ...by, action: 'update', kind: 'streaks', after: { length: 2 } },
      { ...by, action: 'create', kind: 'streakFreezes', after: { freezes: 2 } },
      { ...by, action: 'create', kind: 'streakFreezes', after: { freezes: 1 } },
    ]);
    expect(await auditOf('nobody')).toEqual([]);
  });

  test('lists moves of the test clock', async () => {
    await noon(1);
    const { body } = await server.call('GET', '/admin/v1/audit?limit=100');
    expect(body.find(({ kind }: { kind: string }) => kind === 'testClock')).toMatchObject({
      after: { now: `${day(1)}T12:00:00.000Z` },
      before: { now: expect.any(String) },
    });
  });
});

test('a restored streak began with the lost one, also if another has begun since, and completes achievements', async () => {
  for (const number of [0, 1, 2, 3, 4, 5]) {
    await noon(number);
    await record(server, { id: 'di' });
  }
  await noon(9);
  expect((await record(server, { id: 'di' })).currentStreak).toMatchObject({
    length: 1,
    started: day(9),
  });
  expect(await admin('POST', 'restore', { users: [{ id: 'di' }] })).toMatchObject({ status: 201 });
  expect(await streak('di')).toMatchObject({ length: 7, started: day(0) });
  const achievements = await read(server, '/users/di/achievements');
  expect(achievements.map(({ key }: { key: string }) => key)).toContain('streak-7');
});

describe('a reset streak', () => {
  const reset = (...ids: string[]) =>
    admin('POST', 'reset', { users: ids.map((id) => ({ id })), reason: 'Recorded by a script' });

  test('ends at once, shows when, keeps freezes, and comes back when it is restored', async () => {
    for (const number of [0, 1]) {
      await noon(number);
      await record(server, { id: 'eve' });
    }
    expect(await reset('eve', 'nobody')).toMatchObject({
      status: 200,
      body: {
        resetUsers: ['eve'],
        issues: [{ userId: 'nobody', index: 1, severity: 'error', message: 'User nobody does not exist' }],
      },
    });
    expect(await streak('eve', 2)).toMatchObject({
      length: 0,
      freezes: 1,
      streakHistory: [{ length: 1 }, { length: 2, resetAt: expect.stringContaining(`${day(1)}T12:00`) }],
    });
    expect((await streak('eve', 2)).streakHistory[0]).not.toHaveProperty('resetAt');
    // The day has been extended already.
    expect((await record(server, { id: 'eve' })).currentStreak).toMatchObject({ length: 0, extended: false });
    expect((await reset('eve')).body).toMatchObject({
      resetUsers: [],
      issues: [{ userId: 'eve', index: 0, severity: 'warning', message: 'User eve has no streak to reset' }],
    });
    expect(await auditOf('eve')).toMatchObject([
      {
        action: 'update',
        kind: 'streaks',
        before: { length: 2 },
        after: { length: 0, reason: 'Recorded by a script' },
      },
    ]);
    expect(await admin('POST', 'restore', { users: [{ id: 'eve' }] })).toMatchObject({ status: 201 });
    expect(await streak('eve')).toMatchObject({ length: 2, started: day(0), expires: day(2) });
    await noon(2);
    expect((await record(server, { id: 'eve' })).currentStreak).toMatchObject({ length: 3, extended: true });
  });

  test('begins with 1 later in the same period if the period was not extended yet', async () => {
    await noon(0);
    await record(server, { id: 'flo' });
    await noon(1);
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
