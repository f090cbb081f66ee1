import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { SignJWT } from 'jose';
import { fetch as streamingFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { addTypes } from '../../src/commands/serviceCommands.ts';
import { compile, compressedSize, installClients } from '../support/clientPackages.ts';
import { API_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** clients/typescript, as npm run build has built it, and laurel types. */

const SECRET = 'the-secret-of-this-installation-0123';
const CLIENT_BYTES_MAX = 15_000;

let home: string;
const server = useServer({
  config: 'test/support/application.yaml',
  env: { LAUREL_USER_TOKEN_SECRET: SECRET },
  relay: true,
});
// biome-ignore lint/suspicious/noExplicitAny: the compiler checks its types in the tests below
let createClient: (options: object) => any;

beforeAll(async () => {
  home = await installClients();
  ({ createClient } = await import(pathToFileURL(join(home, 'clients/typescript/dist/index.js')).href));
});
afterAll(() => rm(home, { recursive: true }));

/** What the compiler says of programs that use the client. */
const compilePrograms = (...programs: string[]): Promise<string[]> =>
  compile(
    home,
    programs.map((program) => `import { createClient } from 'laurel-client';\n${program}`),
  );

async function writeTypes(...given: string[]): Promise<void> {
  const program = new Command();
  addTypes(program);
  await program.parseAsync(['node', 'laurel', 'types', join(home, 'laurel.d.ts'), ...given]);
}

const connect = (options: object = {}) => createClient({ url: server.url, key: API_KEY, ...options });
const lesson = (id: string) => ({ path: { key: 'lessons' }, body: { user: { id }, value: 1 } });

/** A fetch that answers from a list first, and then as the service; with the requests that it saw. */
function faultyFetch(answers: (Response | Error)[]) {
  const seen: { headers: Record<string, string>; url: string }[] = [];
  const fetched: typeof fetch = (url, init) => {
    seen.push({ headers: init!.headers as Record<string, string>, url: String(url) });
    const answer = answers.shift();
    if (answer === undefined) return fetch(url, init);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { fetch: fetched, seen };
}

const refusal = (status: number, headers: Record<string, string> = {}): Response =>
  new Response('{"error":"Not now"}', { status, headers });

test(`it has no dependency, and less than ${CLIENT_BYTES_MAX} bytes compressed`, async () => {
  const { dependencies = {} } = JSON.parse(
    await readFile(join(packageRoot(), 'clients/typescript/package.json'), 'utf8'),
  );
  expect(dependencies).toEqual({});
  expect(await compressedSize(home, 'typescript')).toBeLessThan(CLIENT_BYTES_MAX);
});

describe('the compiler', () => {
  const client = `const laurel = createClient({ url: 'http://localhost:3000', key: 'k' });\n`;
  const record = (key: string, body = `{ user: { id: 'ada' }, value: 1 }`): string =>
    `${client}laurel.recordEvents({ path: { key: '${key}' }, body: ${body} })`;

  test('knows what operations take and answer', async () => {
    const read = `.then((event) => {
      if ('held' in event) return;
      const length: number = event.currentStreak.length;
      void length;
    });`;
    const pages = `for await (const { id } of laurel.each('adminListUsers')) { const text: string = id; void text; }`;
    const right = [record('anything') + read, `${client}async function all() { ${pages} }\nvoid all;`];
    const wrong = {
      "'nothing'": `${record('anything')}.then((event) => event.nothing);`,
      "'valeu'": record('anything', `{ user: { id: 'ada' }, valeu: 1 }`),
      'Expected 1-2 arguments': `${client}laurel.getUser();`,
      "possibly 'null'": `${client}laurel.adminListMetrics().then(([metric]) => metric!.guards.action);`,
      getUser: `${client}laurel.each('getUser', { path: { id: 'ada' } });`,
    };
    const issues = await compilePrograms(...right, ...Object.values(wrong));
    expect(issues).toEqual(['', '', ...Object.keys(wrong).map((issue) => expect.stringContaining(issue))]);
  });

  test('refuses a misspelt key once laurel types has written the keys', async () => {
    for (const source of [
      ['--url', server.url, '--key', API_KEY],
      ['--file', join(packageRoot(), 'test/support/application.yaml')],
    ]) {
      await writeTypes(...source);
      const issues = await compilePrograms(
        `${record('lessons')};`,
        `${record('lesson')};`,
        `${client}laurel.getPointsSystem({ path: { key: 'px' } });`,
        `${client}laurel.watchLeaderboard('nobody', { onChange() {} });`,
      );
      expect(issues).toEqual([
        '',
        expect.stringMatching(/"lesson"' is not assignable to type '"lessons"/),
        expect.stringContaining('"px"'),
        expect.stringContaining('"nobody"'),
      ]);
      await rm(join(home, 'laurel.d.ts'));
    }
    await expect(writeTypes('--url', server.url, '--key', 'wrong')).rejects.toThrow(/401/);
  });

  test('knows the attributes and metrics of events once laurel types has written them', async () => {
    const file = join(home, 'typed.json');
    const event = [
      { key: 'distance', name: 'Distance', valueType: 'number' },
      { key: 'indoors', name: 'Indoors', valueType: 'boolean' },
      { key: 'on-day', name: 'Day', valueType: 'date' },
      { key: 'kind', name: 'Kind' },
    ];
    const user = [{ key: 'age', name: 'Age', valueType: 'number' }];
    const metrics = [
      { key: 'km', name: 'Kilometers' },
      { key: 'runs', name: 'Runs' },
    ];
    const week = { per: 'week', repeat: 'week', metric: 'runs', metricValue: 3 };
    const achievements = [{ key: 'again', name: 'Again', trigger: 'metric', ...week }];
    await writeFile(file, JSON.stringify({ attributes: { event, user }, metrics, achievements }));
    await writeTypes('--file', file);
    const several = (body: string): string =>
      `${client}laurel.recordMetricsEvent({ body: { user: { id: 'ada' }, ${body} } });`;
    const batch = (metric: string): string =>
      `${client}laurel.adminRecordEventBatch({ body: [{ key: '${metric}', user: { id: 'ada' }, value: 1 }] });`;
    const right = [
      record(
        'km',
        `{ user: { id: 'ada', attributes: { age: null } }, value: 1, attributes: { distance: 1.5, indoors: true, 'on-day': '2026-11-24', kind: 'trail' } }`,
      ),
      several('metrics: { km: 10, runs: 1 }, attributes: { distance: 10 }'),
      batch('runs'),
      `${client}async function all() {
        for (const { repeat, timesCompleted } of await laurel.listUserAchievements({ path: { id: 'ada' } })) {
          const [period, times]: ['day' | 'week' | 'month' | undefined, number | undefined] = [repeat, timesCompleted];
          void [period, times];
        }
      }
      void all;`,
    ];
    const wrong = {
      "'string' is not assignable to type 'number'": several(
        `metrics: { km: 1 }, attributes: { distance: '10' }`,
      ),
      "'number' is not assignable to type 'boolean": several(
        'metrics: { km: 1 }, attributes: { indoors: 1 }',
      ),
      "'distanc'": several('metrics: { km: 1 }, attributes: { distanc: 1 }'),
      "'kilometers'": several('metrics: { kilometers: 1 }'),
      "'height'": record('km', `{ user: { id: 'ada', attributes: { height: 1 } }, value: 1 }`),
      '"run"': batch('run'),
    };
    const issues = await compilePrograms(...right, ...Object.values(wrong));
    expect(issues).toEqual([
      ...right.map(() => ''),
      ...Object.keys(wrong).map((issue) => expect.stringContaining(issue)),
    ]);
    await rm(join(home, 'laurel.d.ts'));
  });
});

describe('a call', () => {
  test('answers what the operation answers, and throws its error with a code', async () => {
    const laurel = connect();
    expect(await laurel.recordEvents(lesson('eve/1'))).toMatchObject({ total: 1 });
    expect(await laurel.getUser({ path: { id: 'eve/1' } })).toMatchObject({ id: 'eve/1' });
    const missing = laurel.getUser({ path: { id: 'nobody' } });
    await expect(missing).rejects.toMatchObject({
      name: 'LaurelError',
      code: 'notFound',
      reason: 'unknownUser',
      status: 404,
      message: expect.stringContaining('nobody'),
      requestId: expect.any(String),
    });
    await expect(connect({ key: 'wrong' }).listAchievements()).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  test('is repeated with the same idempotency key, so an event counts once', async () => {
    const { fetch, seen } = faultyFetch([
      refusal(503, { 'Retry-After': '0' }),
      new TypeError('fetch failed'),
    ]);
    const answer = await connect({ fetch }).recordEvents(lesson('fay'));
    expect(answer).toMatchObject({ total: 1 });
    const keys = seen.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
    const own = { ...lesson('fay'), headers: { 'Idempotency-Key': 'mine' } };
    await connect({ fetch: faultyFetch([refusal(503)]).fetch }).recordEvents(own);
    expect(await connect().recordEvents(own)).toMatchObject({ total: 2, idempotentReplayed: true });
  });

  test('waits as Retry-After says, and gives up after the retries', async () => {
    const { fetch } = faultyFetch([refusal(429, { 'Retry-After': '1' })]);
    const startedMs = performance.now();
    await connect({ fetch }).listAchievements();
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    const busy = faultyFetch([refusal(503), refusal(503), refusal(503)]);
    await expect(connect({ fetch: busy.fetch, retries: 2 }).listAchievements()).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(busy.seen).toHaveLength(3);
    const late = faultyFetch([refusal(429, { 'Retry-After': '3600' })]);
    await expect(connect({ fetch: late.fetch }).listAchievements()).rejects.toMatchObject({
      retryAfterMs: 3_600_000,
    });
  });

  test('that may have been carried out is not repeated, and one that is stopped ends at once', async () => {
    const { fetch, seen } = faultyFetch([refusal(503)]);
    const grant = { path: { id: 'fay', key: 'profile' }, body: { reason: 'Test' } };
    await expect(connect({ fetch }).adminGrantAchievement(grant)).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
    const stop = new AbortController();
    const stopped = connect({
      fetch: faultyFetch([refusal(429, { 'Retry-After': '30' })]).fetch,
    }).listAchievements({}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
  });
});

test('all pages of a list are read one after the other', async () => {
  const laurel = connect();
  for (let i = 0; i < 25; i++) await laurel.createUser({ body: { id: `page-${i}` } });
  const ids: string[] = [];
  for await (const { id } of laurel.each('adminListUsers', { query: { query: 'page-', limit: 10 } }))
    ids.push(id);
  expect(new Set(ids).size).toBe(25);
  const keys: string[] = [];
  for await (const { key } of laurel.each('adminListAchievements', { query: { limit: 3 } })) keys.push(key);
  expect(keys).toContain('later');
  expect(new Set(keys).size).toBe(keys.length);
});

describe('with user tokens', () => {
  const sign = (exp: string): Promise<string> =>
    new SignJWT({ scope: 'read events' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('gil')
      .setExpirationTime(exp)
      .sign(Buffer.from(SECRET));

  test('an expired token is renewed once for all calls that need it', async () => {
    let asked = 0;
    const getToken = (): Promise<string> => {
      asked++;
      return sign('1h');
    };
    const laurel = connect({ key: undefined, token: await sign('-1s'), getToken });
    const events = await Promise.all([1, 2, 3].map(() => laurel.recordEvents(lesson('gil'))));
    expect(Math.max(...events.map(({ total }) => total))).toBe(3);
    expect(asked).toBe(1);
    const bad = connect({ key: undefined, getToken: () => 'wrong' });
    await expect(bad.listAchievements()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('a leaderboard is watched beyond the end of the first token, and not after a final refusal', async () => {
    let asked = 0;
    const getToken = (): Promise<string> => sign(asked++ === 0 ? '3s' : '1h');
    // The global one of the tests reads answers to their end, which streams do not have.
    const laurel = connect({ key: undefined, getToken, fetch: streamingFetch });
    const states: { rankings: { userId: string }[] }[] = [];
    const stop = laurel.watchLeaderboard('lessons', {
      query: { limit: 5 },
      onChange: (state: (typeof states)[number]) => void states.push(state),
    });
    await until(() => states.length > 0);
    await until(() => asked > 1);
    await connect().recordEvents(lesson('hal'));
    await until(() => states.at(-1)!.rankings.some(({ userId }) => userId === 'hal'));
    stop();
    const errors: unknown[] = [];
    laurel.watchLeaderboard('nobody', {
      onChange() {},
      onError: (error: unknown) => void errors.push(error),
    });
    await until(() => errors.length > 0);
    expect(errors).toMatchObject([{ code: 'notFound' }]);
  });
});

test('a leaderboard that cannot be reached is tried less and less often', async () => {
  vi.useFakeTimers();
  let calls = 0;
  const fetched = () => {
    calls++;
    return Promise.reject(new TypeError('Failed to fetch'));
  };
  const client = connect({ fetch: fetched, retries: 0 });
  const stop = client.watchLeaderboard('board', { onChange() {} });
  await vi.advanceTimersByTimeAsync(600_000);
  const first = calls;
  expect(first).toBeGreaterThan(10);
  expect(first).toBeLessThan(30);
  await vi.advanceTimersByTimeAsync(600_000);
  // At least once a minute, at most twice.
  expect(calls - first).toBeGreaterThanOrEqual(10);
  expect(calls - first).toBeLessThanOrEqual(20);
  stop();
  vi.useRealTimers();
});
