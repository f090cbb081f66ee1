import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { restoreServer } from './support/restoreServer.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';

/** Users whom an administrator hides from one leaderboard. */

type Json = Reply['body'];

const CONFIG = {
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  leaderboards: [
    { key: 'all', name: 'All', rankBy: 'metric', metric: 'lessons', start: '2020-01-01' },
    {
      key: 'daily',
      name: 'Daily',
      rankBy: 'metric',
      metric: 'lessons',
      runUnit: 'day',
      runInterval: 1,
      start: '2020-01-01',
    },
    { key: 'two', name: 'Two', rankBy: 'metric', metric: 'lessons', maxParticipants: 2, start: '2020-01-01' },
    {
      key: 'city',
      name: 'City',
      rankBy: 'metric',
      metric: 'lessons',
      start: '2020-01-01',
      runUnit: 'day',
      runInterval: 1,
      breakdownAttributes: ['city'],
    },
    { key: 'later', name: 'Later', rankBy: 'metric', metric: 'lessons', start: '2031-03-06' },
    { key: 'off', name: 'Off', rankBy: 'metric', metric: 'lessons', start: '2020-01-01', status: 'inactive' },
  ],
};

const silent = createLog('test', 'silent');

let server: TestServer;
let pool: Pool;
const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body);
const change = (verb: 'hide' | 'show', id: string, key: string): Promise<Reply> =>
  admin('POST', `/users/${encodeURIComponent(id)}/leaderboards/${key}/${verb}`, { reason: 'A test' });
const record = async (id: string, value: number, city = 'rome'): Promise<Json> =>
  (await server.call('POST', '/v1/metrics/lessons/event', { user: { id, attributes: { city } }, value }))
    .body;
const ranking = async (key: string, query = ''): Promise<string[]> =>
  (await server.call('GET', `/v1/leaderboards/${key}?limit=100${query}`)).body.rankings.map(
    ({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`,
  );
const at = async (instant: string): Promise<void> => {
  expect((await admin('POST', '/test-clock', { now: instant })).status).toBe(200);
};
const boardId = async (key: string): Promise<string> =>
  (await admin('GET', '/leaderboards?limit=100')).body.find((board: Json) => board.key === key).id;

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none' } });
  pool = createPool(server.databaseUrl, silent);
  await at('2031-03-01T12:00:00Z');
  const { status, body } = await admin('PUT', '/config', CONFIG);
  expect([status, body.error]).toEqual([200, undefined]);
  await server.startRelay();
  await record('ann', 5);
  await record('ben', 3);
  await record('eve', 9);
});
afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

describe('a hidden user', () => {
  test('leaves the ranking at once and stays on other leaderboards', async () => {
    expect(await ranking('all')).toEqual(['1 eve 9', '2 ann 5', '3 ben 3']);
    expect(await change('hide', 'eve', 'all')).toMatchObject({
      status: 200,
      body: { leaderboard: 'all', hidden: true },
    });
    expect(await ranking('all')).toEqual(['1 ann 5', '2 ben 3']);
    expect(await ranking('daily')).toEqual(['1 eve 9', '2 ann 5', '3 ben 3']);
  });

  test('gets no rank by events, but the score goes on', async () => {
    const { leaderboards } = await record('eve', 1);
    expect(Object.keys(leaderboards).sort()).toEqual(['city', 'daily', 'two']);
    expect(await ranking('all')).toEqual(['1 ann 5', '2 ben 3']);
    const own = (await server.call('GET', '/v1/users/eve/leaderboards/all')).body;
    expect([own.rank, own.value]).toEqual([null, null]);
  });

  test('a user who is hidden twice is in the list and in the audit log once', async () => {
    await change('hide', 'eve', 'all');
    const hidden = (await admin('GET', `/leaderboards/${await boardId('all')}/hidden-users`)).body;
    expect(hidden).toEqual([{ userId: 'eve', reason: 'A test', hiddenAt: expect.any(String) }]);
    const audit = (await admin('GET', '/audit?userId=eve')).body;
    expect(audit).toMatchObject([{ action: 'create', kind: 'hiddenUsers', after: { leaderboard: 'all' } }]);
    const { items } = (await admin('GET', '/users/eve/timeline?kinds=admin,rank')).body;
    expect(items.find(({ kind }: Json) => kind === 'admin')).toMatchObject({ subject: 'hiddenUsers' });
    expect(
      items.find(({ kind, leaderboard }: Json) => kind === 'rank' && leaderboard.key === 'all'),
    ).toMatchObject({
      rank: null,
      value: 9,
    });
  });

  test('leaves the rank on a full leaderboard to the next one', async () => {
    expect(await ranking('two')).toEqual(['1 eve 10', '2 ann 5']);
    await change('hide', 'eve', 'two');
    expect(await ranking('two')).toEqual(['1 ann 5', '2 ben 3']);
  });

  test('a user who is shown again has the rank of the score', async () => {
    expect((await change('show', 'eve', 'two')).body).toEqual({ leaderboard: 'two', hidden: false });
    expect(await ranking('two')).toEqual(['1 eve 10', '2 ann 5']);
    await change('show', 'eve', 'all');
    await change('show', 'eve', 'all');
    expect(await ranking('all')).toEqual(['1 eve 10', '2 ann 5', '3 ben 3']);
    expect((await admin('GET', `/leaderboards/${await boardId('all')}/hidden-users`)).body).toEqual([]);
    const audit = (await admin('GET', '/audit?userId=eve')).body;
    expect(audit.filter(({ action }: Json) => action === 'delete')).toHaveLength(2);
  });

  test('leaves earlier runs that are not final, and gets no rank in later ones', async () => {
    await at('2031-03-02T01:00:00Z');
    // The state of eve is in the new run, that of ann in the old one.
    await record('eve', 4);
    expect(await ranking('daily')).toEqual(['1 eve 4']);
    expect(await ranking('daily', '&run=2031-03-01')).toEqual(['1 eve 10', '2 ann 5', '3 ben 3']);
    for (const id of ['eve', 'ann']) {
      for (const key of ['daily', 'city']) expect((await change('hide', id, key)).status).toBe(200);
    }
    expect(await ranking('daily', '&run=2031-03-01')).toEqual(['1 ben 3']);
    expect(await ranking('city', '&run=2031-03-01&userAttributes=city:rome')).toEqual(['1 ben 3']);
    for (const id of ['ann', 'ben', 'eve']) await record(id, 2);
    expect(await ranking('daily')).toEqual(['1 ben 2']);
    expect(await ranking('city', '&userAttributes=city:rome')).toEqual(['1 ben 2']);
    await record('eve', 1, 'oslo');
    expect(await ranking('city', '&userAttributes=city:oslo')).toEqual([]);
  });

  test('without a score, or of a leaderboard that has not begun, gets no rank later', async () => {
    await change('hide', 'ben', 'later');
    await server.call('PUT', '/v1/users/new', {});
    expect((await change('hide', 'new', 'all')).status).toBe(200);
    await record('new', 50);
    expect(await ranking('all')).toEqual(['1 eve 17', '2 ann 7', '3 ben 5']);
    await at('2031-03-06T12:00:00Z');
    await record('ben', 1);
    await record('ann', 1);
    expect(await ranking('later')).toEqual(['1 new 50', '2 eve 17', '3 ann 8']);
  });

  test('stays hidden after a restore', async () => {
    const boards = ['all', 'daily', 'two', 'later'];
    await record('ben', 1);
    const shown = async (): Promise<string[][]> => Promise.all(boards.map((key) => ranking(key)));
    const before = await shown();
    await restoreServer(server, pool, 'ben');
    expect(await shown()).toEqual(before);
    await record('new', 1);
    await record('eve', 1);
    expect((await ranking('all')).some((ranked) => ranked.includes('new'))).toBe(false);
    expect((await ranking('daily')).some((ranked) => ranked.includes('eve'))).toBe(false);
  });

  test('is named in the export, and forgotten by an erasure', async () => {
    const { state, records } = (await admin('GET', '/users/new/export')).body;
    expect(state.leaderboards).toContainEqual(
      expect.objectContaining({ leaderboard: 'all', isHidden: true }),
    );
    expect(records.hidden_users).toHaveLength(1);
    await admin('DELETE', '/users/new');
    expect((await pool.query(`select from hidden_users where user_id = 'new'`)).rowCount).toBe(0);
  });
});

describe('hiding', () => {
  test('needs a user and a leaderboard that exist, and a reason', async () => {
    expect((await change('hide', 'nobody', 'all')).status).toBe(404);
    expect((await change('hide', 'ann', 'nix')).status).toBe(404);
    expect((await change('show', 'nobody', 'all')).status).toBe(404);
    expect((await admin('POST', '/users/ann/leaderboards/all/hide', {})).status).toBe(422);
    expect((await admin('POST', '/users/ann/leaderboards/all/show', { reason: '' })).status).toBe(422);
    expect((await admin('GET', `/leaderboards/${crypto.randomUUID()}/hidden-users`)).status).toBe(404);
  });

  test('needs a leaderboard that is scheduled or active', async () => {
    const { status, body } = await change('hide', 'ann', 'off');
    expect([status, body.error]).toEqual([
      422,
      'Leaderboard off is inactive; it must be scheduled or active',
    ]);
  });
});
