import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TrophyApiClient } from '@trophyso/node';
import { TrophyApiClient as OlderClient } from '@trophyso/node-older';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { clientCalls, methodsOf } from '../support/clientCalls.ts';
import { API_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';

let server: TestServer;
let client: TrophyApiClient;
let older: OlderClient;

/** Gives the tests of a `describe` a server of their own. */
function useServer(): void {
  beforeAll(async () => {
    server = await startTestServer();
    await server.startRelay();
    const environment = { api: `${server.url}/v1`, admin: `${server.url}/admin/v1` };
    client = new TrophyApiClient({ apiKey: API_KEY, environment });
    older = new OlderClient({ apiKey: API_KEY, environment });
  });
  afterAll(() => server.stop());
}

const user = {
  id: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  tz: 'Europe/London',
  attributes: { city: 'london' },
};

describe('the event of a first user', () => {
  useServer();
  const lesson = { user, value: 1, idempotencyKey: 'lesson-1' };
  let event: Awaited<ReturnType<typeof client.metrics.event>>;
  beforeAll(async () => {
    event = await client.metrics.event('lessons', lesson);
  });

  test('is answered with everything that changed', async () => {
    expect(event.total).toBe(1);
    expect(event.idempotentReplayed).toBe(false);
    expect(event.achievements.length).toBeGreaterThan(0);
    expect(event.achievements[0]!.achievedAt).toBeInstanceOf(Date);
    expect(event.currentStreak).toMatchObject({ length: 1, frequency: 'daily', extended: true });
    expect(event.points.xp!.added).toBeGreaterThan(0);
    expect(event.points.xp!.awards[0]!.trigger!.type).toBeTypeOf('string');
    expect(
      Object.values(event.leaderboards).every(
        (board) => board.rank === 1 && board.previousRank === undefined,
      ),
    ).toBe(true);

    const replay = await client.metrics.event('lessons', lesson);
    expect(replay).toMatchObject({
      eventId: event.eventId,
      total: 1,
      idempotentReplayed: true,
      achievements: [],
    });
  });

  test('has effects that can be read', async () => {
    expect(await client.users.get('ada')).toMatchObject({
      id: 'ada',
      name: 'Ada',
      attributes: { city: 'london' },
    });
    const done = await client.users.achievements('ada');
    expect(
      done.every(({ achievedAt, completions, rarity }) => achievedAt && completions === 1 && rarity === 100),
    ).toBe(true);
    const all = await client.users.achievements('ada', { includeIncomplete: 'true' });
    expect(all.length).toBeGreaterThan(done.length);
    expect((await client.achievements.all()).length).toBe(all.length);
    expect(await client.users.streak('ada')).toMatchObject({ length: 1, frequency: 'daily' });
    const points = await client.users.points('ada', 'xp');
    expect(points.total).toBeGreaterThan(0);
  });

  test('is read in the history', async () => {
    const { awards } = await client.users.points('ada', 'xp', { awards: 1 });
    expect(awards).toMatchObject([
      { awarded: 10, total: 15, trigger: { type: 'metric', metricThreshold: 1 } },
    ]);
    expect(await client.users.allMetrics('ada')).toHaveLength(3);
    const metric = await client.users.singleMetric('ada', 'lessons');
    expect(metric.current).toBe(1);
    expect(metric.achievements.find(({ key }) => key === 'first-lesson')!.achievedAt).toBeInstanceOf(Date);
    const streak = await client.users.streak('ada', { historyPeriods: 2 });
    expect(streak.streakHistory!.map(({ length }) => length)).toEqual([0, 1]);
    const { periodStart } = streak.streakHistory![1]!;
    const today = { aggregation: 'daily', startDate: periodStart, endDate: periodStart } as const;
    expect(await client.users.metricEventSummary('ada', 'lessons', today)).toEqual([
      { date: periodStart, total: 1, change: 1 },
    ]);
    expect(await client.users.pointsEventSummary('ada', 'xp', today)).toEqual([
      { date: periodStart, total: 15, change: 15 },
    ]);
    expect((await client.users.leaderboard('ada', 'weekly', { numEvents: 5 })).history).toMatchObject([
      { rank: 1, previousValue: 0, value: 1 },
    ]);
  });

  test('is read on leaderboards', async () => {
    const boards = await client.leaderboards.all();
    expect(boards.length).toBeGreaterThan(2);
    for (const { key, breakdownAttribute } of boards) {
      const page = await client.leaderboards.get(
        key,
        breakdownAttribute ? { userAttributes: 'city:london' } : {},
      );
      expect(page.rankings).toMatchObject([{ userId: 'ada', userName: 'Ada', rank: 1 }]);
      expect(await client.users.leaderboard('ada', key)).toMatchObject({
        rank: 1,
        value: page.rankings[0]!.value,
      });
    }
  });
});

describe('the newest client', () => {
  useServer();

  test('users are identified, created and updated', async () => {
    expect(await client.users.identify('bob', { name: 'Bob' })).toMatchObject({
      id: 'bob',
      name: 'Bob',
      email: undefined,
    });
    expect(await client.users.update('bob', { tz: 'Asia/Tokyo' })).toMatchObject({
      name: 'Bob',
      tz: 'Asia/Tokyo',
    });
    expect(await client.users.create({ id: 'eve', email: 'eve@example.com' })).toMatchObject({
      subscribeToEmails: true,
    });
    await expect(client.users.update('nobody', { name: 'N' })).rejects.toMatchObject({ statusCode: 404 });
    await expect(client.users.identify('bob', { subscribeToEmails: true })).rejects.toMatchObject({
      statusCode: 422,
    });
  });

  test('own metrics, mode and days off of the streak are refused without customization; every user can turn the streak off', async () => {
    const recap = { notifications: { recap: [] } };
    const own = [{ evaluationMode: 'OR' }, { metrics: [{ key: 'lessons', threshold: 1 }] }, { daysOff: [0] }];
    await client.users.identify('dan', {});
    for (const streak of own) {
      const refused = await server.call('PATCH', '/v1/users/dan/preferences', { ...recap, streak });
      expect(refused).toMatchObject({ status: 403, body: { error: expect.stringMatching(/^streak/) } });
      expect(await client.users.getPreferences('dan')).toEqual({ notifications: {} });
    }
    expect(await client.users.updatePreferences('dan', recap)).toEqual(recap);
    const off = await server.call('PATCH', '/v1/users/dan/preferences', { streak: { enabled: false } });
    expect(off).toMatchObject({ status: 200, body: { ...recap, streak: { enabled: false } } });
  });

  test('administrators give freezes and restore streaks', async () => {
    await client.metrics.event('lessons', { user: { id: 'kim' }, value: 1 });
    expect(await client.admin.streaks.freezes.create({ freezes: [{ userId: 'kim' }] })).toEqual({
      issues: [],
    });
    const refused = await client.admin.streaks.freezes.create({ freezes: [{ userId: 'nobody' }] });
    expect(refused.issues).toMatchObject([
      { userId: 'nobody', level: 'error', reason: 'User nobody does not exist' },
    ]);
    const now = `${dayFromStart(10)}T12:00:00Z`;
    expect((await server.call('POST', '/admin/v1/test-clock', { now })).status).toBe(200);
    expect(await client.users.streak('kim')).toMatchObject({ length: 0 });
    const restored = await client.admin.streaks.restore({ users: [{ id: 'kim' }] });
    expect(restored).toEqual({ restoredUsers: ['kim'], issues: [] });
    const again = await client.admin.streaks.restore({ users: [{ id: 'kim' }] });
    expect(again).toMatchObject({
      restoredUsers: [],
      issues: [{ userId: 'kim', level: 'error', reason: 'User kim has lost no streak' }],
    });
    expect(await client.users.streak('kim')).toMatchObject({ length: 1 });
  });

  test('the program in examples/client runs', async () => {
    const source = readFileSync(join(packageRoot(), 'examples/client/example.ts'), 'utf8');
    const program = source.replaceAll('http://localhost:3000', server.url);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: packageRoot(),
      env: { ...process.env, LAUREL_KEY: API_KEY },
    });
    expect(stdout).toMatch(/^\d+ lessons\n/);
    expect(stdout).toMatch(/^weekly: rank 1$/m);
  });
});

describe('both generations of the official client, against one server', () => {
  useServer();
  beforeAll(async () => {
    await server.call('POST', '/admin/v1/test-clock', { now: `${dayFromStart(10)}T12:00:00Z` });
  });

  const namesOf = (generation: object) => [...methodsOf(generation).keys()];

  test.each(['newest', 'older'] as const)('every method of the %s client answers', async (generation) => {
    const methods = methodsOf(generation === 'newest' ? client : older);
    const unused = new Set(methods.keys());
    for (const { method, args, answer } of clientCalls(dayFromStart(10))) {
      if (!unused.delete(method)) continue;
      expect(await methods.get(method)!(...args(generation)), method).toMatchObject(answer(generation));
    }
    expect([...unused]).toEqual([]);
  });

  test('the documentation lists the methods of both', () => {
    const page = readFileSync(join(packageRoot(), 'docs/application-api.md'), 'utf8');
    const inTable = [...page.matchAll(/^\| `[A-Z]+ [^`]+` \| `([\w.]+)` \|$/gm)].map(([, method]) => method);
    expect(
      namesOf(client)
        .filter((name) => !name.startsWith('admin.'))
        .sort(),
    ).toEqual(inTable.sort());
    const [, lacking] = page.match(/The older version 1\.0\.36 lacks (.*?`)\./s)!;
    const listed = [...lacking!.matchAll(/`([\w.]+)`/g)].map(([, method]) => method);
    const known = namesOf(older);
    expect(
      namesOf(client)
        .filter((name) => !known.includes(name))
        .sort(),
    ).toEqual(listed.sort());
  });

  test('lists of ids may be repeated or separated by commas, and headers of clients are ignored', async () => {
    const headers = { 'X-SDK-VERSION': '1.26.0', 'X-Fern-Language': 'Swift' };
    for (const id of ['newest', 'older']) await client.users.identify(id, {});
    for (const query of [
      'userIds=newest&userIds=older',
      'userIds=newest,older',
      'userIds[]=newest&userIds[]=older',
    ]) {
      const { status, body } = await server.call('GET', `/v1/streaks?${query}`, undefined, headers);
      expect([status, body.length], query).toEqual([200, 2]);
    }
    const pauses = ['newest', 'older'].map((userId) => ({
      userId,
      start: dayFromStart(40),
      end: dayFromStart(41),
    }));
    const { created } = (await server.call('POST', '/admin/v1/streaks/pauses', { pauses }, headers)).body;
    const ids = created.map(({ id }: { id: string }) => id).join();
    const deleted = await server.call('DELETE', `/admin/v1/streaks/pauses?ids=${ids}`, undefined, headers);
    expect(deleted.body).toEqual({ deleted: created.map(({ id }: { id: string }) => ({ id })), issues: [] });
  });
});
