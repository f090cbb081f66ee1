import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { EventSource, type MessageEvent, WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { UserTokens } from '../../src/http/authentication/userTokens.ts';
import { callApi, createTenants, type Reply } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** Short-lived tokens that the customer's backend signs. Their times are those of the machine. */

const OLD = 'the-old-secret-of-the-installation-0';
const NEW = 'the-new-secret-of-the-installation-1';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
type Signer = { alg?: string; kid?: string; secret?: string; key?: PrivateKey };

function sign(claims: JWTPayload, { alg = 'HS256', kid, secret = NEW, key }: Signer = {}): Promise<string> {
  const jwt = new SignJWT({ sub: 'ada', scope: 'read events', ...claims });
  if (claims.exp === undefined) jwt.setExpirationTime('1h');
  return jwt.setProtectedHeader({ alg, ...(kid && { kid }) }).sign(key ?? Buffer.from(secret));
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** A set of public keys, behind a URL. */
async function serveKeys() {
  const keys: object[] = [];
  const server = createServer((_, response) => response.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  return {
    url,
    add: async (alg: string, kid: string): Promise<PrivateKey> => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      keys.push({ ...(await exportJWK(publicKey)), alg, kid, use: 'sig' });
      return privateKey;
    },
    file: () => JSON.stringify({ keys }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const server = useServer(async () => {
  jwks = await serveKeys();
  for (const alg of ['RS256', 'ES256', 'EdDSA']) privateKeys[alg] = await jwks.add(alg, `key-${alg}`);

  return {
    config: 'test/support/application.yaml',
    env: {
      LAUREL_USER_TOKEN_SECRET: `${OLD}, ${NEW}`,
      LAUREL_USER_TOKEN_JWKS: jwks.url,
      LAUREL_FAILED_AUTHENTICATIONS_PER_MINUTE: '1000',
    },
  };
});
let jwks: Awaited<ReturnType<typeof serveKeys>>;
const privateKeys: Record<string, PrivateKey> = {};

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await server.call('POST', '/v1/users', { id });
});
afterAll(() => jwks.close());

const callWith = (
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  { url } = server,
): Promise<Reply> =>
  callApi(url + path, method, body, { 'X-API-KEY': '', Authorization: `Bearer ${token}`, ...headers });

const event = (id = 'ada') => ({ user: { id }, value: 1 });
const EVENT = '/v1/metrics/lessons/event';

describe('a token with the scope "read events"', () => {
  test.each([
    ['POST', EVENT, event()],
    ['POST', '/api/metrics/lessons/event', event()],
    ['POST', '/v1/achievements/profile/complete', { user: { id: 'ada' } }],
    ['PUT', '/v1/users/ada', { name: 'Ada' }],
    ['PATCH', '/v1/users/ada/preferences', { notifications: { recap: [] } }],
    ['GET', '/v1/users/ada'],
    ['GET', '/v1/users/ada/summary?include=streak,metrics'],
    ['GET', '/v1/streaks?userIds=ada'],
    ['GET', '/v1/leaderboards/lessons'],
  ])('makes %s %s, as a key of its user does', async (method, path, body?: object) => {
    const token = await sign({});
    // The first call verifies the token, the second one remembers it.
    for (let i = 0; i < 2; i++) {
      expect((await callWith(token, method, path, body)).status).toBeLessThan(300);
      const ofBob = JSON.parse(JSON.stringify(body ?? null).replaceAll('"ada"', '"bob"'));
      const other = await callWith(await sign({}), method, path.replace('ada', 'bob'), ofBob ?? undefined);
      if (JSON.stringify([path, body]).includes('ada')) expect(other.status).toBe(403);
    }
  });

  test('is refused by the Admin API', async () => {
    const reply = await callWith(await sign({}), 'GET', '/admin/v1/users');
    expect(reply).toMatchObject({ status: 403, body: { error: 'This call needs an admin key' } });
    expect((await callWith(await sign({}), 'POST', '/admin/v1/api-keys', [{}])).status).toBe(403);
  });
});

test('a token with the scope "read" changes nothing', async () => {
  const token = await sign({ scope: 'read' });
  expect((await callWith(token, 'GET', '/v1/users/ada')).status).toBe(200);
  for (const [method, path, body] of [
    ['POST', EVENT, event()],
    ['PUT', '/v1/users/ada', { name: 'X' }],
    ['POST', '/v1/achievements/profile/complete', { user: { id: 'ada' } }],
  ] as const) {
    const reply = await callWith(token, method, path, body);
    expect(reply).toMatchObject({ status: 403, body: { error: expect.stringContaining('"read events"') } });
  }
});

test('the claim metrics limits what a token records', async () => {
  const token = await sign({ metrics: ['words'] });
  expect((await callWith(token, 'POST', EVENT, event())).status).toBe(403);
  expect((await callWith(token, 'POST', '/v1/metrics/words/event', event())).status).toBe(201);
  const complete = await callWith(token, 'POST', '/v1/achievements/profile/complete', {
    user: { id: 'ada' },
  });
  expect(complete.status).toBe(403);
});

test.each(['RS256', 'ES256', 'EdDSA'])('%s tokens are verified by the public keys', async (alg) => {
  const token = await sign({}, { alg, kid: `key-${alg}`, key: privateKeys[alg]! });
  expect((await callWith(token, 'GET', '/v1/users/ada')).status).toBe(200);
});

test('every secret that is listed verifies tokens, so that secrets can be rotated', async () => {
  for (const secret of [OLD, NEW])
    expect((await callWith(await sign({}, { secret }), 'GET', '/v1/users/ada')).status).toBe(200);
});

describe('401 says why', () => {
  const publicKey = () => JSON.parse(jwks.file()).keys[0].n as string;
  const wrong: [string, RegExp, () => Promise<string> | string][] = [
    ['another secret', /no known secret/, () => sign({}, { secret: 'x'.repeat(40) })],
    ['no signature', /alg is none/, () => new UnsecuredJWT({ sub: 'ada', scope: 'read' }).encode()],
    ['another algorithm', /alg is HS512/, () => sign({}, { alg: 'HS512', secret: NEW.repeat(2) })],
    ['a public key as the secret', /no known secret/, () => sign({}, { secret: publicKey() })],
    [
      'the key of another algorithm',
      /no key with its kid and alg/,
      () => sign({}, { alg: 'RS256', kid: 'key-ES256', key: privateKeys.RS256! }),
    ],
    [
      'an unknown kid',
      /no key with its kid/,
      () => sign({}, { alg: 'ES256', kid: 'nobody', key: privateKeys.ES256! }),
    ],
    ['an expired token', /it expired at 20/, () => sign({ exp: inSeconds(-1) })],
    ['a token that expired long ago', /it expired at 1970/, () => sign({ exp: 1 })],
    ['an end before all times', /it expired at 1970/, () => sign({ exp: -1e300 })],
    ['an end after all times', /at most 24 hours/, () => sign({ exp: 1e300 })],
    ['an end that is no number', /exp/, () => sign({ exp: '1h' as unknown as number })],
    ['a start that is no number', /nbf/, () => sign({ nbf: 'now' as unknown as number })],
    ['a user of two', /sub must be/, () => sign({ sub: ['ada', 'bob'] as unknown as string })],
    ['a user beyond the bound', /sub must be/, () => sign({ sub: 'a'.repeat(1_000) })],
    ['more metrics than there can be', /metrics must be/, () => sign({ metrics: Array(2_000).fill('') })],
    ['a token of tomorrow', /not valid yet/, () => sign({ nbf: inSeconds(60) })],
    [
      'a token without an end',
      /exp/,
      async () =>
        new SignJWT({ sub: 'ada', scope: 'read' })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(NEW)),
    ],
    ['a token for two days', /at most 24 hours/, () => sign({ exp: inSeconds(48 * 3_600) })],
    ['no user', /sub must be/, () => sign({ sub: '' })],
    ['another scope', /scope must be/, () => sign({ scope: 'admin' })],
    ['a name of every object as the scope', /scope must be/, () => sign({ scope: 'constructor' })],
    ['metrics that are no list', /metrics must be/, () => sign({ metrics: 'words' })],
    [
      'a changed payload',
      /no known secret|not a signed JWT/,
      async () => {
        const [header, , signature] = (await sign({})).split('.');
        const payload = Buffer.from(JSON.stringify({ sub: 'bob', scope: 'read', exp: inSeconds(60) }));
        return [header, payload.toString('base64url'), signature].join('.');
      },
    ],
  ];
  test.each(wrong)('%s', async (_name, reason, make) => {
    const { status, headers, body } = await callWith(await make(), 'GET', '/v1/users/ada');
    expect([status, body.error]).toEqual([401, expect.stringMatching(reason)]);
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+"$/,
    );
    expect(headers.get('www-authenticate')).toMatch(reason);
    expect((await callWith(await make(), 'POST', EVENT, event())).status).toBe(401);
  });

  test('a call without a credential', async () => {
    const { status, headers } = await callApi(`${server.url}/v1/users/ada`, 'GET', undefined, {
      'X-API-KEY': '',
    });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});

test('a remembered token ends when it expires, whatever the test clock says', async () => {
  const token = await sign({ exp: inSeconds(3) });
  expect((await callWith(token, 'GET', '/v1/users/ada')).status).toBe(200);
  await server.call('POST', '/admin/v1/test-clock', { advanceSeconds: 86_400 });
  expect((await callWith(token, 'GET', '/v1/users/ada')).status).toBe(200);
  await until(async () => (await callWith(token, 'GET', '/v1/users/ada')).status === 401);
});

test('streams take a token in access_token, and end when it expires', async () => {
  const path = `${server.url}/v1/leaderboards/lessons/live?access_token=`;
  const token = await sign({ exp: inSeconds(10) });
  const source = new EventSource(path + token);
  const states: string[] = [];
  let refusal = '';
  source.onmessage = ({ data }: MessageEvent) => void states.push(data as string);
  source.addEventListener('error', (event) => {
    refusal ||= String((event as unknown as MessageEvent).data ?? '');
  });
  const socket = new WebSocket((path + token).replace('http', 'ws'));
  const messages: string[] = [];
  let closed = '';
  socket.onmessage = ({ data }) => void messages.push(String(data));
  socket.onclose = ({ reason }) => {
    closed = reason;
  };
  await until(() => states.length > 0 && messages.length > 0);
  await until(() => refusal.includes('expired') && closed.includes('expired'));
  source.close();
  const forged = await fetch(path + (await sign({}, { secret: 'x'.repeat(40) })));
  expect(forged.status).toBe(401);
});

test('aud is checked if an audience is set', async () => {
  const settings = { LAUREL_USER_TOKEN_SECRET: NEW, LAUREL_USER_TOKEN_JWKS: jwks.url };
  const open = new UserTokens(readEnv(settings).userTokens);
  const bound = new UserTokens(readEnv({ ...settings, LAUREL_USER_TOKEN_AUDIENCE: 'laurel' }).userTokens);
  const signers: Signer[] = [{}, { alg: 'ES256', kid: 'key-ES256', key: privateKeys.ES256! }];
  for (const signer of signers) {
    for (const aud of ['laurel', ['shop', 'laurel']])
      expect(await bound.verify(await sign({ aud }, signer))).toMatchObject({ userId: 'ada' });
    for (const aud of [undefined, 'shop', 'Laurel', [], { laurel: 1 } as unknown as string]) {
      const token = await sign({ aud } as JWTPayload, signer);
      await expect(bound.verify(token)).rejects.toThrow('aud must be or contain');
      expect(await open.verify(token)).toMatchObject({ userId: 'ada' });
    }
  }
});

test('a file may hold the public keys, and a wrong setting stops the start', async () => {
  const home = await mkdtemp(join(tmpdir(), 'laurel-jwks-'));
  const path = join(home, 'jwks.json');
  await writeFile(path, jwks.file());
  const tokens = new UserTokens(readEnv({ LAUREL_USER_TOKEN_JWKS: path }).userTokens);
  const token = await sign({}, { alg: 'ES256', kid: 'key-ES256', key: privateKeys.ES256! });
  expect(await tokens.verify(token)).toMatchObject({ userId: 'ada', role: 'operate' });
  await expect(tokens.verify(await sign({}))).rejects.toThrow(/no known secret/);
  await writeFile(path, 'nothing');
  const again = new UserTokens(readEnv({ LAUREL_USER_TOKEN_JWKS: path }).userTokens);
  await expect(again.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
  await rm(home, { recursive: true });
  expect(() => readEnv({ LAUREL_USER_TOKEN_JWKS: path })).toThrow(/LAUREL_USER_TOKEN_JWKS must be/);
  expect(() => readEnv({ LAUREL_USER_TOKEN_SECRET: `${NEW},short` })).toThrow(/at least 32 bytes/);
});

describe('with tenants', () => {
  const tenants = useServer({ env: { LAUREL_USER_TOKEN_SECRET: NEW, LAUREL_TRUST_PROXY: '1' } });
  const secrets: Record<string, { id: string; secret: string }> = {};
  const admin = (method: string, path: string, body?: unknown, tenant = 'acme') =>
    tenants.call(method, `/admin/v1${path}`, body, { 'Tenant-ID': tenant });
  const read = (token: string, headers: Record<string, string> = {}) =>
    callWith(token, 'GET', '/v1/users/ada', undefined, headers, tenants);

  beforeAll(async () => {
    await createTenants(tenants, ['acme', 'other'], { metrics: [{ key: 'lessons', name: 'Lessons' }] });
    for (const tenant of ['acme', 'other']) {
      const user = { id: 'ada', name: `Ada of ${tenant}` };
      await tenants.call('POST', '/v1/users', user, { 'Tenant-ID': tenant });
      const made = await admin('POST', '/user-token-secrets', [{ name: 'Backend' }], tenant);
      expect(made.status).toBe(201);
      secrets[tenant] = made.body.created[0];
    }
  });

  test('a token of the installation is for the tenant that it names, and for no other', async () => {
    const token = await sign({ tenant: 'acme' });
    expect(await read(token)).toMatchObject({ status: 200, body: { name: 'Ada of acme' } });
    expect((await read(token, { 'Tenant-ID': 'acme' })).status).toBe(200);
    expect((await read(token, { 'Tenant-ID': 'other' })).status).toBe(403);
    expect((await read(await sign({ tenant: 'nobody' }))).status).toBe(404);
    for (const headers of [undefined, { 'Tenant-ID': 'other' }])
      expect((await read(await sign({}), headers)).status).toBe(403);
    const recorded = await callWith(token, 'POST', EVENT, event(), { 'Tenant-ID': 'other' }, tenants);
    expect(recorded.status).toBe(403);
  });

  test("a tenant's secret signs for this tenant only", async () => {
    const { secret } = secrets.acme!;
    expect(await read(await sign({ tenant: 'acme' }, { secret }))).toMatchObject({
      body: { name: 'Ada of acme' },
    });
    expect((await read(await sign({ tenant: 'other' }, { secret }))).status).toBe(401);
    expect((await read(await sign({}, { secret }))).status).toBe(401);
    const token = await sign({ tenant: 'acme' }, { secret });
    expect((await read(token, { 'Tenant-ID': 'other' })).status).toBe(403);
  });

  test('a stream shows the tenant of its token, whatever the address says', async () => {
    const token = await sign({ tenant: 'acme' }, { secret: secrets.acme!.secret });
    const { status } = await fetch(
      `${tenants.url}/v1/leaderboards/any/live?tenantId=other&access_token=${token}`,
    );
    expect(status).toBe(403);
  });

  test('secrets are listed without their text, and end with their tokens when they are deleted', async () => {
    const made = (await admin('POST', '/user-token-secrets', [{ name: 'Next' }])).body.created[0];
    const listed = (await admin('GET', '/user-token-secrets')).body;
    expect(listed).toMatchObject([{ name: 'Backend' }, { name: 'Next' }]);
    expect(JSON.stringify(listed)).not.toContain(made.secret);
    expect((await admin('GET', `/user-token-secrets/${made.id}`)).body).toMatchObject({ name: 'Next' });
    expect((await admin('GET', `/user-token-secrets/${made.id}`, undefined, 'other')).status).toBe(404);
    const token = await sign({ tenant: 'acme' }, { secret: made.secret });
    expect((await read(token)).status).toBe(200);
    const ofOther = await admin('DELETE', `/user-token-secrets?ids=${made.id}`, undefined, 'other');
    expect(ofOther.body).toMatchObject({ deleted: [], issues: [{ severity: 'error' }] });
    expect((await read(token)).status).toBe(200);
    await admin('DELETE', `/user-token-secrets?ids=${made.id}`);
    expect((await read(token)).status).toBe(401);
    const audit = (await admin('GET', `/audit?id=${made.id}`)).body;
    expect(audit).toMatchObject([
      { action: 'delete', kind: 'userTokenSecrets' },
      { action: 'create', after: { name: 'Next' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(made.secret);
  });

  test('the tokens of a renamed tenant name its new id', async () => {
    const listed = (await tenants.call('GET', '/admin/v1/tenants')).body as { id: string }[];
    const [{ id }] = listed.filter(
      (tenant) => (tenant as { customerId?: string }).customerId === 'other',
    ) as [{ id: string }];
    await tenants.call('PATCH', '/admin/v1/tenants', [{ id, customerId: 'renamed' }]);
    const { secret } = secrets.other!;
    expect((await read(await sign({ tenant: 'renamed' }, { secret }))).status).toBe(200);
    await tenants.call('PATCH', '/admin/v1/tenants', [{ id, customerId: 'other' }]);
  });

  test('wrong tokens are throttled by address, expired and right ones are not', async () => {
    const forged = () => sign({ tenant: 'acme' }, { secret: 'x'.repeat(40) });
    const from = { 'X-Forwarded-For': '192.0.2.7' };
    await until(async () => (await read(await forged(), from)).status === 429);
    for (const seconds of [-1, -3_600])
      expect((await read(await sign({ tenant: 'acme', exp: inSeconds(seconds) }), from)).status).toBe(401);
    expect((await read(await sign({ tenant: 'acme' }), from)).status).toBe(200);
  });
});
