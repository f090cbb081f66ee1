import { beforeEach, expect, test } from 'vitest';
import { DAILY, items, metricBoard } from '../support/items.ts';
import { allKeys } from '../support/redisData.ts';
import { restoreServer } from '../support/restoreServer.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Places in runs that their users have left, of which the history knows only those with a rank. */

let days: TestDays;
const server = useServer({
  config: async () => {
    days = await TestDays.begin(server);
    await days.moveTo(0);
    return {
      metrics: items('lessons'),
      leaderboards: [metricBoard('two', { ...DAILY, maxParticipants: 2 })],
    };
  },
  relay: true,
  tenantEach: true,
});
const { admin, call } = server;

const record = async (id: string, value: number): Promise<void> =>
  expect(await call('POST', '/v1/metrics/lessons/event', { user: { id }, value })).toMatchObject({
    status: 201,
  });
const hide = async (id: string): Promise<void> =>
  expect(await admin('POST', `/users/${id}/leaderboards/two/hide`, { reason: 'A test' })).toMatchObject({
    status: 200,
  });
const firstRun = (): Promise<string[]> => server.ranking('two', `&run=${days.date(0)}`);

beforeEach(async () => {
  for (const [id, value] of [
    ['eve', 9],
    ['ann', 5],
    ['ben', 3],
  ] as const)
    await record(id, value);
  await days.moveTo(1, '01:00');
  for (const id of ['ann', 'ben', 'eve']) await record(id, 1);
  expect(await firstRun()).toEqual(['1 eve 9', '2 ann 5']);
});

test('a user without a rank moves up after a restore', async () => {
  await restoreServer(server);
  expect(await firstRun()).toEqual(['1 eve 9', '2 ann 5']);
  await hide('eve');
  expect(await firstRun()).toEqual(['1 ann 5', '2 ben 3']);
});

test('a user without a rank is erased from them', async () => {
  expect(await admin('DELETE', '/users/ben')).toMatchObject({ status: 200 });
  await hide('eve');
  expect(await firstRun()).toEqual(['1 ann 5']);
});

test('a user without a rank who gets another id moves up under it', async () => {
  expect(await admin('POST', '/users/ben/rename', { id: 'benny' })).toMatchObject({
    status: 200,
  });
  await hide('eve');
  expect(await firstRun()).toEqual(['1 ann 5', '2 benny 3']);
});

test('a user without a rank who is hidden does not move up', async () => {
  await hide('ben');
  await hide('eve');
  expect(await firstRun()).toEqual(['1 ann 5']);
});

test('a restore after others have left forgets none of those who have moved up', async () => {
  await hide('eve');
  await restoreServer(server);
  expect(await firstRun()).toEqual(['1 ann 5', '2 ben 3']);
});

test('the check compares them with the rankings', async () => {
  await server.expectSameStores();
  const { redis } = server;
  const run = Math.floor(Date.parse(days.date(0)) / 86_400_000);
  const names = await allKeys(redis, `*:${server.no}:lb:*:${run}:`);
  const best = await Promise.all(names.map((name) => redis.zpopmax(name)));
  await expect(server.expectSameStores()).rejects.toThrow('two: the state has score 9, the ranking none');
  await Promise.all(best.map(([member, score], i) => redis.zadd(names[i]!, score!, member!)));
  await server.expectSameStores();
});
