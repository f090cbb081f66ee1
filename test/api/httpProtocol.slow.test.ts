import { describe, expect, test } from 'vitest';
import { createConsoleLink } from '../../src/redis/state/consoleLinks.ts';
import { freePort } from '../support/installation.ts';
import { eventText, gzip, healthText, LAST, rawRequest, sendRaw, statuses } from '../support/rawHttp.ts';
import { API_KEY, callApi, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const EVENT = '/v1/metrics/lessons/event';

const server = useServer({ env: { LAUREL_CORS_ORIGINS: 'https://app.example' } });

describe('HEAD', () => {
  test('is answered as GET is, without the body, and leaves the connection in order', async () => {
    for (const path of ['/healthz', '/openapi.json', '/v1/leaderboards', '/docs']) {
      const send = (method: string): Promise<string> =>
        sendRaw(server.url, rawRequest(method, path, { 'X-API-KEY': API_KEY, ...LAST }, null));
      const [head, get] = await Promise.all([send('HEAD'), send('GET')]);
      const headOfGet = get.slice(0, get.indexOf('\r\n\r\n') + 4);
      const withoutDateAndId = (text: string): string[] =>
        text
          .replace(/^Date: .*\r\n/m, '')
          .replace(/^X-Request-Id: .*\r\n/im, '')
          .split('\r\n')
          .sort();
      expect(withoutDateAndId(head)).toEqual(withoutDateAndId(headOfGet));
    }
  });

  test('an event stream takes GET only', async () => {
    const answer = await fetch(`${server.url}/v1/leaderboards/weekly/live`, { method: 'HEAD' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET');
  });
});

describe('a method that the path does not take', () => {
  test.each([
    ['GET', EVENT, 'POST'],
    ['DELETE', '/v1/users/ada', 'GET, HEAD, PATCH, PUT'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PUT', '/admin/v1/metrics', 'DELETE, GET, HEAD, PATCH, POST'],
  ])('%s %s is 405 and names %s', async (method, path, allowed) => {
    const answer = await server.call(method, path, method === 'GET' ? undefined : {});
    expect(answer).toMatchObject({ status: 405, body: { error: `${path} takes ${allowed}, not ${method}` } });
    expect(answer.headers.get('allow')).toBe(allowed);
  });

  test.each([
    ['PUT', '/v1/nothing'],
    ['GET', '/v1/users//wrapped'],
  ])('an unknown path is 404: %s %s', async (method, path) => {
    const answer = await server.call(method, path, method === 'GET' ? undefined : {});
    expect(answer.status).toBe(404);
    expect(answer.body.error).toContain(`${method} ${path} does not exist`);
  });
});

test('a compressed body is 415 with the reason', async () => {
  const answer = await server.call('POST', EVENT, gzip({ user: { id: 'gz' }, value: 1 }), {
    'Content-Encoding': 'gzip',
  });
  expect(answer).toMatchObject({ status: 415, body: { error: expect.stringContaining('Content-Encoding') } });
});

describe('idempotency keys', () => {
  const event = (userId: string, idempotencyKey?: string) => ({
    user: { id: userId },
    value: 1,
    ...(idempotencyKey && { idempotencyKey }),
  });
  const total = async (userId: string): Promise<number> =>
    (await server.call('GET', `/v1/users/${userId}/metrics/lessons`)).body.current;

  test('in the body may be any text: each counts once', async () => {
    for (const key of ['lektion-ä', 'lektion-ö', 'ключ', '鍵', 'key with spaces']) {
      const first = await server.call('POST', EVENT, event('any-text', key));
      expect(first).toMatchObject({ status: 201, body: { idempotencyKey: key, idempotentReplayed: false } });
      expect(await server.call('POST', EVENT, event('any-text', key))).toMatchObject({
        status: 202,
        body: { eventId: first.body.eventId, idempotencyKey: key, idempotentReplayed: true },
      });
    }
    expect(await total('any-text')).toBe(5);
  });

  test('in header and body are one key', async () => {
    expect(await server.call('POST', EVENT, event('one-key'), { 'Idempotency-Key': 'same' })).toMatchObject({
      status: 201,
    });
    expect(await server.call('POST', EVENT, event('one-key', 'same'))).toMatchObject({ status: 202 });
    expect(
      await server.call('POST', EVENT, event('one-key', 'same'), { 'Idempotency-Key': 'same' }),
    ).toMatchObject({
      status: 202,
    });
    expect(
      await server.call('POST', EVENT, event('one-key', 'other'), { 'Idempotency-Key': 'same' }),
    ).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('idempotencyKey') },
    });
    expect(await total('one-key')).toBe(1);
  });

  test('in the header that are not printable ASCII are refused, as far as the server can see them', async () => {
    const received = await sendRaw(
      server.url,
      Buffer.from(eventText('keys', { 'Idempotency-Key': 'café-a', ...LAST })),
    );
    expect(statuses(received)).toEqual([422]);
    expect(received).toContain('field idempotencyKey of the body');
  });
});

describe('rate limits', () => {
  /** Presents wrong keys until the address is limited. */
  const limit = async (url: string, headers: Record<string, string> = {}) => {
    const wrong = () =>
      callApi(`${url}/v1/leaderboards`, 'GET', undefined, { ...headers, 'X-API-KEY': 'wrong' });
    let limited = await wrong();
    for (let tries = 0; limited.status === 401 && tries < 100; tries++) limited = await wrong();
    return limited;
  };

  test('an address that presents wrong keys has to wait with wrong keys', async () => {
    await server.restart();
    const limited = await limit(server.url);
    expect(limited).toMatchObject({
      status: 429,
      body: { error: expect.stringContaining('failed authentications') },
    });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a right key is accepted from an address that is limited, also if it was never used before', async () => {
    const statusFor = async (key: string) =>
      (await server.call('GET', '/v1/leaderboards', undefined, { 'X-API-KEY': key })).status;
    const { redis } = server;
    await server.restart();
    const link = await createConsoleLink(redis);
    await limit(server.url);
    expect(await statusFor(API_KEY)).toBe(200);
    const { body: admin } = await server.call('POST', '/admin/v1/api-keys', [
      { name: 'fresh', role: 'read' },
    ]);
    const { body: application } = await server.call('POST', '/admin/v1/application-api-keys', [
      { userId: 'ada' },
    ]);
    for (const key of [admin.created[0].key, application.created[0].key]) {
      expect(await statusFor(key)).toBe(200);
    }
    const session = await server.call('POST', '/console/session', { link }, { 'X-API-KEY': '' });
    const [cookie] = session.headers.get('set-cookie')!.split(';');
    const browser = { 'X-API-KEY': '', 'X-Requested-With': 'console', Cookie: cookie! };
    expect((await server.call('GET', '/v1/leaderboards', undefined, browser)).status).toBe(200);
    await server.restart();
  });

  test('behind a trusted proxy, the last entry of all lines is the address of the client', async () => {
    const other = await startTestServer({ env: { LAUREL_TRUST_PROXY: '1' } });
    const forwarded = (...lines: string[]): string =>
      ['GET /v1/leaderboards HTTP/1.1', 'Host: laurel', 'X-API-KEY: wrong', 'Connection: close']
        .concat(lines.map((line) => `X-Forwarded-For: ${line}`))
        .join('\r\n');
    const from = async (...lines: string[]) =>
      statuses(await sendRaw(other.url, `${forwarded(...lines)}\r\n\r\n`))[0];
    await until(async () => (await from('10.9.9.9, 192.0.2.1')) === 429);
    expect(await from('192.0.2.2')).toBe(401);
    expect(await from('192.0.2.2', '192.0.2.1')).toBe(429);
    expect(await from('192.0.2.1', '192.0.2.2')).toBe(401);
    await other.stop();
  });

  test('a key beyond its rate is told when to come back', async () => {
    const other = await startTestServer({ env: { LAUREL_ADMIN_REQUESTS_PER_SECOND: '1' } });
    const read = () => callApi(`${other.url}/v1/leaderboards`, 'GET');
    await until(async () => (await read()).status === 429);
    expect((await read()).headers.get('retry-after')).toBe('1');
    await until(async () => (await read()).status === 200);
    await other.stop();
  });
});

describe('CORS', () => {
  const preflight = async (asked: string): Promise<string> => {
    const response = await fetch(server.url + EVENT, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Headers': asked },
    });
    return response.headers.get('access-control-allow-headers') ?? '';
  };

  test('a preflight allows what official clients say of themselves, by what the browser asks for', async () => {
    const asked =
      'content-type,x-api-key,x-fern-language,x-fern-runtime,x-fern-runtime-version,x-sdk-version';
    const allowed = (await preflight(asked)).toLowerCase().split(', ');
    expect(allowed).toEqual(expect.arrayContaining(asked.split(',')));
  });

  test('a preflight allows no other header', async () => {
    expect(await preflight('x-evil,x-fern-,x-sdk-a b')).toBe(
      'Content-Type, X-API-KEY, Authorization, Idempotency-Key, Prefer, Tenant-ID, X-Request-Id',
    );
  });
});

describe('metrics', () => {
  test('are collected once a second at most', async () => {
    const read = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
    await until(async () => {
      const pages = await Promise.all(Array.from({ length: 20 }, read));
      return new Set(pages).size === 1;
    });
  });

  test('have a port of their own where METRICS_PORT says so', async () => {
    const port = await freePort();
    const other = await startTestServer({ env: { METRICS_PORT: String(port) } });
    expect((await fetch(`${other.url}/metrics`)).status).toBe(404);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('laurel_events_total');
    await other.stop();
  });
});

test('a batch always lists the events that it refused', async () => {
  const items = [
    { key: 'lessons', user: { id: 'batch' }, value: 1 },
    { key: 'lessons', user: { id: 'batch', subscribeToEmails: true }, value: 1 },
  ];
  const { status, body } = await server.call('POST', '/admin/v1/metrics/events', items);
  expect({ status, body }).toEqual({
    status: 202,
    body: {
      accepted: 1,
      refused: [
        { index: 1, status: 422, code: 'noEmail', error: expect.stringContaining('subscribeToEmails') },
      ],
    },
  });
});

test('a live stream ends once its key is revoked, though nothing changes on the board', async () => {
  const created = await server.call('POST', '/admin/v1/api-keys', [{ name: 'live' }]);
  const { id, key } = created.body.created[0];
  const request = rawRequest('GET', '/v1/leaderboards/weekly/live', { 'X-API-KEY': key, ...LAST }, null);
  const stream = sendRaw(server.url, request);
  await until(async () =>
    (await (await fetch(`${server.url}/metrics`)).text()).includes('laurel_live_subscribers 1'),
  );
  await server.call('POST', `/admin/v1/api-keys/${id}/revoke`);
  expect(await stream).toContain('event: error');
});

test('a request without Host, or with NUL in its path, is answered before the connection is closed', async () => {
  const statusesOf = async (text: string) => statuses(await sendRaw(server.url, text));
  expect(await statusesOf(healthText('X-A: b\r\n'))).toEqual([400]);
  expect(await statusesOf(healthText('Host: x\r\n').replace('health', 'hea\0lth'))).toEqual([505]);
});
