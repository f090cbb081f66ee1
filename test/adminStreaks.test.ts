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

const admin = (method: string, path: string, body?: unknown) => server.call(method, `/admin/v1/streaks/${path}`, body);
const noon = (day: number) => moveClock(server, `2099-11-${String(day).padStart(2, '0')}T12:00:00Z`);
const streak = (userId: string, periods = 0) => read(server, `/users/${userId}/streak?historyPeriods=${periods}`);

describe('freezes', () => {
  test('are given up to the maximum; the others are told why not', async () => {
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
    expect(await admin('POST', 'freezes', { freezes: [{ userId: 'nobody' }] })).toMatchObject({ status: 200 });
  });
});

describe('pauses', () => {
  test('save what is missed in them, cost nothing, and can be deleted', async () => {
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
    const never = { userId: 'bo', start: '2099-02-30', end: '2099-11-19' };
    expect((await admin('POST', 'pauses', { pauses: [never] })).status).toBe(422);
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
    expect((await admin('POST', 'restore', { users: [{ id: 'cy' }] })).body).toMatchObject({ restoredUsers: [] });
  });
});
