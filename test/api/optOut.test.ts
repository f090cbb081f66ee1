import { expect, test } from 'vitest';
import { createApiKey } from '../../src/db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import type { Json } from '../support/reading.ts';
import { callApi, type Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Users who have opted out of leaderboards. Each test has users and leaderboards of its own. */

const BOARDS = ['events', 'both', 'runs', 'own', 'before'];
const CONFIG = {
  metrics: BOARDS.map((key) => ({ key, name: key })),
  leaderboards: BOARDS.map((key) => ({
    key,
    name: key,
    rankBy: 'metric',
    metric: key,
    start: '2020-01-01',
    maxParticipants: 2,
    ...(key === 'runs' && { runUnit: 'day', runInterval: 1 }),
  })),
};

let keyOfOwn: string;
const server = useServer({
  config: CONFIG,
  now: '2031-03-01T12:00:00Z',
  prepare: async (pool) => {
    keyOfOwn = (await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'own-a' }, 0)).key;
  },
  relay: true,
});
const { admin, call, ranking } = server;
const record = async (board: string, id: string, value: number): Promise<Json> =>
  (await call('POST', `/v1/metrics/${board}/event`, { user: { id }, value })).body.leaderboards;
const setVisible = async (id: string, visible: boolean): Promise<void> => {
  const { status, body } = await call('PATCH', `/v1/users/${id}/preferences`, {
    leaderboards: { visible },
  });
  expect([status, body.leaderboards]).toEqual([200, { visible }]);
};

test('a user who opts out leaves the place to the next one, scores go on, and comes back', async () => {
  for (const [id, value] of Object.entries({ a: 5, b: 3, c: 2 }))
    await record('events', `events-${id}`, value);
  await setVisible('events-a', false);
  await setVisible('events-a', false);
  expect(await ranking('events')).toEqual(['1 events-b 3', '2 events-c 2']);
  expect(await record('events', 'events-a', 1)).toEqual({});
  expect(await ranking('events')).toEqual(['1 events-b 3', '2 events-c 2']);
  const friends = (await call('GET', '/v1/leaderboards/events?userIds=events-a,events-b')).body;
  expect(friends.rankings.map(({ userId }: Json) => userId)).toEqual(['events-b']);
  await setVisible('events-a', true);
  expect(await ranking('events')).toEqual(['1 events-a 6', '2 events-b 3']);
});

test('a user must be shown by the administrator and visible', async () => {
  const change = async (verb: string): Promise<void> => {
    const { status } = await admin('POST', `/users/both-a/leaderboards/both/${verb}`, { reason: 'A test' });
    expect(status).toBe(200);
  };
  await record('both', 'both-a', 4);
  await change('hide');
  await setVisible('both-a', false);
  await setVisible('both-a', true);
  expect(await ranking('both')).toEqual([]);
  await setVisible('both-a', false);
  await change('show');
  expect(await ranking('both')).toEqual([]);
  await change('hide');
  await change('show');
  await setVisible('both-a', true);
  expect(await ranking('both')).toEqual(['1 both-a 4']);
});

test('without places in earlier runs that are not final and in later ones', async () => {
  await record('runs', 'runs-a', 4);
  await record('runs', 'runs-b', 3);
  await admin('POST', '/test-clock', { now: '2031-03-02T08:00:00Z' });
  await record('runs', 'runs-a', 2);
  await setVisible('runs-a', false);
  expect(await ranking('runs', '&run=2031-03-01')).toEqual(['1 runs-b 3']);
  await admin('POST', '/test-clock', { now: '2031-03-03T08:00:00Z' });
  expect(await record('runs', 'runs-a', 7)).toEqual({});
  await setVisible('runs-a', true);
  expect(await ranking('runs')).toEqual(['1 runs-a 7']);
});

test('the key of a user may change it for this user', async () => {
  await record('own', 'own-a', 4);
  await record('own', 'own-b', 3);
  const change = (id: string): Promise<Reply> =>
    callApi(
      `${server.url}/v1/users/${id}/preferences`,
      'PATCH',
      { leaderboards: { visible: false } },
      { 'X-API-KEY': keyOfOwn },
    );
  expect((await change('own-b')).status).toBe(403);
  expect((await change('own-a')).status).toBe(200);
  expect(await ranking('own')).toEqual(['1 own-b 3']);
  const wrong = await call('PATCH', '/v1/users/own-b/preferences', {
    leaderboards: { visible: 'no' },
  });
  expect([wrong.status, wrong.body.error]).toEqual([422, expect.stringContaining('leaderboards.visible')]);
});

test('a user who opts out before the first score gets no place', async () => {
  await call('PUT', '/v1/users/before-a', {});
  await setVisible('before-a', false);
  await record('before', 'before-a', 4);
  await record('before', 'before-b', 3);
  expect(await ranking('before')).toEqual(['1 before-b 3']);
  expect((await call('GET', '/v1/users/before-a/preferences')).body.leaderboards).toEqual({
    visible: false,
  });
  await setVisible('before-a', true);
  expect(await ranking('before')).toEqual(['1 before-a 4', '2 before-b 3']);
});
