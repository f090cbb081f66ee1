import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import type { LeagueSettings } from '../../src/rules/league.ts';
import { movingRanks, outcomeOf } from '../../src/rules/leagueTiers.ts';
import { item, items } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY, callApi, type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** What the API tells of a league: the group of a user, the place in it, and former runs. */

const [FIRST, SECOND] = ['2031-03-03', '2031-03-10'];
const LEAGUE = {
  name: 'League',
  rankBy: 'metric',
  metric: 'lessons',
  runUnit: 'day',
  runInterval: 7,
  start: FIRST,
  league: {
    groupSize: 3,
    tiers: [item('bronze', { promote: 1 }), item('silver', { demote: 1 })],
  },
};
const CONFIG = {
  settings: { defaultTimeZone: 'Pacific/Auckland' },
  attributes: { user: items('team') },
  metrics: items('lessons'),
  leaderboards: [
    { key: 'league', ...LEAGUE },
    { key: 'teams', ...LEAGUE, breakdownAttributes: ['team'] },
  ],
};
const BRONZE = { key: 'bronze', name: 'Bronze', position: 1 };
const SILVER = { key: 'silver', name: 'Silver', position: 2 };

let server: TestServer;
let keyOfDan: string;
const at = async (now: string): Promise<void> => {
  expect((await server.call('POST', '/admin/v1/test-clock', { now })).status).toBe(200);
};
const record = async (id: string, value: number): Promise<void> => {
  const user = { id, tz: 'America/Los_Angeles', attributes: { team: 'red' } };
  expect((await server.call('POST', '/v1/metrics/lessons/event', { user, value })).status).toBe(201);
};
const get = (path: string): Promise<Reply> => server.call('GET', `/v1${path}`);
const placeOf = async (id: string, query = '', key = 'league'): Promise<Json> => {
  const { body } = await get(`/users/${id}/leaderboards/${key}?numEvents=0${query}`);
  const { tier, group, promotes, demotes, previousRun, rank, value, start } = body;
  return { tier, group, promotes, demotes, previousRun, rank, value, start };
};
const page = async (query: string, key = 'league'): Promise<Json> => {
  const { status, body } = await get(`/leaderboards/${key}${query}`);
  expect(status).toBe(200);
  return shown(body);
};
const shown = ({ rankings, tier, group, reason, start }: Json): Json => ({
  ...(tier && { group: `${tier.key}/${group}` }),
  ...(reason && { reason }),
  start,
  rankings: rankings.map(({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`),
});

/** A run with two full groups, and a user without one. */
async function begin(): Promise<void> {
  server = await startTestServer({
    env: { LAUREL_CONFIG: 'none' },
    prepare: async (pool) => {
      keyOfDan = (await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'dan' }, 0)).key;
    },
  });
  await at('2031-03-03T00:00:00Z');
  expect((await server.call('PUT', '/admin/v1/config', CONFIG)).status).toBe(200);
  await server.startRelay();
  for (const [id, value] of Object.entries({ ann: 5, bob: 4, cid: 3, dan: 2, eve: 1, fay: 1 }))
    await record(id, value);
  await server.call('PUT', '/v1/users/new', {});
}
const end = (): Promise<void> => server?.stop();

const WHOLE = ['1 ann 5', '2 bob 4', '3 cid 3'];

describe('in the present run', () => {
  beforeAll(begin);
  afterAll(end);

  test('a user has a tier, a group, a rank there, and the ranks that move', async () => {
    const run = { previousRun: null, start: FIRST, tier: BRONZE, promotes: 1, demotes: null };
    expect(await placeOf('bob')).toEqual({ ...run, group: '1', rank: 2, value: 4 });
    expect(await placeOf('eve')).toEqual({ ...run, group: '2', rank: 2, value: 1 });
    expect(await placeOf('new')).toEqual({ ...run, group: null, rank: null, value: null, promotes: null });
  });

  test('a page is that of the group of the user', async () => {
    const group = 'bronze/1';
    expect(await page('?userId=bob')).toEqual({ group, start: FIRST, rankings: WHOLE.slice(1) });
    expect(await page('?userId=bob&neighbours=3')).toEqual({ group, start: FIRST, rankings: WHOLE });
    expect(await page('?userId=eve', 'teams')).toMatchObject({
      group: 'bronze/2',
      rankings: ['2 eve 1', '3 fay 1'],
    });
  });

  test('a page without a user, or of a user without a group, is empty and says why', async () => {
    expect(await page('')).toEqual({ start: FIRST, rankings: [], reason: expect.stringMatching(/userId/) });
    const reason = expect.stringMatching(/first score/);
    expect(await page('?userId=new')).toEqual({ start: FIRST, rankings: [], reason });
  });

  test('the key of a user reads the group of this user', async () => {
    const headers = { 'X-API-KEY': keyOfDan };
    const url = `${server.url}/v1/leaderboards/league`;
    const { body } = await callApi(url, 'GET', undefined, headers);
    expect(shown(body)).toEqual({
      group: 'bronze/2',
      start: FIRST,
      rankings: ['1 dan 2', '2 eve 1', '3 fay 1'],
    });
  });

  test('users of several groups are ranked among themselves by their scores', async () => {
    const { body } = await get('/leaderboards/league?userIds=dan,cid,ann,new');
    const among = body.rankings.map(({ userId, overallRank }: Json) => `${userId} ${overallRank}`);
    expect(among).toEqual(['ann 1', 'cid 3', 'dan 1']);
  });

  test.each(['league', 'teams'])('attributes do not name a group: %s', async (key) => {
    const { status, body } = await get(`/leaderboards/${key}?userAttributes=team:red`);
    expect([status, body.error]).toEqual([422, expect.stringContaining('userId')]);
  });

  test('analytics of a league have no single ranking', async () => {
    const { status, body } = await server.call('GET', '/admin/v1/analytics/leaderboards/league');
    expect([status, body.ranked, body.scores]).toEqual([200, null, []]);
  });

  test('a stream shows the group that a user joins', async () => {
    await server.call('PUT', '/v1/users/late', {});
    const states: Json[] = [];
    const url = `${server.url.replace('http', 'ws')}/v1/leaderboards/league/live?userId=late`;
    const socket = new WebSocket(url, { headers: { 'X-API-KEY': API_KEY } });
    socket.addEventListener('message', ({ data }) => states.push(shown(JSON.parse(data as string))));
    await until(() => states[0]?.reason !== undefined);
    await record('late', 1);
    await until(() => states.at(-1).group !== undefined);
    socket.close();
    expect(states.at(-1)).toEqual({ group: 'bronze/3', start: FIRST, rankings: ['1 late 1'] });
  });
});

describe('after the end of a run', () => {
  beforeAll(async () => {
    await begin();
    await at('2031-03-09T12:00:00Z');
  });
  afterAll(end);

  test('users are in the next tier before they have a group', async () => {
    const run = { start: SECOND, group: null, rank: null, value: null, promotes: null, demotes: null };
    const outcomeFor = (rank: number, outcome: string) => ({ tier: { key: 'bronze' }, rank, outcome });
    expect(await placeOf('dan')).toEqual({ ...run, tier: SILVER, previousRun: outcomeFor(1, 'promoted') });
    expect(await placeOf('bob')).toEqual({ ...run, tier: BRONZE, previousRun: outcomeFor(2, 'stayed') });
    expect(await placeOf('new')).toEqual({ ...run, tier: BRONZE, previousRun: null });
    expect(await page('?userId=dan')).toMatchObject({ rankings: [], reason: expect.any(String) });
  });

  test('the former run reads as it ended, also when its users are in other groups', async () => {
    await record('ann', 7);
    expect(await placeOf('ann')).toMatchObject({ tier: SILVER, group: '1', rank: 1, demotes: 1 });
    const former = `&run=${FIRST}`;
    const place = { tier: BRONZE, group: '1', promotes: 1, previousRun: null, start: FIRST };
    expect(await placeOf('ann', former)).toMatchObject({ ...place, rank: 1, value: 5 });
    expect(await placeOf('new', former)).toMatchObject({ tier: null, group: null, rank: null });
    expect(await page(`?userId=ann${former}`)).toEqual({
      group: 'bronze/1',
      start: FIRST,
      rankings: WHOLE,
    });
    const { body } = await get(`/leaderboards/league?userIds=dan,ann${former}`);
    expect(body.rankings.map(({ userId, value }: Json) => `${userId} ${value}`)).toEqual(['ann 5', 'dan 2']);
  });
});

test('the ranks that move are those that the end of a run moves, in groups of every size', () => {
  const tiers = [0, 2, 0].map((promote, i) => ({
    no: i + 1,
    key: `${i}`,
    name: '',
    promote,
    demote: [0, 3, 1][i]!,
  }));
  const settings: LeagueSettings = { fromRun: 0, groupSize: 10, idle: 'stay', tiers, former: [] };
  for (const { no } of tiers) {
    for (let size = 0; size <= 10; size++) {
      const { promotes, demotes } = movingRanks(settings, no, size);
      const outcomes = Array.from({ length: size }, (_, i) => outcomeOf(settings, no, i + 1, size));
      const first = outcomes.indexOf('demoted') + 1;
      expect([promotes ?? 0, demotes ?? 0]).toEqual([outcomes.lastIndexOf('promoted') + 1, first]);
    }
  }
});
