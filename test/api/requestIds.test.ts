import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { REQUEST_ID_CHARS_MAX, Requests, type RouteTimes } from '../../src/http/request/requests.ts';
import { ErrorResponder, type HttpContext } from '../../src/http/request/respond.ts';
import { eventText, LAST, sendRaw } from '../support/rawHttp.ts';
import { useServer } from '../support/useServer.ts';

const EVENT = '/v1/metrics/lessons/event';
const MADE = /^[0-9a-f]{12}-[0-9a-z]+$/;
const LONGEST = 'x'.repeat(REQUEST_ID_CHARS_MAX);

const server = useServer({ env: { LAUREL_CORS_ORIGINS: 'https://app.example' } });

describe('X-Request-Id', () => {
  test.each([
    ['a recorded event', 'POST', EVENT, { user: { id: 'ann' }, value: 1 }, 201],
    ['a refused event', 'POST', EVENT, { user: {} }, 422],
    ['a read', 'GET', '/v1/leaderboards', undefined, 200],
    ['an unknown path', 'GET', '/nothing', undefined, 404],
    ['a page', 'GET', '/healthz', undefined, 200],
    ['a page of text', 'GET', '/docs', undefined, 200],
  ])('of %s is returned', async (_, method, path, body, status) => {
    for (const id of ['7f3b9c', LONGEST, '{"a":1}']) {
      const reply = await server.call(method, path, body, { 'X-Request-Id': id });
      expect([reply.status, reply.headers.get('x-request-id')]).toEqual([status, id]);
    }
  });

  test('is made if none is sent, another one for each request', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const { headers } = await server.call('GET', '/v1/leaderboards');
      expect(headers.get('x-request-id')).toMatch(MADE);
      ids.add(headers.get('x-request-id')!);
    }
    expect(ids.size).toBe(40);
  });

  test.each([
    ['too long', `${LONGEST}x`],
    ['two words', 'two words'],
    ['not ASCII', 'a\xe9b'],
  ])('that is %s is replaced', async (_, id) => {
    const received = await sendRaw(
      server.url,
      Buffer.from(eventText('bo', { 'X-Request-Id': id, ...LAST }), 'latin1'),
    );
    const returned = /^x-request-id: (.*)\r$/im.exec(received)?.[1];
    expect(returned).toMatch(MADE);
  });

  test('may be sent and read by web pages', async () => {
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await fetch(server.url + EVENT, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Request-Id');
    const reply = await server.call(
      'POST',
      EVENT,
      { user: { id: 'ann' }, value: 1 },
      { Origin: 'https://app.example' },
    );
    const readable = reply.headers.get('access-control-expose-headers');
    for (const header of ['X-Request-Id', 'X-Ignored-Fields', 'X-Ignored-Parameters'])
      expect(readable).toContain(header);
  });
});

test('the log names the request that failed', () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const errors = new ErrorResponder(log, new Metrics());
  const context = { id: '7f3b9c', send: () => {} } as unknown as HttpContext;
  errors.fail(context, new TypeError('broken'));
  for (let i = 0; i < 10; i++) errors.fail(context, new ServiceError('unavailable', 'away'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { request: '7f3b9c', msg: 'request failed' },
    { request: '7f3b9c', msg: 'requests refused' },
  ]);
});

test('the log names slow requests, at most one a second', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const requests = new Requests(log, 1_000);
  const route = { method: 'GET', route: '/v1/users/{id}' } as RouteTimes;
  requests.logRequest('fast', route, 200, 999);
  for (let i = 0; i < 10; i++) requests.logRequest(`slow-${i}`, route, 200, 1_234.4);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: 'slow requests', request: 'slow-0', ...route, status: 200, ms: 1_234, requests: 1 },
  ]);
});
