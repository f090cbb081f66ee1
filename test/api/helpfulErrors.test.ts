import { expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** What laurel accepts and says so that the first mistakes of a newcomer are easy to repair. */

const server = useServer({ config: 'test/support/application.yaml' });

const EVENT = { user: { id: 'ada' }, value: 1 };

test('an unknown metric is answered with the key that was probably meant', async () => {
  const { status, body } = await server.call('POST', '/v1/metrics/lesons/event', EVENT);
  expect([status, body.error]).toEqual([404, 'Metric lesons does not exist; did you mean "lessons"?']);
});

test('a key is also taken from Authorization: Bearer, and a wrong one is refused', async () => {
  const call = (authorization: string) =>
    callApi(`${server.url}/v1/metrics/lessons/event`, 'POST', EVENT, {
      'X-API-KEY': '',
      Authorization: authorization,
    });
  expect((await call(`Bearer ${API_KEY}`)).status).toBe(201);
  expect((await call(`bearer ${API_KEY}x`)).status).toBe(401);
  expect((await call(`Basic ${API_KEY}`)).status).toBe(401);
});

test('a body that is not JSON is refused with the line and the column', async () => {
  const response = await fetch(`${server.url}/v1/metrics/lessons/event`, {
    method: 'POST',
    headers: { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json' },
    body: '{"user": {"id": "ada"},\n  "value": 1,}',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'body must be valid JSON: line 2, column 14' },
  ]);
});

test('every write names the fields that were ignored', async () => {
  const ignored = async (method: string, path: string, body: object) =>
    (await server.call(method, path, body)).headers.get('X-Ignored-Fields');
  const completion = { user: { id: 'ada' }, achievedAt: '2026-01-01T00:00:00Z' };
  expect(await ignored('POST', '/v1/achievements/profile/complete', completion)).toBe('achievedAt');
  expect(await ignored('PATCH', '/v1/users/ada', { nmae: 'Ada' })).toBe('nmae');
  expect(await ignored('PATCH', '/v1/users/ada', { name: 'Ada' })).toBeNull();
  expect(await ignored('POST', '/admin/v1/metrics/events', [{ ...EVENT, key: 'lessons', at: 1 }])).toBe(
    '%5B0%5D.at',
  );
});

test('an unknown query parameter is refused by calls of laurel, with the one that was probably meant', async () => {
  const refused = async (path: string) => {
    const { status, body } = await server.call('GET', path);
    return [status, body.error];
  };
  expect(await refused('/admin/v1/held-events?userId=ada')).toEqual([
    422,
    '"userId" is not a parameter of this call; did you mean "user"?',
  ]);
  expect(await refused('/v1/streaks/rankings?userAttributes=city:oslo&%3Cx%3E')).toEqual([
    422,
    '"userAttributes" is not a parameter of this call; "<x>" is not a parameter of this call',
  ]);
  expect((await server.call('GET', '/admin/v1/held-events?user=ada&limit=5')).status).toBe(200);
  expect((await server.call('POST', '/admin/v1/test-clock?dryRun=true', { now: null })).status).toBe(422);
});

test('an unknown query parameter is ignored and named by calls that the published API has', async () => {
  const ignored = async (method: string, path: string, body?: object) => {
    const { status, headers } = await server.call(method, path, body);
    return [status, headers.get('X-Ignored-Parameters')];
  };
  expect(await ignored('GET', '/v1/leaderboards?include_finished=true&sort=key')).toEqual([200, 'sort']);
  expect(await ignored('GET', '/v1/leaderboards?include_finished=true')).toEqual([200, null]);
  expect(await ignored('GET', '/admin/v1/metrics?page=2&ids[]=x')).toEqual([200, 'page, ids%5B%5D']);
  expect(await ignored('POST', '/v1/metrics/lessons/event?dry=1', EVENT)).toEqual([201, 'dry']);
  expect(await ignored('POST', '/v1/metrics/lessons/event?dry=1&strict=true', EVENT)).toEqual([201, 'dry']);
});

test('a colour without quotes is refused, because YAML takes it for a comment', () => {
  const file = (color: string) => `settings:\n  branding:\n    brandColor: ${color}\n`;
  expect(() => parseConfigFile(file('#2f5d9e'), 'my.yaml')).toThrow(
    /line 3, column 17: .* needs quotes.*"#2f5d9e"/,
  );
  expect(parseConfigFile(file('"#2f5d9e" # blue'), 'my.yaml').settings?.branding?.brandColor).toBe('#2f5d9e');
});

test('a run of weeks is one of seven days each, in the file and in the Admin API', async () => {
  const file = parseConfigFile(
    JSON.stringify({
      metrics: [{ key: 'lessons', name: 'Lessons' }],
      leaderboards: [
        { key: 'board', name: 'Board', rankBy: 'metric', metric: 'lessons', runUnit: 'week', runInterval: 2 },
      ],
    }),
    'file',
  );
  const plan = planConfig(emptyConfig(1), file, START_MS);
  expect(plan.issues).toEqual([]);
  expect(plan.config.leaderboards).toMatchObject([{ runUnit: 'day', runInterval: 14 }]);

  const [{ id: metricId }] = (await server.call('GET', '/admin/v1/metrics')).body;
  const board = {
    key: 'fortnight',
    name: 'Fortnight',
    rankBy: 'metric',
    metricId,
    runUnit: 'week',
    runInterval: 2,
  };
  const { body } = await server.call('POST', '/admin/v1/leaderboards', [board]);
  expect(body).toMatchObject({ created: [{ runUnit: 'day', runInterval: 14 }], issues: [] });
  const { id } = body.created[0];
  const half = await server.call('PATCH', '/admin/v1/leaderboards', [{ id, runUnit: 'week' }]);
  expect(half.body.issues[0].message).toContain('runInterval is required with runUnit');
});
