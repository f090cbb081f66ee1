import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SIGN_IN_SECONDS_MAX } from '../../src/http/oidc/signInAttempt.ts';
import {
  CLIENT,
  CookieJar,
  createIdentityProvider,
  type IdentityProvider,
  signInAtProvider,
  signInEnv,
  signOutAtProvider,
} from '../support/identityProvider.ts';
import { freePort } from '../support/installation.ts';
import type { Json } from '../support/reading.ts';
import { callApi, type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Signing in to the console through a real identity provider, by HTTP. */
let provider: IdentityProvider;
let server: TestServer;

beforeAll(async () => {
  const port = await freePort();
  provider = await createIdentityProvider(`http://127.0.0.1:${port}`);
  provider.people.set('ada', { name: 'Ada Lovelace', groups: ['admins', 'everybody'] });
  provider.people.set('sam', { name: 'Sam', groups: ['support'] });
  provider.people.set('eve', { groups: ['others'] });
  // The provider is away while laurel starts.
  server = await startTestServer({
    env: signInEnv(
      provider,
      port,
      'admins=admin,support=operate,partners=read@acme,ghosts=read@nowhere,readers=read',
    ),
  });
  const before = await new CookieJar().fetch(`${server.url}/console/oidc/sign-in`);
  expect(before.headers.get('location')).toBe('/console#sign-in=unavailable');
  await provider.start();
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body);
const asBrowser = (jar: CookieJar, method: string, path: string, body?: unknown): Promise<Reply> =>
  callApi(server.url + path, method, body, {
    'X-API-KEY': '',
    'X-Requested-With': 'console',
    Cookie: jar.header,
  });
const atProvider = (jar: CookieJar, login: string, to?: string): Promise<string> =>
  signInAtProvider(jar, server.url, provider, login, to);
/** Signs in, and returns where laurel sends the browser then. */
async function signIn(jar: CookieJar, login: string, to?: string): Promise<string> {
  const { headers } = await jar.fetch(await atProvider(jar, login, to));
  return headers.get('location')!;
}
async function signedIn(login: string): Promise<{ jar: CookieJar; session: Json }> {
  const jar = new CookieJar();
  expect(await signIn(jar, login)).toBe('/console');
  return { jar, session: (await asBrowser(jar, 'GET', '/console/session')).body };
}
const isSignedIn = async (jar: CookieJar): Promise<boolean> =>
  (await asBrowser(jar, 'GET', '/console/session')).status === 200;
/** Reads a page that is collected after this call: a server answers the same one for a while. */
async function counted(outcome: string): Promise<number> {
  const read = async (): Promise<string> => (await callApi(`${server.url}/metrics`, 'GET')).body;
  const earlier = await read();
  let body = earlier;
  await until(async () => {
    body = await read();
    return body !== earlier;
  });
  return Number(new RegExp(`laurel_single_sign_ons_total{outcome="${outcome}"} (\\d+)`).exec(body)?.[1] ?? 0);
}

describe('a person', () => {
  test.each([
    ['ada', 'Ada Lovelace', 'admin'],
    ['sam', 'Sam', 'operate'],
  ])('%s has the role of the first group that has one', async (login, name, role) => {
    const { session } = await signedIn(login);
    expect(session).toEqual({ id: expect.any(String), name, role, scope: 'account' });
    const listed = (await admin('GET', `/sessions/${session.id}`)).body;
    expect(listed).toMatchObject({ name, role, subject: login, keyId: null, tenant: null });
    expect(Date.parse(listed.expires) - Date.parse(listed.created)).toBe(12 * 3_600_000);
  });

  test('may do what the role allows, and nothing else', async () => {
    const { jar } = await signedIn('sam');
    expect((await asBrowser(jar, 'GET', '/admin/v1/metrics')).status).toBe(200);
    const change = await asBrowser(jar, 'POST', '/admin/v1/metrics', [{ key: 'sam', name: 'Sam' }]);
    expect(change.status).toBe(403);
  });

  test('stands in the audit log by name and subject', async () => {
    const { jar, session } = await signedIn('ada');
    await asBrowser(jar, 'POST', '/admin/v1/metrics', [{ key: 'byada', name: 'By Ada' }]);
    const { body } = await admin('GET', '/audit?limit=100');
    const of = (kind: string) => body.find((entry: Json) => entry.kind === kind);
    expect(of('metrics')).toMatchObject({ actor: 'console:ada', actorName: 'Ada Lovelace' });
    expect(body.find(({ id }: Json) => id === session.id)).toMatchObject({
      action: 'create',
      actor: 'console:ada',
    });
  });

  test('without a group that has a role is refused', async () => {
    const jar = new CookieJar();
    expect(await signIn(jar, 'eve')).toBe('/console#sign-in=no-role');
    expect(await isSignedIn(jar)).toBe(false);
  });

  test('gets the role of another group with the next sign-in', async () => {
    provider.people.set('role', { groups: ['support'] });
    const before = await signedIn('role');
    provider.people.set('role', { groups: ['readers'] });
    const after = await signedIn('role');
    expect([before.session.role, after.session.role]).toEqual(['operate', 'read']);
    // The older session is that of the older groups, until an administrator ends it.
    expect((await asBrowser(before.jar, 'GET', '/console/session')).body.role).toBe('operate');
    await admin('DELETE', `/sessions?ids=${before.session.id}`);
    expect(await isSignedIn(before.jar)).toBe(false);
    expect(await isSignedIn(after.jar)).toBe(true);
  });

  test('of a group with a tenant sees only this tenant', async () => {
    await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'first' });
    await admin('POST', '/tenants', [{ customerId: 'acme', name: 'Acme' }]);
    provider.people.set('pat', { groups: ['partners'] });
    provider.people.set('gus', { groups: ['ghosts'] });
    const { jar, session } = await signedIn('pat');
    expect((await admin('GET', `/sessions/${session.id}`)).body.tenant).toBe('acme');
    expect((await asBrowser(jar, 'GET', '/admin/v1/metrics')).body).toEqual([]);
    expect((await asBrowser(jar, 'GET', '/admin/v1/sessions')).status).toBe(403);
    expect(await signIn(new CookieJar(), 'gus')).toBe('/console#sign-in=no-role');
    await admin('DELETE', `/tenants?ids=${(await admin('GET', '/tenants')).body[0].id}`);
    await admin('PATCH', '/settings', { multiTenancy: false });
  });
});

describe('a sign-in', () => {
  test('sends the browser to the provider with state, nonce and PKCE', async () => {
    const response = await new CookieJar().fetch(`${server.url}/console/oidc/sign-in`);
    expect(response.status).toBe(303);
    const { searchParams } = new URL(response.headers.get('location')!);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: `${server.url}/console/oidc/callback`,
      scope: 'openid profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^laurel_sign_in=[\\w.-]+; Path=/console/oidc; HttpOnly; SameSite=Lax; Max-Age=${SIGN_IN_SECONDS_MAX}$`,
      ),
    );
  });

  test.each([
    ['/console/users?filter=a', '/console/users?filter=a'],
    ['/console', '/console'],
    ['https://evil.example/console', '/console'],
    ['//evil.example/console', '/console'],
    ['/\\evil.example/console', '/console'],
    ['/console/../v1/users', '/console'],
    ['/consoles', '/console'],
    ['/console/oidc/sign-in', '/console'],
    ['javascript:alert(1)', '/console'],
    [`/console/${'x'.repeat(600)}`, '/console'],
  ])('that asks to return to %s ends at %s', async (to, end) => {
    expect(await signIn(new CookieJar(), 'ada', `?to=${encodeURIComponent(to)}`)).toBe(end);
  });

  test('gives a new secret, whatever session the browser had', async () => {
    const jar = new CookieJar();
    jar.set('laurel_session', 'console.fixed-by-somebody-else');
    await signIn(jar, 'ada');
    const first = /laurel_session=([^;]+)/.exec(jar.header)![1];
    expect(first).toMatch(/^console\.[\w-]{43}$/);
    await signIn(jar, 'ada');
    expect(/laurel_session=([^;]+)/.exec(jar.header)![1]).not.toBe(first);
  });

  test('does not count for writes without the header that pages of other origins cannot set', async () => {
    const { jar } = await signedIn('ada');
    const { status } = await jar.fetch(`${server.url}/admin/v1/metrics`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify([{ key: 'forged', name: 'Forged' }]),
    });
    expect(status).toBe(401);
  });
});

describe('a callback is refused', () => {
  const refused = async (jar: CookieJar, url: string): Promise<string | null> => {
    const { headers } = await jar.fetch(url);
    expect(jar.header).not.toContain('laurel_session');
    return headers.get('location');
  };
  const changed = (callback: string, name: string, value: string): string => {
    const url = new URL(callback);
    url.searchParams.set(name, value);
    return url.href;
  };

  test('with another state', async () => {
    const jar = new CookieJar();
    const before = await counted('refused');
    const callback = await atProvider(jar, 'ada');
    expect(await refused(jar, changed(callback, 'state', 'x'.repeat(43)))).toBe('/console#sign-in=refused');
    expect(await counted('refused')).toBe(before + 1);
    // The attempt is over, also for the right state.
    expect(await refused(jar, callback)).toBe('/console#sign-in=expired');
  });

  test('with a replayed code, which nobody can use twice', async () => {
    const jar = new CookieJar();
    const callback = await atProvider(jar, 'ada');
    const attempt = jar.header.match(/laurel_sign_in=([^;]+)/)![1]!;
    await jar.fetch(callback);
    expect(await isSignedIn(jar)).toBe(true);
    expect((await jar.fetch(callback)).headers.get('location')).toBe('/console#sign-in=expired');
    // Whoever has the cookie of the attempt, too, is refused by the provider.
    const thief = new CookieJar();
    thief.set('laurel_sign_in', attempt);
    expect(await refused(thief, callback)).toBe('/console#sign-in=refused');
  });

  test('in another browser than the one that began', async () => {
    const callback = await atProvider(new CookieJar(), 'ada');
    expect(await refused(new CookieJar(), callback)).toBe('/console#sign-in=expired');
    const other = new CookieJar();
    await atProvider(other, 'sam');
    expect(await refused(other, callback)).toBe('/console#sign-in=refused');
  });

  test.each([
    ['a code of somebody else', (callback: string) => changed(callback, 'code', 'guessed')],
    ['no code', (callback: string) => callback.split('?')[0]!],
    ['another issuer', (callback: string) => changed(callback, 'iss', 'https://evil.example')],
  ])('with %s', async (_what, change) => {
    const jar = new CookieJar();
    expect(await refused(jar, change(await atProvider(jar, 'ada')))).toBe('/console#sign-in=refused');
  });

  test('with a cookie that laurel has not sealed', async () => {
    const jar = new CookieJar();
    const callback = await atProvider(jar, 'ada');
    jar.set('laurel_sign_in', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA');
    expect(await refused(jar, callback)).toBe('/console#sign-in=expired');
  });
});

describe('a sign-out at the provider', () => {
  test('ends the session of that browser, and no other', async () => {
    const [left, other, sam] = [await signedIn('ada'), await signedIn('ada'), await signedIn('sam')];
    await signOutAtProvider(left.jar, provider);
    await until(async () => !(await isSignedIn(left.jar)));
    expect([await isSignedIn(other.jar), await isSignedIn(sam.jar)]).toEqual([true, true]);
    const { body } = await admin('GET', `/audit?id=${left.session.id}`);
    expect(body[0]).toMatchObject({ action: 'delete', kind: 'sessions', actor: 'oidc' });
  });

  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const report = (token: string): Promise<Reply> =>
    callApi(
      `${server.url}/console/oidc/logout`,
      'POST',
      new URLSearchParams({ logout_token: token }).toString(),
    );
  const claims = (): Record<string, unknown> => ({
    iss: provider.issuer,
    aud: CLIENT.id,
    iat: Math.floor(Date.now() / 1_000),
    jti: 'one',
    events: EVENT,
    sub: 'sam',
  });

  test('without a session ends all sessions of the person', async () => {
    const [one, two] = [await signedIn('sam'), await signedIn('sam')];
    const { status, headers } = await report(await provider.sign(claims(), { typ: 'logout+jwt' }));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([await isSignedIn(one.jar), await isSignedIn(two.jar)]).toEqual([false, false]);
  });

  test.each<[string, object]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'other' }],
    ['that is an hour old', { iat: Math.floor(Date.now() / 1_000) - 3_600 }],
    ['without the event', { events: {} }],
    ['that is an ID token', { nonce: 'n' }],
    ['without a person', { sub: undefined }],
    ['without an id', { jti: undefined }],
  ])('%s is refused', async (_what, change) => {
    const { jar } = await signedIn('sam');
    const { status, body } = await report(await provider.sign({ ...claims(), ...change }));
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^The logout token is refused: /)]);
    expect(await isSignedIn(jar)).toBe(true);
  });

  test('that nobody has signed is refused', async () => {
    const { jar } = await signedIn('sam');
    const [, payload] = (await provider.sign(claims())).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await report(`${none}.${payload}.`)).status).toBe(400);
    expect((await report('nonsense')).status).toBe(400);
    expect((await callApi(`${server.url}/console/oidc/logout`, 'POST', 'x=1')).status).toBe(400);
    expect(await isSignedIn(jar)).toBe(true);
  });
});

test('while the provider is away, sign-ins say so and sessions go on; then it works again', async () => {
  const { jar } = await signedIn('ada');
  const waiting = new CookieJar();
  const callback = await atProvider(waiting, 'sam');
  const before = await counted('unavailable');
  await provider.stop();
  try {
    const { headers } = await waiting.fetch(callback);
    expect(headers.get('location')).toBe('/console#sign-in=unavailable');
    expect(await counted('unavailable')).toBe(before + 1);
    expect((await asBrowser(jar, 'GET', '/admin/v1/metrics')).status).toBe(200);
  } finally {
    await provider.start();
  }
  await signedIn('sam');
});
