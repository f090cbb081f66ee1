import { beforeAll, expect, test } from 'vitest';
import { cellsOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { testCells } from '../support/cells.ts';
import { metricBoard } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { rankingNames } from '../support/redisData.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Live readers read a ranking again if the tenant's counter of arrivals or the size of the ranking changes.
 * Random changes of users and of the configuration: the two show each change of a page.
 */
const SEED = readSeed('liveChanges.random', 20_261_122);
const CHANGES = 200;
const CELLS = testCells(16);
const USERS = Array.from({ length: 12 }, (_, i) => `u${i}`);
const CITIES = ['rome', 'oslo'];

const BOARDS = [
  metricBoard('total'),
  metricBoard('two', { maxParticipants: 2 }),
  metricBoard('lowest', { sortOrder: 'asc', aggregation: 'best', ties: 'shared' }),
  metricBoard('latest', { aggregation: 'latest' }),
  { key: 'xp', name: 'XP', rankBy: 'points', points: 'xp', start: '2020-01-01' },
  metricBoard('cities', { breakdownAttributes: ['city'] }),
];
const configOf = (points: number) => ({
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  points: [
    {
      key: 'xp',
      name: 'XP',
      triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points }],
    },
  ],
  leaderboards: BOARDS,
});

const random = new Random(SEED);
const server = useServer({ config: configOf(5), relay: true });
const { call } = server;
beforeAll(async () => {
  for (const id of USERS) await recordEvent(id);
});

const recordEvent = (id: string) =>
  call('POST', '/v1/metrics/lessons/event', {
    user: { id, ...(random.chance(0.3) && { attributes: { city: random.pick(CITIES) } }) },
    value: random.int(-2, 3),
  });

/** One change, with a name for the message of a failure. */
function change(): [name: string, method: string, path: string, body?: object] {
  const id = random.pick(USERS);
  const ofUser = `/admin/v1/users/${id}`;
  const { key } = random.pick(BOARDS);
  const reason = 'A test';
  return random.weighted<() => [string, string, string, object?]>([
    [2, () => ['hide', 'POST', `${ofUser}/leaderboards/${key}/hide`, { reason }]],
    [2, () => ['show', 'POST', `${ofUser}/leaderboards/${key}/show`, { reason }]],
    [
      3,
      () => [
        'opt out or in',
        'PATCH',
        `/v1/users/${id}/preferences`,
        { leaderboards: { visible: random.chance(0.5) } },
      ],
    ],
    [1, () => ['erase', 'DELETE', ofUser]],
    [
      3,
      () => [
        'correct',
        'POST',
        `${ofUser}/points/xp/adjustments`,
        { amount: random.pick([-7, -1, 1, 7]), reason },
      ],
    ],
    [
      3,
      () => [
        'change the attribute',
        'PATCH',
        `/v1/users/${id}`,
        { attributes: { city: random.pick(CITIES) } },
      ],
    ],
    [1, () => ['change the configuration', 'PUT', '/admin/v1/config', configOf(random.int(1, 9))]],
  ])();
}

/** The first 100 of each ranking, by its path. */
async function readPages(): Promise<Map<string, string[]>> {
  const paths = BOARDS.flatMap(({ key }) =>
    key === 'cities' ? CITIES.map((city) => `${key}?userAttributes=city:${city}&`) : [`${key}?`],
  );
  const pages = await Promise.all(
    paths.map(async (path) => {
      const { status, body } = await call('GET', `/v1/leaderboards/${path}limit=100`);
      expect(status).toBe(200);
      const places = body.rankings.map(({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`);
      return [path, places] as const;
    }),
  );
  return new Map(pages);
}

/** What a live reader compares, by the path of the ranking. */
async function readMarks(paths: Iterable<string>): Promise<Map<string, string>> {
  const cells = cellsOf(DEFAULT_TENANT, CELLS);
  const names = await rankingNames(server.redis, DEFAULT_TENANT, CELLS);
  const arrivals = await Promise.all(
    cells.map((cell) => server.redis.get(keys.arrivals(DEFAULT_TENANT, cell))),
  );
  const marks = new Map<string, string>();
  for (const path of paths) {
    const no = 1 + BOARDS.findIndex(({ key }) => path.startsWith(`${key}?`));
    const group = /city:(\w+)/.exec(path)?.[1] ?? '';
    const sets = names.filter((name) => name.startsWith(`${no}:`) && name.includes(group)).toSorted();
    const sizes = await Promise.all(
      sets.flatMap((name) =>
        cells.map((cell) => server.redis.zcard(`${keys.tenantPrefix(DEFAULT_TENANT, cell)}lb:${name}`)),
      ),
    );
    marks.set(path, `${arrivals} ${sizes}`);
  }
  return marks;
}

test('the counter of arrivals and the size show each change of a page', async () => {
  const changed = new Map<string, number>();
  let pages = await readPages();
  let marks = await readMarks(pages.keys());
  for (let i = 0; i < CHANGES; i++) {
    const isEvent = random.chance(0.4);
    const [name, ...request] = isEvent ? (['record'] as const) : change();
    const id = random.pick(USERS);
    const { status, body } = isEvent ? await recordEvent(id) : await call(...(request as [string, string]));
    expect(status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(500);
    const [pagesNow, marksNow] = [await readPages(), await readMarks(pages.keys())];
    for (const [path, page] of pagesNow) {
      if (JSON.stringify(page) === JSON.stringify(pages.get(path))) continue;
      changed.set(name, (changed.get(name) ?? 0) + 1);
      expect(marksNow.get(path), `change ${i}, ${name}: ${path}`).not.toBe(marks.get(path));
    }
    [pages, marks] = [pagesNow, marksNow];
  }
  for (const name of ['record', 'hide', 'opt out or in'])
    expect(changed.get(name) ?? 0, name).toBeGreaterThan(0);
});
