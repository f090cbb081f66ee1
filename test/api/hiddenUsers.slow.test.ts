import { beforeEach, describe, expect, test } from 'vitest';
import { DAILY, items, metricBoard } from '../support/items.ts';
import { type Json, walkPages } from '../support/reading.ts';
import { restoreServer } from '../support/restoreServer.ts';
import type { Reply } from '../support/server.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Users whom an administrator hides from one leaderboard. */

/** @param laterStart first day of the leaderboard that has not begun */
const configOf = (laterStart: string) => ({
  attributes: { user: items('city') },
  metrics: items('lessons'),
  leaderboards: [
    metricBoard('all'),
    metricBoard('daily', DAILY),
    metricBoard('two', { maxParticipants: 2 }),
    metricBoard('city', { ...DAILY, breakdownAttributes: ['city'] }),
    metricBoard('later', { start: laterStart }),
    metricBoard('off', { status: 'inactive' }),
  ],
});

let days: TestDays;
const server = useServer({
  config: async () => {
    days = await TestDays.begin(server);
    await days.moveTo(0);
    return configOf(days.date(5));
  },
  relay: true,
  tenantEach: true,
});
const { admin, call, ranking } = server;
const change = (verb: 'hide' | 'show', id: string, key: string): Promise<Reply> =>
  admin('POST', `/users/${encodeURIComponent(id)}/leaderboards/${key}/${verb}`, { reason: 'A test' });
const record = async (id: string, value: number, city = 'rome'): Promise<Json> =>
  (await call('POST', '/v1/metrics/lessons/event', { user: { id, attributes: { city } }, value })).body;
const hiddenUsersOf = async (key: string): Promise<Json> =>
  (await admin('GET', `/leaderboards/${await server.idOf('/leaderboards', key)}/hidden-users`)).body;

beforeEach(async () => {
  await record('ann', 5);
  await record('ben', 3);
  await record('eve', 9);
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
    await change('hide', 'eve', 'all');
    const { leaderboards } = await record('eve', 1);
    expect(Object.keys(leaderboards).sort()).toEqual(['city', 'daily', 'two']);
    expect(await ranking('all')).toEqual(['1 ann 5', '2 ben 3']);
    const own = (await call('GET', '/v1/users/eve/leaderboards/all')).body;
    expect([own.rank, own.value]).toEqual([null, null]);
  });

  test('a user who is hidden twice is in the list and in the audit log once', async () => {
    for (let i = 0; i < 2; i++) await change('hide', 'eve', 'all');
    expect(await hiddenUsersOf('all')).toEqual([
      { userId: 'eve', reason: 'A test', hiddenAt: expect.any(String) },
    ]);
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
    expect(await ranking('two')).toEqual(['1 eve 9', '2 ann 5']);
    await change('hide', 'eve', 'two');
    expect(await ranking('two')).toEqual(['1 ann 5', '2 ben 3']);
  });

  test('a user who is shown again has the rank of the score', async () => {
    for (const key of ['two', 'all']) await change('hide', 'eve', key);
    expect((await change('show', 'eve', 'two')).body).toEqual({ leaderboard: 'two', hidden: false });
    expect(await ranking('two')).toEqual(['1 eve 9', '2 ann 5']);
    await change('show', 'eve', 'all');
    await change('show', 'eve', 'all');
    expect(await ranking('all')).toEqual(['1 eve 9', '2 ann 5', '3 ben 3']);
    expect(await hiddenUsersOf('all')).toEqual([]);
    const audit = (await admin('GET', '/audit?userId=eve')).body;
    expect(audit.filter(({ action }: Json) => action === 'delete')).toHaveLength(2);
  });

  test('leaves earlier runs that are not final, and gets no rank in later ones', async () => {
    const first = `&run=${days.date(0)}`;
    await days.moveTo(1, '01:00');
    // The state of eve is in the new run, that of ann in the old one.
    await record('eve', 4);
    expect(await ranking('daily')).toEqual(['1 eve 4']);
    expect(await ranking('daily', first)).toEqual(['1 eve 9', '2 ann 5', '3 ben 3']);
    for (const id of ['eve', 'ann']) {
      for (const key of ['daily', 'city']) expect((await change('hide', id, key)).status).toBe(200);
    }
    expect(await ranking('daily', first)).toEqual(['1 ben 3']);
    expect(await ranking('city', `${first}&userAttributes=city:rome`)).toEqual(['1 ben 3']);
    for (const id of ['ann', 'ben', 'eve']) await record(id, 2);
    expect(await ranking('daily')).toEqual(['1 ben 2']);
    expect(await ranking('city', '&userAttributes=city:rome')).toEqual(['1 ben 2']);
    await record('eve', 1, 'oslo');
    expect(await ranking('city', '&userAttributes=city:oslo')).toEqual([]);
  });

  test('has left each run in the timeline, however short its pages are', async () => {
    await days.moveTo(1, '01:00');
    await record('eve', 4);
    await change('hide', 'eve', 'daily');
    const items = await walkPages(server, '/admin/v1/users/eve/timeline?kinds=rank&', 'items');
    const left = items
      .filter(({ leaderboard }) => leaderboard.key === 'daily')
      .map(({ run, rank }) => `${run} ${rank}`);
    expect(left.filter((one) => one.endsWith('null')).sort()).toEqual([
      `${days.date(0)} null`,
      `${days.date(1)} null`,
    ]);
  });

  test('without a score, or of a leaderboard that has not begun, gets no rank later', async () => {
    await change('hide', 'ben', 'later');
    await call('PUT', '/v1/users/new', {});
    expect((await change('hide', 'new', 'all')).status).toBe(200);
    await record('new', 50);
    expect(await ranking('all')).toEqual(['1 eve 9', '2 ann 5', '3 ben 3']);
    await days.moveTo(5);
    await record('ben', 1);
    await record('ann', 1);
    expect(await ranking('later')).toEqual(['1 new 50', '2 eve 9', '3 ann 6']);
  });

  test('stays hidden after a restore', async () => {
    const boards = ['all', 'daily', 'two', 'later'];
    await call('PUT', '/v1/users/new', {});
    const hidden = { new: ['all'], ben: ['later'], eve: ['daily', 'city'] };
    for (const [id, keys] of Object.entries(hidden)) {
      for (const key of keys) expect((await change('hide', id, key)).status).toBe(200);
    }
    await days.moveTo(5);
    for (const id of ['new', 'eve', 'ben']) await record(id, 1);
    const shown = async (): Promise<string[][]> => Promise.all(boards.map((key) => ranking(key)));
    const before = await shown();
    await restoreServer(server);
    expect(await shown()).toEqual(before);
    await record('new', 1);
    await record('eve', 1);
    expect((await ranking('all')).some((ranked) => ranked.includes('new'))).toBe(false);
    expect((await ranking('daily')).some((ranked) => ranked.includes('eve'))).toBe(false);
  });

  test('is named in the export, and forgotten by an erasure', async () => {
    await call('PUT', '/v1/users/new', {});
    await change('hide', 'new', 'all');
    await record('new', 50);
    const { state, records } = (await admin('GET', '/users/new/export')).body;
    expect(state.leaderboards).toContainEqual(
      expect.objectContaining({ leaderboard: 'all', isHidden: true }),
    );
    expect(records.hidden_users).toHaveLength(1);
    await admin('DELETE', '/users/new');
    expect(
      (await server.pool.query('select from hidden_users where tenant = $1', [server.no])).rowCount,
    ).toBe(0);
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
