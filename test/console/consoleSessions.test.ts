import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONSOLE_SESSIONS_MAX } from '../../src/admin/access/consoleSessions.ts';
import { newId, sha256 } from '../../src/base/ids.ts';
import { ApiKeys } from '../../src/http/authentication/apiKeys.ts';
import type { RunningServer } from '../../src/server/startServer.ts';
import { createLink } from '../support/consoleBrowser.ts';
import type { Json } from '../support/reading.ts';
import {
  API_KEY,
  callApi,
  type Reply,
  startAnotherServer,
  startTestServer,
  type TestServer,
} from '../support/server.ts';
import { until } from '../support/until.ts';

/** Sessions of the console on two servers that share their stores. */
const NOWHERE = '00000000-0000-4000-8000-000000000000';
let server: TestServer;
let other: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
  other = await startAnotherServer(server);
});
afterAll(async () => {
  await other?.stop();
  await server?.stop();
});

const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body);
const createKey = async (fields: object = {}): Promise<{ id: string; key: string; prefix: string }> =>
  (await admin('POST', '/api-keys', [fields])).body.created[0];
const signInWith = (key: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Reply> =>
  callApi(`${server.url}/console/session`, 'POST', body, { 'X-API-KEY': key, ...headers });
const cookieOf = ({ headers }: Reply): string => headers.get('set-cookie')!.split(';')[0]!;
/** A call as the console makes it: with the cookie and without a key. */
const asBrowser = (
  cookie: string,
  method: string,
  path: string,
  { url = server.url, headers = {}, body = undefined as unknown } = {},
): Promise<Reply> =>
  callApi(url + path, method, body, {
    'X-API-KEY': '',
    'X-Requested-With': 'console',
    Cookie: `theme=dark; ${cookie}`,
    ...headers,
  });
const statusOf = async (cookie: string, url = server.url): Promise<number> =>
  (await asBrowser(cookie, 'GET', '/admin/v1/metrics', { url })).status;
const isAccepted = (cookie: string, url: string) => async () => (await statusOf(cookie, url)) === 200;

describe('a session', () => {
  test('is opened with an admin key, has its role, and opens every server', async () => {
    const made = await createKey({ name: 'Support', role: 'operate' });
    const opened = await signInWith(made.key);
    expect(opened.status).toBe(201);
    expect(opened.body).toEqual({
      id: expect.any(String),
      name: 'Support',
      role: 'operate',
      scope: 'account',
    });
    const cookie = cookieOf(opened);
    expect(opened.headers.get('set-cookie')).toMatch(
      /^laurel_session=console\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(await statusOf(cookie)).toBe(200);
    await until(isAccepted(cookie, other.url));
    const forbidden = await asBrowser(cookie, 'POST', '/admin/v1/metrics', {
      body: [{ key: 'a', name: 'A' }],
    });
    expect(forbidden.body.error).toContain('this key has operate');
    expect((await asBrowser(cookie, 'GET', '/console/session')).body).toEqual(opened.body);
    // Its secret is nowhere but in the cookie.
    const everything = JSON.stringify([await admin('GET', '/sessions'), await admin('GET', '/audit')]);
    expect(everything).not.toContain(cookie.split('=')[1]!.split('.')[1]);
  });

  test('survives a restart of its server', async () => {
    const cookie = cookieOf(await signInWith(API_KEY));
    await server.restart();
    expect(await statusOf(cookie)).toBe(200);
  });

  test('is sent over TLS only if it was opened over TLS', async () => {
    const opened = await signInWith(API_KEY, {}, { Origin: 'https://laurel.example' });
    expect(opened.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  test('does not count without the header that pages of other origins cannot set', async () => {
    const cookie = cookieOf(await signInWith(API_KEY));
    const forged = await asBrowser(cookie, 'POST', '/admin/v1/metrics', {
      headers: { 'X-Requested-With': '' },
      body: [{ key: 'forged', name: 'Forged' }],
    });
    expect(forged.status).toBe(401);
    const preflight = await fetch(`${server.url}/admin/v1/metrics`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-headers')).toBeNull();
  });

  test('is bound to the tenant of its key', async () => {
    await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'first' });
    await admin('POST', '/tenants', [{ customerId: 'acme', name: 'Acme' }]);
    const made = await createKey({ name: 'Acme', tenant: 'acme' });
    const opened = await signInWith(made.key);
    expect(opened.body.scope).toBe('tenant');
    const call = (path: string, headers = {}) =>
      asBrowser(cookieOf(opened), 'GET', `/admin/v1${path}`, { headers });
    expect((await call('/metrics')).body).toEqual([]);
    expect((await call('/metrics', { 'Tenant-ID': 'first' })).status).toBe(403);
    expect((await call('/sessions')).status).toBe(403);
    const listed = (await admin('GET', '/sessions?limit=100')).body;
    expect(listed.find(({ id }: Json) => id === opened.body.id)).toMatchObject({ tenant: 'acme' });
    await admin('DELETE', `/tenants?ids=${(await admin('GET', '/tenants')).body[0].id}`);
    await admin('PATCH', '/settings', { multiTenancy: false });
  });

  test.each([
    ['without a key and a link', () => signInWith(''), 401],
    ['with a wrong key', () => signInWith('wrong'), 401],
    [
      'with an application key',
      async () =>
        signInWith((await admin('POST', '/application-api-keys', [{ userId: 'ada' }])).body.created[0].key),
      403,
    ],
    [
      'with another session',
      async () => signInWith(cookieOf(await signInWith(API_KEY)).slice('laurel_session='.length)),
      403,
    ],
  ])('is not opened %s', async (_how, open, status) => {
    const refused = await open();
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([status, null]);
  });

  test(`gives way when its key has made ${CONSOLE_SESSIONS_MAX} later ones`, async () => {
    const { key } = await createKey({ role: 'read' });
    const first = cookieOf(await signInWith(key));
    const second = cookieOf(await signInWith(key));
    for (let i = 1; i < CONSOLE_SESSIONS_MAX; i++) await signInWith(key);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
});

describe('sessions are listed', () => {
  test('with who opened them, since when, and when they were last used', async () => {
    const made = await createKey({ name: 'Listed', role: 'read' });
    const opened = await signInWith(made.key);
    const link = await signInWith('', { link: (await createLink(server)).split('#link=')[1] });
    const sql = new Client({ connectionString: server.databaseUrl });
    await sql.connect();
    await sql.query(`update console_sessions set last_used = last_used - interval '1 hour' where id = $1`, [
      opened.body.id,
    ]);
    await sql.end();
    const read = async () => (await admin('GET', `/sessions/${opened.body.id}`)).body;
    const before = await read();
    expect(await statusOf(cookieOf(opened))).toBe(200);
    await until(async () => (await read()).lastUsed > before.lastUsed);
    expect(before).toEqual({
      id: opened.body.id,
      name: 'Listed',
      keyId: made.id,
      subject: null,
      role: 'read',
      tenant: null,
      created: expect.any(String),
      lastUsed: expect.any(String),
      expires: new Date(Date.parse(before.created) + 12 * 3_600_000).toISOString(),
    });
    const [newest] = (await admin('GET', '/sessions?limit=1')).body;
    expect(newest).toMatchObject({ id: link.body.id, name: 'Link of npm start', keyId: null, role: 'admin' });
  });

  test('under the same rules as everything else', async () => {
    expect((await admin('GET', '/sessions?limit=0')).status).toBe(422);
    expect((await admin('GET', `/sessions/${NOWHERE}`)).status).toBe(404);
    expect((await admin('GET', '/sessions/x')).status).toBe(422);
    expect((await admin('DELETE', '/sessions')).status).toBe(422);
  });
});

describe('a session is over on every server', () => {
  const opened = async (key = API_KEY): Promise<{ id: string; cookie: string }> => {
    const reply = await signInWith(key);
    const cookie = cookieOf(reply);
    await until(isAccepted(cookie, other.url));
    return { id: reply.body.id, cookie };
  };
  const expectOver = async (cookie: string): Promise<void> => {
    expect(await statusOf(cookie)).toBe(401);
    await until(async () => (await statusOf(cookie, other.url)) === 401);
    const { status } = await asBrowser(cookie, 'GET', '/console/session');
    expect(status).toBe(204);
  };

  test('when its user signs out, and the others go on', async () => {
    const [session, another] = [await opened(), await opened()];
    const left = await asBrowser(session.cookie, 'DELETE', '/console/session');
    expect([left.status, left.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringMatching(/^laurel_session=; .*Max-Age=0$/),
    ]);
    await expectOver(session.cookie);
    expect(await statusOf(another.cookie)).toBe(200);
    expect((await asBrowser(session.cookie, 'DELETE', '/console/session')).status).toBe(204);
  });

  test('when an administrator ends it', async () => {
    const { id, cookie } = await opened();
    const { body } = await admin('DELETE', `/sessions?ids=${id}&ids=${NOWHERE}`);
    expect(body).toEqual({
      deleted: [{ id }],
      issues: [{ id: NOWHERE, severity: 'error', message: `There is no session ${NOWHERE}` }],
    });
    await expectOver(cookie);
    const { body: log } = await admin('GET', `/audit?id=${id}`);
    expect(log).toMatchObject([
      { action: 'delete', kind: 'sessions' },
      { action: 'create', kind: 'sessions', actor: API_KEY.slice(0, 8) },
    ]);
  });

  test.each([
    ['revoked', (id: string) => admin('POST', `/api-keys/${id}/revoke`)],
    ['rotated', (id: string) => admin('POST', `/api-keys/${id}/rotate`)],
    ['deleted', (id: string) => admin('DELETE', `/api-keys?ids=${id}`)],
  ])('when its key is %s', async (_what, change) => {
    const made = await createKey({ role: 'operate' });
    const { id, cookie } = await opened(made.key);
    await change(made.id);
    await expectOver(cookie);
    expect((await admin('GET', `/sessions/${id}`)).status).toBe(404);
  });

  test('when it expires by the clock of the machine', async () => {
    const keys = new ApiKeys();
    const key = { id: newId(), prefix: 'console', kind: 'admin', tenant: null, userId: null } as const;
    const session = { ...key, role: 'admin', name: 'Ada', madeBy: null } as const;
    const known = (secret: string, inMs: number) => ({
      sha256: sha256(secret),
      key: { ...session, expires: new Date(Date.now() + inMs) },
    });
    keys.replace([known('soon', 100), known('later', 3_600_000)]);
    expect(keys.find('soon')).toMatchObject({ name: 'Ada' });
    await until(() => keys.find('soon') === undefined);
    expect(keys.find('later')).toMatchObject({ name: 'Ada' });
  });
});
