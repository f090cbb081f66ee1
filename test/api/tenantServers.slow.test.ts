import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/server/startServer.ts';
import { items, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { callApi, type Reply, startAnotherServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Two servers on the same stores: what one of them is told about a tenant, and what the other one does then.
 */
const server = useServer({ config: { settings: { multiTenancy: true } }, env: { LAUREL_CELLS: '4' } });
let other: RunningServer;
let tenant: string;
let id: string;
let created = 0;

const change = (method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body, { 'Tenant-ID': tenant });
const onOther = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> => callApi(other.url + path, method, body, { 'Tenant-ID': tenant, ...headers });
const record = (user = 'ada', tenantId = tenant): Promise<Reply> =>
  onOther('POST', '/v1/metrics/lessons/event', { user: { id: user }, value: 1 }, { 'Tenant-ID': tenantId });

beforeAll(async () => {
  other = await startAnotherServer(server);
});
afterAll(() => other?.stop());
beforeEach(async () => {
  tenant = `tenant-${created++}`;
  const reply = await server.call('POST', '/admin/v1/tenants', [{ customerId: tenant, name: 'Tenant' }]);
  id = reply.body.created[0].id;
  await change('PUT', '/config', {
    metrics: items('lessons'),
    points: [xp([perLesson(1)])],
  });
  expect((await record()).body.points.xp.added).toBe(1);
});

describe('what a server is told of a tenant', () => {
  test('holds for the next event on the other one', async () => {
    const [system] = (await change('GET', '/points')).body;
    const [trigger] = (await change('GET', `/points/${system.id}/triggers`)).body;
    for (let points = 2; points < 12; points++) {
      await change('PATCH', `/points/${system.id}/triggers`, [{ id: trigger.id, points }]);
      expect((await record()).body.points.xp.added).toBe(points);
    }
    const { body } = await change('POST', '/metrics', items('minutes'));
    const minutes = () => onOther('POST', '/v1/metrics/minutes/event', { user: { id: 'ada' }, value: 1 });
    expect((await minutes()).status).toBe(201);
    await change('DELETE', `/metrics?ids=${body.created[0].id}`);
    expect((await minutes()).status).toBe(404);
  });

  test('holds for the next look at a user on the other one', async () => {
    const achievement = { key: 'profile', name: 'Profile', trigger: 'api', status: 'active' };
    await change('POST', '/achievements', [achievement]);
    const user = { user: { id: 'ada' } };
    expect((await onOther('POST', '/v1/achievements/profile/complete', user)).status).toBe(201);
    const attribute = { key: 'city', name: 'City', type: 'user' };
    await change('POST', '/attributes', [attribute]);
    const reply = await onOther('PATCH', '/v1/users/ada', { attributes: { city: 'rome' } });
    expect([reply.status, reply.body.attributes]).toEqual([200, { city: 'rome' }]);
  });

  test('changes nothing for another tenant', async () => {
    const first = tenant;
    const second = await server.call('POST', '/admin/v1/tenants', [{ customerId: `${first}-b`, name: 'B' }]);
    expect(second.status).toBe(201);
    expect((await record('ada', `${first}-b`)).status).toBe(404);
    await change('POST', '/metrics', items('own'));
    const event = { user: { id: 'ada' }, value: 1 };
    expect((await onOther('POST', '/v1/metrics/own/event', event)).status).toBe(201);
    const stranger = await onOther('POST', '/v1/metrics/own/event', event, { 'Tenant-ID': `${first}-b` });
    expect(stranger.status).toBe(404);
  });

  test('that it is archived, the other one refuses at once', async () => {
    await server.call('DELETE', `/admin/v1/tenants?ids=${id}`);
    const event = await record();
    expect([event.status, event.body.error]).toEqual([404, expect.stringContaining(`Tenant-ID ${tenant}`)]);
    expect((await onOther('GET', '/v1/users/ada')).status).toBe(404);
  });

  test('that its id is another one, no event is counted for who has the id now, and none for who had it', async () => {
    await server.call('PATCH', '/admin/v1/tenants', [{ id, customerId: `${tenant}-renamed` }]);
    await server.call('POST', '/admin/v1/tenants', [{ customerId: tenant, name: 'Another' }]);
    // Until the other server has heard of it: 503, try again. The tenant that has the id now has no metric.
    const statuses: number[] = [];
    await until(async () => {
      statuses.push((await record()).status);
      return statuses.at(-1) === 404;
    });
    expect(statuses.slice(0, -1).filter((status) => status !== 503)).toEqual([]);
    const renamed = { 'Tenant-ID': `${tenant}-renamed` };
    expect((await onOther('GET', '/v1/users/ada/metrics/lessons', undefined, renamed)).body.current).toBe(1);
  });
});

test('the gauges of the outbox count what all tenants did', async () => {
  const { body } = await callApi(`${other.url}/metrics`, 'GET');
  const [, before] = /^laurel_outbox_entries (\d+)$/m.exec(body)!;
  expect(Number(before)).toBeGreaterThan(0);
  await record();
  const { body: after } = await callApi(`${server.url}/metrics`, 'GET');
  expect(after).toMatch(new RegExp(`^laurel_outbox_entries ${Number(before) + 1}$`, 'm'));
});

test('an application key of a tenant opens the other server until it is deleted, and only for its tenant', async () => {
  const { body } = await change('POST', '/application-api-keys', [{ userId: 'ada' }]);
  const { id: keyId, key } = body.created[0] as Json;
  const statusWith = async (url: string, tenantId?: string): Promise<number> => {
    const headers = { 'X-API-KEY': key, ...(tenantId !== undefined && { 'Tenant-ID': tenantId }) };
    return (await callApi(`${url}/v1/users/ada`, 'GET', undefined, headers)).status;
  };
  await until(async () => (await statusWith(other.url)) === 200);
  expect([await statusWith(server.url), await statusWith(other.url, tenant)]).toEqual([200, 200]);
  expect([await statusWith(server.url, 'another'), await statusWith(other.url, 'another')]).toEqual([
    403, 403,
  ]);
  await change('DELETE', `/application-api-keys?ids=${keyId}`);
  expect(await statusWith(server.url)).toBe(401);
  await until(async () => (await statusWith(other.url)) === 401);
});
