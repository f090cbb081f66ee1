import { expect, test } from 'vitest';
import { achievement, item, items, WEEKLY } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/** The versions of a configuration: their list, each as a file, and the way back. */

const server = useServer({ config: {}, relay: true, tenantEach: true });
const { admin, call } = server;
const file = async (query = '') => (await admin('GET', `/config${query}`)).body;
const put = async (body: object, query = ''): Promise<number> => {
  const { version } = await server.answer('PUT', `/admin/v1/config${query}`, body);
  return version;
};

const GAME = {
  attributes: { user: items('city') },
  metrics: items('lessons', 'words'),
  streak: { frequency: 'daily', metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [achievement('first', 1)],
  points: [
    {
      key: 'xp',
      name: 'Experience',
      levels: [item('bronze', { points: 10, description: '' })],
      triggers: [
        {
          type: 'metric',
          metric: 'words',
          metricThreshold: 1,
          points: 5,
          userAttributes: { city: 'berlin' },
        },
      ],
      boosts: [
        { name: 'Ada only', start: '2026-01-01', multiplier: 2, userId: 'ada' },
        { name: 'Bob only', start: '2026-01-01', multiplier: 3, userId: 'bob' },
      ],
    },
  ],
  leaderboards: [item('weekly', { rankBy: 'points', points: 'xp', ...WEEKLY })],
};

const LEVEL = GAME.points[0]!.levels[0]!;

test('each version is answered as the file that it was, and applying it goes back to it', async () => {
  const files = new Map<number, object>();
  const remember = async (version: number): Promise<number> => {
    files.set(version, await file());
    return version;
  };
  const first = await remember(await put(GAME));
  await remember(await put({ metrics: [{ key: 'lessons', name: 'Lessons completed' }] }));
  await remember(await put({ ...GAME, achievements: [], streak: { enabled: false } }, '?prune=true'));
  await remember(await put({ points: [{ ...GAME.points[0], triggers: [], boosts: [] }] }));
  await remember(await put({ settings: { experimentation: { controlRatio: 20 } } }));
  const { body } = await admin('GET', '/metrics?limit=100');
  const words = body.find(({ key }: { key: string }) => key === 'words').id;
  expect((await admin('DELETE', `/metrics?ids=${words}`)).body.issues).toEqual([]);

  for (const [version, past] of files)
    expect(await file(`?version=${version}`), `version ${version}`).toEqual(past);

  const listed = (await admin('GET', '/config/versions?limit=100')).body;
  expect(listed.map(({ version }: { version: number }) => version)).toEqual(
    [...files.keys(), first + 5].toReversed(),
  );
  const counts = await server.pool.query(
    `select version::int, count(*) filter (where action = 'create')::int as created,
       count(*) filter (where action = 'update')::int as updated, count(*) filter (where action = 'delete')::int as deleted
     from audit_log where tenant = $1 and version is not null group by version order by version desc`,
    [server.no],
  );
  expect(listed).toMatchObject(counts.rows);
  const changes = (await admin('GET', `/audit?version=${first + 1}`)).body;
  expect(changes).toMatchObject([
    { version: first + 1, kind: 'metrics', after: { name: 'Lessons completed' } },
  ]);

  const plan = await admin('PUT', '/config?prune=true&dryRun=true', await file(`?version=${first}`));
  expect(plan.body.created).toContainEqual({ kind: 'metrics', key: 'words' });
  const now = await put(await file(`?version=${first}`), '?prune=true');
  expect(now).toBe(first + 6);
  expect(await file()).toEqual(files.get(first));
  expect(await file(`?version=${now}`)).toEqual(files.get(first));
});

test('going back restores the order of lists', async () => {
  const keysOf = (items: { key: string }[]): string[] => items.map(({ key }) => key);
  const names = ['c', 'a', 'd', 'b'];
  const order = {
    attributes: { user: names.map((key) => ({ key, name: key })) },
    metrics: ['lessons', ...names].map((key) => ({ key, name: key })),
    achievements: names.map((key) => ({ key, name: key, trigger: 'api' })),
    points: [
      {
        ...GAME.points[0],
        triggers: [],
        levels: names.map((key, at) => ({ ...LEVEL, key, name: key, points: at })),
      },
    ],
    leaderboards: names.map((key) => ({ key, name: key, rankBy: 'metric', metric: 'lessons' })),
  };
  const version = await put({ ...GAME, ...order, settings: {} }, '?prune=true');
  const past = await file();
  const without = (list: { key: string }[], ...gone: string[]) =>
    list.filter(({ key }) => !gone.includes(key));
  await put(
    {
      attributes: { user: without(order.attributes.user, 'c', 'd') },
      metrics: without(order.metrics, 'a', 'd'),
      achievements: without(order.achievements, 'b', 'c', 'a'),
      points: [{ ...order.points[0], levels: without(order.points[0]!.levels, 'c', 'd') }],
      leaderboards: without(order.leaderboards, ...names),
    },
    '?prune=true',
  );
  await put({ metrics: [...without(order.metrics, 'a', 'd'), { key: 'later', name: 'Later' }] });
  await put(await file(`?version=${version}`), '?prune=true');
  expect(await file()).toEqual(past);
  for (const list of ['metrics', 'achievements', 'leaderboards'] as const)
    expect(keysOf((await admin('GET', `/${list}?limit=100`)).body), list).toEqual(keysOf(order[list]));
  expect(keysOf((await call('GET', '/v1/leaderboards')).body)).toEqual(names);
  await put({ metrics: [{ key: 'a', name: 'Changed' }] });
  expect(keysOf((await file()).metrics)).toEqual(keysOf(order.metrics));
  expect(await file(`?version=${version}`)).toEqual(past);
});

test('a boost for one user keeps its user, unless the user was erased', async () => {
  const boostsOf = async (version: number) =>
    (await file(`?version=${version}`)).points[0].boosts.map(({ userId }: { userId: string }) => userId);
  const version = await put(GAME);
  await call('POST', '/v1/metrics/lessons/event', { user: { id: 'bob' }, value: 1 });
  await put({ points: [{ ...GAME.points[0], boosts: [] }] });
  expect(await boostsOf(version)).toEqual(['ada', 'bob']);
  expect((await admin('DELETE', '/users/bob')).status).toBe(200);
  expect(await boostsOf(version)).toEqual(['ada']);
});

test('a leaderboard that has begun since does not keep anybody from going back', async () => {
  const scheduled = { ...GAME.leaderboards[0], key: 'later', start: '2026-12-01' };
  const version = await put({ ...GAME, leaderboards: [scheduled] });
  await put({ metrics: [{ key: 'lessons', name: 'Changed' }] });
  await admin('POST', '/test-clock', { now: '2026-12-02T12:00:00Z' });
  const past = await file(`?version=${version}`);
  expect(past.leaderboards.at(-1)).toMatchObject({ key: 'later', status: 'active' });
  await put(past, '?prune=true');
  expect((await file()).metrics[0].name).toBe('Lessons');
});

test('an unknown version is refused', async () => {
  expect(await admin('GET', '/config?version=99999')).toMatchObject({
    status: 404,
    body: { error: 'Version 99999 of the configuration is not recorded' },
  });
  expect((await admin('GET', '/config?version=0')).status).toBe(422);
  expect((await admin('GET', '/config/versions?limit=1000')).status).toBe(422);
});
