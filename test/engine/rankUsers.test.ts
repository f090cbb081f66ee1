import { beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import type { Json } from '../support/reading.ts';
import { callApi, type Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Users ranked among themselves: friends, or a team. */

const daily = { rankBy: 'metric', metric: 'lessons', runUnit: 'day', runInterval: 1, start: '2020-01-01' };
const CONFIG = {
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: ['lessons', 'laps', 'sparks'].map((key) => ({ key, name: key })),
  leaderboards: [
    { key: 'two', name: 'Two', ...daily, maxParticipants: 2 },
    { key: 'lowest', name: 'Lowest', ...daily, sortOrder: 'asc', aggregation: 'best', ties: 'shared' },
    { key: 'city', name: 'City', ...daily, breakdownAttributes: ['city'] },
    { key: 'laps', name: 'Laps', ...daily, metric: 'laps' },
    { key: 'sparks', name: 'Sparks', ...daily, metric: 'sparks' },
  ],
};
const USERS: [id: string, value: number, city: string][] = [
  ['ann', 9, 'rome'],
  ['ben', 7, 'oslo'],
  ['cid', 5, 'rome'],
  ['dee', 5, 'oslo'],
  ['eve', 8, 'rome'],
];

let keyOfEve: string;
const server = useServer({
  config: CONFIG,
  now: '2031-02-28T13:00:00Z',
  prepare: async (pool) => {
    keyOfEve = (await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'eve' }, 0)).key;
  },
  relay: true,
});
const { admin, moveTo, call } = server;
const record = (id: string, value: number, city: string): Promise<Reply> =>
  call('POST', '/v1/metrics/lessons/event', { user: { id, attributes: { city } }, value });
const rows = (body: Json): string[] =>
  body.rankings.map(
    ({ rank, userId, value, overallRank }: Json) => `${rank} ${userId} ${value} (${overallRank})`,
  );
const among = async (key: string, userIds: string, query = ''): Promise<string[]> =>
  rows((await call('GET', `/v1/leaderboards/${key}?userIds=${userIds}${query}`)).body);

beforeAll(async () => {
  for (const [id, value] of Object.entries({ ann: 90, ben: 70, eve: 80, old: 50 }))
    await record(id, value, 'paris');
  await moveTo('2031-03-01T08:00:00Z');
  for (const user of USERS) expect((await record(...user)).status).toBe(201);
  await call('PUT', '/v1/users/new', {});
});

test('users without a place are ranked, unknown ones and those without a score are left out', async () => {
  expect(await among('two', 'dee,ann,ben,nobody,new,dee')).toEqual([
    '1 ann 9 (1)',
    '2 ben 7 (null)',
    '3 dee 5 (null)',
  ]);
  expect(await among('two', 'new')).toEqual([]);
});

test('ranks follow the order of the leaderboard', async () => {
  expect(await among('lowest', 'ann,ben,cid,dee')).toEqual([
    '1 cid 5 (1)',
    '1 dee 5 (1)',
    '3 ben 7 (3)',
    '4 ann 9 (5)',
  ]);
});

test('users of several groups have the rank of their own group', async () => {
  expect(await among('city', 'ann,ben,cid,dee')).toEqual([
    '1 ann 9 (1)',
    '2 ben 7 (1)',
    '3 cid 5 (3)',
    '4 dee 5 (2)',
  ]);
});

test('a body takes more users than the parameter', async () => {
  const userIds = Array.from({ length: 998 }, (_, i) => `unknown-${i}`).concat('ben', 'ann');
  const { status, body } = await call('POST', '/v1/leaderboards/two/query', { userIds });
  expect([status, rows(body)]).toEqual([200, ['1 ann 9 (1)', '2 ben 7 (null)']]);
  expect(body).toMatchObject({ key: 'two', start: '2031-03-01' });
  for (const wrong of [{ userIds: [...userIds, 'one'] }, { userIds: [] }, { userIds: [''] }, {}])
    expect((await call('POST', '/v1/leaderboards/two/query', wrong)).status).toBe(422);
  expect((await call('POST', '/v1/leaderboards/nix/query', { userIds })).status).toBe(404);
  const many = userIds.slice(0, 101).join(',');
  expect((await call('GET', `/v1/leaderboards/two?userIds=${many}`)).status).toBe(422);
});

test('other users cannot be named beside them, nor watched', async () => {
  for (const other of ['userId=ann', 'userAttributes=city:rome', 'userId=ann&neighbours=1']) {
    const { status, body } = await call('GET', `/v1/leaderboards/city?userIds=ann&${other}`);
    expect([status, body.error]).toEqual([422, expect.stringContaining('must be left out with userIds')]);
  }
  const live = await call('GET', '/v1/leaderboards/two/live?userIds=ann');
  expect([live.status, live.body.error]).toEqual([422, expect.stringContaining('userIds')]);
});

test('the key of a user may ask for any users, and shows its own user also when hidden', async () => {
  for (const id of ['eve', 'ben'])
    await admin('POST', `/users/${id}/leaderboards/two/hide`, { reason: 'A test' });
  const ofEve = { 'X-API-KEY': keyOfEve };
  const url = `${server.url}/v1/leaderboards/two`;
  const { body } = await callApi(`${url}?userIds=ann,ben,eve`, 'GET', undefined, ofEve);
  expect(rows(body)).toEqual(['1 ann 9 (1)', '2 eve 8 (null)']);
  expect(await among('two', 'ann,ben,eve')).toEqual(['1 ann 9 (1)']);
  const asked = await callApi(`${url}/query`, 'POST', { userIds: ['cid', 'eve'] }, ofEve);
  expect(rows(asked.body)).toEqual(['1 eve 8 (null)', '2 cid 5 (2)']);
  for (const id of ['eve', 'ben'])
    await admin('POST', `/users/${id}/leaderboards/two/show`, { reason: 'A test' });
});

test('users who are blocked are left out until the block is lifted', async () => {
  for (const id of ['fay', 'gus', 'hal'])
    await call('POST', '/v1/metrics/laps/event', { user: { id }, value: 3 });
  await admin('POST', '/users/gus/block', { reason: 'A test' });
  expect(await among('laps', 'fay,gus,hal')).toEqual(['1 fay 3 (1)', '2 hal 3 (2)']);
  await admin('DELETE', '/users/gus/block');
  expect(await among('laps', 'fay,gus,hal')).toEqual(['1 fay 3 (1)', '2 hal 3 (2)', '3 gus 3 (3)']);
});

test('a user who has gone on to a later run stays before users who reached the score later', async () => {
  // For users of this zone it is the last day of February.
  for (const id of ['ida', 'jon', 'kim'])
    await call('POST', '/v1/metrics/sparks/event', {
      user: { id, tz: 'Pacific/Pago_Pago' },
      value: 4,
    });
  await call('POST', '/v1/metrics/sparks/event', { user: { id: 'ida', tz: 'UTC' }, value: 1 });
  expect(await among('sparks', 'kim,jon,ida', '&run=2031-02-28')).toEqual([
    '1 ida 4 (1)',
    '2 jon 4 (2)',
    '3 kim 4 (3)',
  ]);
});

test('a former run is ranked by its places once users have gone on', async () => {
  const before = '&run=2031-02-28';
  // The score of ben in that run is no longer known; old is still in it.
  expect(await among('two', 'ann,ben,old,eve', before)).toEqual([
    '1 ann 90 (1)',
    '2 eve 80 (2)',
    '3 old 50 (null)',
  ]);
  // In that run all of them were in another city.
  expect(await among('city', 'ann,ben,old,cid', before)).toEqual([
    '1 ann 90 (1)',
    '2 ben 70 (3)',
    '3 old 50 (4)',
  ]);
  expect(await among('two', 'old')).toEqual([]);
  const { status } = await call('GET', '/v1/leaderboards/two?userIds=ann&run=2010-01-01');
  expect(status).toBe(404);
});
