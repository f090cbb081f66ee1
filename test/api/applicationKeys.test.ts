import { EventSource, type MessageEvent } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { callApi, type Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Application keys: for one user each, and from a browser where the installation allows it. */

const PAGE = 'https://app.example';

const server = useServer({
  config: 'test/support/application.yaml',
  env: { LAUREL_CORS_ORIGINS: `${PAGE}, http://localhost:5173` },
  prepare: async (pool) => {
    ({ key, prefix } = await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'ada/1' }, 0));
    keyOfBob = (await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'bob' }, 0)).key;
  },
});
let key: string;
let prefix: string;
let keyOfBob: string;

beforeAll(async () => {
  for (const id of ['ada/1', 'bob']) await server.call('POST', '/v1/users', { id });
});

const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> => callApi(server.url + path, method, body, { 'X-API-KEY': key, ...headers });

test('a key shows its kind, and logs do not show its secret part', () => {
  expect(key).toMatch(/^app_[\w]{8}\.[\w-]{32}$/);
  expect(prefix).toBe(key.split('.')[0]);
});

const OWN: [method: string, path: string, body?: object][] = [
  ['POST', '/v1/metrics/lessons/event', { user: { id: 'ID' }, value: 1 }],
  ['POST', '/api/metrics/lessons/event', { user: { id: 'ID' }, value: 1 }],
  ['POST', '/v1/achievements/profile/complete', { user: { id: 'ID' } }],
  ['POST', '/v1/users', { id: 'ID' }],
  ['GET', '/v1/users/ID'],
  ['PUT', '/v1/users/ID', { name: 'Me' }],
  ['PATCH', '/v1/users/ID', { name: 'Me' }],
  ['GET', '/v1/users/ID/preferences'],
  ['PATCH', '/v1/users/ID/preferences', { notifications: { recap: [] } }],
  ['GET', '/v1/users/ID/achievements'],
  ['GET', '/v1/users/ID/summary?include=streak,metrics'],
  ['GET', '/v1/users/ID/metrics'],
  ['GET', '/v1/users/ID/metrics/lessons'],
  ['GET', '/v1/users/ID/points/xp/boosts'],
  ['GET', '/v1/streaks?userIds=ID'],
  ['GET', '/v1/streaks?userIds[]=ID'],
  ['GET', '/v1/leaderboards/lessons?userId=ID'],
  ['GET', '/v1/leaderboards/lessons?user_id=ID'],
];

describe('an application key', () => {
  const of = (id: string, [method, path, body]: (typeof OWN)[number]) =>
    call(
      method,
      path.replace('ID', encodeURIComponent(id)),
      body && JSON.parse(JSON.stringify(body).replace('"ID"', JSON.stringify(id))),
    );

  test.each(OWN)('%s %s is for its own user', async (...operation) => {
    expect((await of('ada/1', operation)).status).toBeLessThan(300);
    const bob = await server.call('GET', '/v1/users/bob');
    const refused = await of('bob', operation);
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringMatching(/own user/) } });
    expect(await server.call('GET', '/v1/users/bob')).toMatchObject({ body: bob.body });
    expect((await of('nobody', operation)).status).toBe(403);
  });

  test('may not name other users', async () => {
    expect((await call('GET', '/v1/streaks?userIds=ada/1,bob')).status).toBe(403);
    expect((await call('PATCH', '/v1/users/ada%2F1', { id: 'bob', name: 'B' })).status).toBe(403);
  });

  test.each([
    '/v1/achievements',
    '/v1/leaderboards',
    '/v1/leaderboards/lessons',
    '/v1/leaderboards/cities?userAttributes=city:oslo',
    '/v1/points/xp',
    '/v1/points/xp/levels',
    '/v1/points/xp/boosts',
  ])('reads %s, which concerns no single user', async (path) => {
    expect((await call('GET', path)).status).toBe(200);
  });

  test('does not share the answer to an equal request of an admin key', async () => {
    const path = '/v1/users/bob';
    const replies = await Promise.all([
      server.call('GET', path),
      call('GET', path),
      server.call('GET', path),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 403, 200]);
  });

  test('is refused by the Admin API', async () => {
    expect(await call('GET', '/admin/v1/test-clock')).toMatchObject({
      status: 403,
      body: { error: /admin key/ },
    });
    const now = { now: '2030-01-01T00:00:00Z' };
    expect(await call('POST', '/admin/v1/test-clock', now)).toMatchObject({ status: 403 });
  });

  test('watches leaderboards, but not the ranks around other users', async () => {
    const watch = (query: string) =>
      fetch(`${server.url}/v1/leaderboards/lessons/live?${query}&apiKey=${key}`, {
        headers: { Origin: PAGE },
      });
    const refused = await watch('user_id=bob');
    expect(refused.status).toBe(403);
    await refused.body?.cancel();
  });
});

describe('a page in the browser', () => {
  const from = (Origin: string) => ({ Origin });
  const preflight = async (path: string, origin: string) => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    const { status, headers: answered } = await fetch(server.url + path, { method: 'OPTIONS', headers });
    return { status, answered };
  };

  test('sends a preflight request and learns what it may send', async () => {
    for (const base of ['/v1', '/api']) {
      const { status, answered } = await preflight(`${base}/metrics/lessons/event`, PAGE);
      expect(status).toBe(204);
      expect(answered.get('access-control-allow-origin')).toBe(PAGE);
      expect(answered.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH');
      const allowed = answered.get('access-control-allow-headers')!.toLowerCase().split(', ');
      expect(allowed).toEqual(
        expect.arrayContaining(['x-api-key', 'idempotency-key', 'tenant-id', 'content-type']),
      );
    }
  });

  test('of a listed origin reads answers, including errors', async () => {
    const event = { user: { id: 'ada/1' }, value: 1 };
    const replies = [
      await call('POST', '/v1/metrics/lessons/event', event, from(PAGE)),
      await call('GET', '/v1/leaderboards', undefined, from('http://localhost:5173')),
      await call('GET', '/v1/users/bob', undefined, from(PAGE)),
      await call('GET', '/v1/leaderboards', undefined, { ...from(PAGE), 'X-API-KEY': 'wrong' }),
    ];
    expect(
      replies.map(({ status, headers }) => `${status} ${headers.get('access-control-allow-origin')}`),
    ).toEqual([`201 ${PAGE}`, '200 http://localhost:5173', `403 ${PAGE}`, `401 ${PAGE}`]);
    expect(replies.every(({ headers }) => headers.get('vary') === 'Origin')).toBe(true);
  });

  test('of any other origin reads no answer', async () => {
    const { answered } = await preflight('/v1/users', 'https://evil.example');
    expect(answered.get('access-control-allow-origin')).toBeNull();
    const reply = await call('GET', '/v1/leaderboards', undefined, from('https://evil.example'));
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect((await preflight('/admin/v1/test-clock', PAGE)).status).toBe(405);
  });
});

describe('a leaderboard by attribute', () => {
  const CITIES = '/v1/leaderboards/cities';
  const lessonIn = (id: string, city: string, value: number) =>
    server.call('POST', '/v1/metrics/lessons/event', { user: { id, attributes: { city } }, value });
  const idsIn = ({ rankings }: { rankings: { userId: string }[] }) => rankings.map(({ userId }) => userId);

  beforeAll(async () => {
    await lessonIn('ada/1', 'oslo', 1);
    await lessonIn('bob', 'rome', 1);
  });

  test('shows an application key the group of its user, also while other keys read the same address', async () => {
    const [own, other] = await Promise.all([
      call('GET', CITIES),
      call('GET', CITIES, undefined, { 'X-API-KEY': keyOfBob }),
    ]);
    expect([idsIn(own.body), idsIn(other.body)]).toEqual([['ada/1'], ['bob']]);
    expect(idsIn((await call('GET', `${CITIES}?userAttributes=city:rome`)).body)).toEqual(['bob']);
  });

  test('is streamed to an application key without attributes', async () => {
    const source = new EventSource(`${server.url}${CITIES}/live?apiKey=${key}`);
    try {
      const { data } = await nextEvent(source, 'message');
      expect(idsIn(JSON.parse(data))).toEqual(['ada/1']);
    } finally {
      source.close();
    }
  });

  test('names the parameter to an admin key, as a status and, to an EventSource, as an event', async () => {
    const error = 'userAttributes must name a value for city and nothing else: userAttributes=city:VALUE';
    expect(await server.call('GET', `${CITIES}/live`)).toMatchObject({ status: 422, body: { error } });
    const source = new EventSource(`${server.url}${CITIES}/live?apiKey=${key}&userAttributes=town:oslo`);
    try {
      expect(JSON.parse((await nextEvent(source, 'error')).data)).toEqual({ error });
    } finally {
      source.close();
    }
  });
});

/** The next event of this type. An event `error` instead of it fails at once. */
function nextEvent(source: EventSource, type: string): Promise<MessageEvent> {
  return new Promise((resolve, reject) => {
    source.addEventListener(type, (event) => resolve(event as MessageEvent), { once: true });
    source.addEventListener('error', (event) => reject(new Error((event as unknown as MessageEvent).data)), {
      once: true,
    });
  });
}
