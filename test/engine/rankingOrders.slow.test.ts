import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'undici';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { restoreServer } from '../support/restoreServer.ts';
import { API_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** Leaderboards whose values are better when lower, that rank the best or latest value, or share ranks. */

const daily = { rankBy: 'metric', metric: 'lap', runUnit: 'day', runInterval: 1, start: '2020-01-01' };
const CONFIG = {
  attributes: {
    user: [{ key: 'team', name: 'Team' }],
    event: [{ key: 'track', name: 'Track' }],
  },
  metrics: [{ key: 'lap', name: 'Lap time' }],
  leaderboards: [
    { key: 'fastest', name: 'Fastest', ...daily, sortOrder: 'asc', aggregation: 'best' },
    { key: 'latest', name: 'Latest', ...daily, aggregation: 'latest' },
    { key: 'pair', name: 'Pair', ...daily, sortOrder: 'asc', aggregation: 'best', maxParticipants: 2 },
    { key: 'shared', name: 'Shared', ...daily, aggregation: 'best', ties: 'shared' },
    { key: 'sharedPair', name: 'Shared pair', ...daily, ties: 'shared', maxParticipants: 2 },
    { key: 'monza', name: 'Monza', ...daily, aggregation: 'best', eventAttributes: { track: 'monza' } },
    { key: 'monzaSum', name: 'Monza', ...daily, eventAttributes: { track: 'monza' } },
    {
      key: 'teams',
      name: 'Teams',
      ...daily,
      sortOrder: 'asc',
      aggregation: 'best',
      breakdownAttributes: ['team'],
    },
    { key: 'plain', name: 'Plain', ...daily },
  ],
};

const server = useServer({ config: CONFIG, relay: true });
const { admin, call, ranking } = server;
const record = async (id: string, value: number, attributes?: object, user: object = {}): Promise<Json> => {
  const { leaderboards } = await server.record({ id, ...user }, value, 'lap', { attributes });
  return leaderboards;
};
const own = async (id: string, key: string): Promise<[number | null, number | null]> => {
  const { rank, value } = (await call('GET', `/v1/users/${id}/leaderboards/${key}`)).body;
  return [rank, value];
};
/**
 * Each test has a day of its own, so each begins with empty rankings. The clock goes on: users in several cells
 * of the tenant who arrive at one instant are in the order of the cells.
 */
let day = 1;
const nextDay = async (): Promise<void> => {
  const now = `2031-03-${String(++day).padStart(2, '0')}T12:00:00Z`;
  expect((await admin('POST', '/test-clock', { now })).status).toBe(200);
};
beforeEach(nextDay);

describe('the best value, lower ones first', () => {
  test('ranks zero and negative values, and a value that is not improved keeps its arrival', async () => {
    expect((await record('ann', 62.5)).fastest).toMatchObject({ rank: 1, previousRank: null, threshold: 0 });
    expect((await record('ben', 60)).fastest).toMatchObject({ rank: 1, previousRank: null });
    await record('cid', 62.5);
    expect((await record('ann', 70)).fastest).toBeUndefined();
    expect((await record('ann', 62.5)).fastest).toBeUndefined();
    expect(await ranking('fastest')).toEqual(['1 ben 60', '2 ann 62.5', '3 cid 62.5']);
    expect((await record('cid', 0)).fastest).toMatchObject({ rank: 1, previousRank: 3 });
    await record('ann', -0);
    await record('dee', -3);
    expect(await ranking('fastest')).toEqual(['1 dee -3', '2 cid 0', '3 ann 0', '4 ben 60']);
    expect(await ranking('fastest', '&userId=ann&neighbours=1')).toEqual(['2 cid 0', '3 ann 0', '4 ben 60']);
    expect(await own('ann', 'fastest')).toEqual([3, 0]);
    expect(await ranking('plain')).toEqual(['1 ann 195', '2 cid 62.5', '3 ben 60']);
  });

  test('a full leaderboard has the worst value as its threshold, and the next user comes up', async () => {
    await record('ann', 10);
    expect((await record('ben', 20)).pair).toMatchObject({ rank: 2, threshold: 20 });
    expect((await record('cid', 30)).pair).toBeUndefined();
    expect((await record('dee', 20)).pair).toBeUndefined();
    expect((await record('eve', -5)).pair).toMatchObject({ rank: 1, previousRank: null, threshold: 10 });
    expect(await ranking('pair')).toEqual(['1 eve -5', '2 ann 10']);
    expect(await own('cid', 'pair')).toEqual([null, 30]);
    await admin('POST', '/users/eve/leaderboards/pair/hide', { reason: 'A test' });
    expect(await ranking('pair')).toEqual(['1 ann 10', '2 ben 20']);
    await record('eve', -9);
    await admin('POST', '/users/eve/leaderboards/pair/show', { reason: 'A test' });
    expect(await ranking('pair')).toEqual(['1 eve -9', '2 ann 10']);
    await admin('DELETE', '/users/eve');
    expect(await ranking('pair')).toEqual(['1 ann 10', '2 ben 20']);
  });

  test('moves with the user to another group', async () => {
    await record('ann', -1, undefined, { attributes: { team: 'red' } });
    await record('ben', -1, undefined, { attributes: { team: 'blue' } });
    const { teams } = await record('ann', 5, undefined, { attributes: { team: 'blue' } });
    expect(teams).toMatchObject({ rank: 2, previousRank: 1, breakdownAttributeValue: 'blue' });
    expect(await ranking('teams', '&userAttributes=team:blue')).toEqual(['1 ben -1', '2 ann -1']);
    expect(await ranking('teams', '&userAttributes=team:red')).toEqual([]);
  });
});

test('the latest value may be worse than the one before', async () => {
  await record('ann', 9);
  await record('ben', 5);
  expect((await record('ann', -2)).latest).toMatchObject({ rank: 2, previousRank: 1 });
  expect(await ranking('latest')).toEqual(['1 ben 5', '2 ann -2']);
  const { history } = (await call('GET', '/v1/users/ann/leaderboards/latest')).body;
  expect(history).toMatchObject([{ previousRank: null, rank: 2, previousValue: null, value: -2 }]);
});

test.each([0.30000000000000004, 92.30000000000001, 1234.56789012341])(
  'a score of %d shares its rank with equal ones only',
  async (value) => {
    await record('ann', value);
    await record('ben', 1);
    expect((await record('cid', value)).shared).toMatchObject({ rank: value > 1 ? 1 : 2 });
    const rank = value > 1 ? 1 : 2;
    expect([await own('ann', 'shared'), await own('cid', 'shared')]).toEqual([
      [rank, value],
      [rank, value],
    ]);
    const { shared } = await record('cid', 2_000);
    expect(shared).toMatchObject({ rank: 1, previousRank: rank });
  },
);

test('equal scores share a rank, and the next rank skips', async () => {
  for (const [id, value] of Object.entries({ ann: 7, ben: 5, cid: 5, dee: 1, eve: 5 }))
    await record(id, value);
  expect(await ranking('shared')).toEqual(['1 ann 7', '2 ben 5', '2 cid 5', '2 eve 5', '5 dee 1']);
  expect(await ranking('shared', '&offset=2')).toEqual(['2 cid 5', '2 eve 5', '5 dee 1']);
  expect(await ranking('shared', '&userId=eve&neighbours=1')).toEqual(['2 cid 5', '2 eve 5', '5 dee 1']);
  expect(await own('cid', 'shared')).toEqual([2, 5]);
  expect((await record('eve', 7)).shared).toMatchObject({ rank: 1, previousRank: 2 });
  expect((await record('dee', 7)).shared).toMatchObject({ rank: 1, previousRank: 5 });
  expect(await ranking('shared')).toEqual(['1 ann 7', '1 eve 7', '1 dee 7', '4 ben 5', '4 cid 5']);
  const lines = (
    await server.pool.query(`select rank from leaderboard_rankings where leaderboard = 'shared' limit 0`)
  ).rows;
  expect(lines).toEqual([]);
});

test('the places of a full leaderboard go to those who came first, also where a rank is shared', async () => {
  for (const id of ['ann', 'ben', 'cid']) await record(id, 4);
  expect(await ranking('sharedPair')).toEqual(['1 ann 4', '1 ben 4']);
  expect(await own('cid', 'sharedPair')).toEqual([null, 4]);
  expect((await record('cid', 1)).sharedPair).toMatchObject({ rank: 1, previousRank: null, threshold: 4 });
  expect(await ranking('sharedPair')).toEqual(['1 cid 5', '2 ann 4']);
});

test('only events that match the filter count', async () => {
  expect((await record('ann', 50, { track: 'spa' })).monza).toBeUndefined();
  await record('ann', 30, { track: 'monza' });
  await record('ann', 40, { track: 'spa' });
  await record('ann', 20, { track: 'monza' });
  await record('ben', 45);
  expect(await ranking('monza')).toEqual(['1 ann 30']);
  expect(await ranking('monzaSum')).toEqual(['1 ann 50']);
});

test('answers name the order, and those of other leaderboards are as before', async () => {
  const views = (await call('GET', '/v1/leaderboards')).body;
  const byKey = Object.fromEntries(views.map((view: Json) => [view.key, view]));
  expect(byKey.fastest).toMatchObject({ sortOrder: 'asc', aggregation: 'best' });
  expect(byKey.shared).toMatchObject({ ties: 'shared' });
  expect(byKey.monza.eventAttributes).toEqual([{ key: 'track', value: 'monza' }]);
  for (const field of ['sortOrder', 'aggregation', 'ties', 'eventAttributes'])
    expect(byKey.plain).not.toHaveProperty(field);
});

describe('once the next run has begun', () => {
  const formerRun = (): string => `2031-03-${String(day - 1).padStart(2, '0')}`;
  const winners = async (key: string): Promise<string[]> => {
    const { id } = (await admin('GET', '/leaderboards')).body.find((board: Json) => board.key === key);
    const { body } = await admin('GET', `/leaderboards/${id}/winners?run=${formerRun()}`);
    return body.map(({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`);
  };

  test('pages and winners of the former run have its order', async () => {
    for (const [id, value] of Object.entries({ ann: 7, ben: 5, cid: 5, dee: -1, eve: 7 }))
      await record(id, value);
    await record('eve', 6);
    const pages = {
      fastest: ['1 dee -1', '2 ben 5', '3 cid 5', '4 eve 6', '5 ann 7'],
      latest: ['1 ann 7', '2 eve 6', '3 ben 5', '4 cid 5', '5 dee -1'],
      shared: ['1 ann 7', '1 eve 7', '3 ben 5', '3 cid 5', '5 dee -1'],
    };
    for (const [key, page] of Object.entries(pages)) expect(await ranking(key)).toEqual(page);
    await nextDay();
    await record('ann', 0);
    for (const [key, page] of Object.entries(pages)) {
      expect([key, await ranking(key, `&run=${formerRun()}`)]).toEqual([key, page]);
      expect([key, await winners(key)]).toEqual([key, page.filter((place) => Number(place[0]) <= 3)]);
    }
    const around = `&run=${formerRun()}&userId=cid&neighbours=1`;
    expect(await ranking('shared', around)).toEqual(['3 ben 5', '3 cid 5', '5 dee -1']);
    expect(await ranking('pair', `&run=${formerRun()}`)).toEqual(['1 dee -1', '2 ben 5']);
  });
});

test('analytics count ranks that rise and fall, and show values in their ranges', async () => {
  await record('ann', 10);
  await record('ben', 20);
  await record('ben', 0);
  await record('cid', -10);
  const on = `2031-03-${String(day).padStart(2, '0')}`;
  const read = async (key: string): Promise<Json> =>
    (await admin('GET', `/analytics/leaderboards/${key}?from=${on}&to=${on}&interval=day`)).body;
  const { periods, ranked, scores } = await read('fastest');
  expect(periods).toMatchObject([{ start: on, participants: 3, entered: 3, left: 0, up: 1, down: 0 }]);
  expect(ranked).toBe(3);
  const filled = scores.filter(({ users }: Json) => users > 0);
  expect(filled).toMatchObject([{ from: -10 }, { from: -1, to: 1 }, { to: 10 }]);
  const latest = await read('latest');
  expect(latest.periods).toMatchObject([{ participants: 3, entered: 3, up: 0, down: 1 }]);
});

test('live pages have the order, and shared ranks', async () => {
  const states: string[][] = [];
  const url = `${server.url.replace('http', 'ws')}/v1/leaderboards/shared/live`;
  const socket = new WebSocket(url, { headers: { 'X-API-KEY': API_KEY } });
  socket.addEventListener('message', ({ data }) => {
    const { rankings } = JSON.parse(data as string);
    states.push(rankings.map(({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`));
  });
  for (const [id, value] of Object.entries({ ann: 7, ben: 5, cid: 5, dee: 1 })) await record(id, value);
  const shows = (...places: string[]) => until(() => isDeepStrictEqual(states.at(-1), places));
  await shows('1 ann 7', '2 ben 5', '2 cid 5', '4 dee 1');
  await record('dee', 5);
  await shows('1 ann 7', '2 ben 5', '2 cid 5', '2 dee 5');
  socket.close();
});

test('a restore brings back all rankings, those of runs that are not final, too', async () => {
  await record('ann', 3, { track: 'monza' }, { attributes: { team: 'red' } });
  await record('ben', -3, { track: 'monza' }, { attributes: { team: 'red' } });
  await record('cid', 3, { track: 'spa' });
  await nextDay();
  await record('ben', 8, { track: 'monza' });
  await record('cid', 8);
  const before = `&run=2031-03-${String(day - 1).padStart(2, '0')}`;
  const shown = (): Promise<string[][]> =>
    Promise.all(
      ['fastest', 'latest', 'pair', 'shared', 'sharedPair', 'monza', 'plain'].flatMap((key) => [
        ranking(key),
        ranking(key, before),
      ]),
    );
  const all = await shown();
  expect(all[0]).toEqual(['1 ben 8', '2 cid 8']);
  expect(all[1]).toEqual(['1 ben -3', '2 ann 3', '3 cid 3']);
  await restoreServer(server);
  expect(await shown()).toEqual(all);
  const { rows } = await server.pool.query(
    `select rank || ' ' || user_id || ' ' || value as place from leaderboard_rankings
     where leaderboard = 'fastest' and run_start = '2031-03-${String(day - 1).padStart(2, '0')}' order by rank`,
  );
  expect(rows.map(({ place }) => place)).toEqual(all[1]);
});
