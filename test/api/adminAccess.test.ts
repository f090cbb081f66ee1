import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import type { RunningServer } from '../../src/server/startServer.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY, callApi, type Reply, startAnotherServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
// Every operation is called with a wrong key, and every operation with an application key.
const server = useServer({
  env: { LAUREL_FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000', LAUREL_APPLICATION_REQUESTS_PER_SECOND: '0' },
});
/** Another server on the same stores. */
let other: RunningServer;
let applicationKey: string | null = null;
const { admin } = server;
const statusWith = async (key: string, url = server.url, path = '/admin/v1/metrics'): Promise<number> =>
  (await callApi(url + path, 'GET', undefined, { 'X-API-KEY': key })).status;

beforeAll(async () => {
  other = await startAnotherServer(server);
});
afterAll(() => other.stop());

test('another server evaluates the next event with the change', async () => {
  const event = async (): Promise<Reply> =>
    callApi(`${other.url}/v1/metrics/runs/event`, 'POST', { user: { id: 'eve' }, value: 1 });
  expect((await event()).status).toBe(404);
  const { body: metrics } = await admin('POST', '/metrics', [{ key: 'runs', name: 'Runs' }]);
  expect((await event()).status).toBe(201);
  const { body: systems } = await admin('GET', '/points');
  const path = `/points/${systems.find(({ key }: { key: string }) => key === 'xp').id}/triggers`;
  const trigger = { type: 'metric', metricId: metrics.created[0].id, metricThreshold: 1, status: 'active' };
  const { body: triggers } = await admin('POST', path, [{ ...trigger, points: 1 }]);
  for (let points = 2; points < 12; points++) {
    await admin('PATCH', path, [{ id: triggers.created[0].id, points }]);
    expect((await event()).body.points.xp.added).toBe(points);
  }
});

/** Leaves the first key only. */
async function deleteKeys(): Promise<void> {
  const { body } = await admin('GET', '/api-keys');
  const others = body.filter(({ prefix }: Json) => prefix !== API_KEY.slice(0, 8));
  await admin('DELETE', `/api-keys?${others.map(({ id }: Json) => `ids=${id}`).join('&')}`);
}

describe('admin keys', () => {
  let first: Json;
  let second: Json;
  beforeEach(async () => {
    const { body } = await admin('POST', '/api-keys', [{ name: 'One' }, {}]);
    [first, second] = body.created;
  });
  afterEach(deleteKeys);

  test('are created, shown once, and at most three at a time', async () => {
    await deleteKeys();
    const { status, body } = await admin('POST', '/api-keys', [{ name: 'One' }, {}, { name: 'Three' }]);
    expect(status).toBe(201);
    expect(body.created).toMatchObject([
      { name: 'One', status: 'active' },
      { name: '', status: 'active' },
    ]);
    expect(body.issues).toEqual([
      {
        index: 2,
        severity: 'error',
        message: 'There are 3 active admin keys (limit 3): revoke one first',
      },
    ]);
    for (const { key, prefix } of body.created) {
      expect(key.startsWith(`${prefix}.`)).toBe(true);
      expect(await statusWith(key)).toBe(200);
      await until(async () => (await statusWith(key, other.url)) === 200);
    }
    const { body: listed } = await admin('GET', '/api-keys');
    expect(listed.map(({ prefix }: Json) => prefix).sort()).toEqual(
      [API_KEY.slice(0, 8), ...body.created.map(({ prefix }: Json) => prefix)].sort(),
    );
    const first = listed.find(({ prefix }: Json) => prefix === API_KEY.slice(0, 8));
    expect(first).toMatchObject({ name: 'LAUREL_ADMIN_KEY', role: 'admin' });
    expect(JSON.stringify(listed)).not.toContain(body.created[0].key);
    expect((await admin('GET', `/api-keys/${body.created[0].id}`)).body).toMatchObject({ name: 'One' });
    expect((await admin('GET', `/api-keys/${NOWHERE}`)).status).toBe(404);
  });

  test('are rotated: every server refuses the old key', async () => {
    await until(async () => (await statusWith(first.key, other.url)) === 200);
    const { status, body } = await admin('POST', `/api-keys/${first.id}/rotate`);
    expect([status, body.name, body.status]).toEqual([201, 'One', 'active']);
    expect(await statusWith(first.key)).toBe(401);
    expect(await statusWith(body.key)).toBe(200);
    await until(async () => (await statusWith(first.key, other.url)) === 401);
    await until(async () => (await statusWith(body.key, other.url)) === 200);
    expect((await admin('POST', `/api-keys/${first.id}/rotate`)).status).toBe(422);
    expect((await admin('POST', `/api-keys/${NOWHERE}/rotate`)).status).toBe(404);
  });

  test('are revoked and deleted, but not the last one', async () => {
    await until(async () => (await statusWith(second.key, other.url)) === 200);
    const revoked = await admin('POST', `/api-keys/${first.id}/revoke`);
    expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked']);
    expect(await statusWith(first.key)).toBe(401);
    const { body } = await admin('DELETE', `/api-keys?ids=${first.id}&ids=${second.id}&ids=${NOWHERE}`);
    expect(body.deleted).toEqual([{ id: first.id }, { id: second.id }]);
    expect(body.issues).toMatchObject([{ id: NOWHERE, message: `There is no admin key ${NOWHERE}` }]);
    expect(await statusWith(second.key)).toBe(401);
    await until(async () => (await statusWith(second.key, other.url)) === 401);

    const [last] = (await admin('GET', '/api-keys')).body.filter(({ status }: Json) => status === 'active');
    expect((await admin('POST', `/api-keys/${last.id}/revoke`)).body.error).toContain('the last admin key');
    expect((await admin('DELETE', `/api-keys?ids=${last.id}`)).body.issues[0].message).toContain(
      'the last admin key',
    );
    expect(await statusWith(API_KEY)).toBe(200);
  });

  test('appear in the audit log without their secret part', async () => {
    const { body: replaced } = await admin('POST', `/api-keys/${first.id}/rotate`);
    await admin('POST', `/api-keys/${replaced.id}/revoke`);
    await admin('DELETE', `/api-keys?ids=${replaced.id}&ids=${second.id}`);
    const { body } = await admin('GET', '/audit?limit=100');
    const ids = [first, second, replaced].map(({ id }) => id);
    const ofKeys = body.filter(({ kind, id }: Json) => kind === 'adminKeys' && ids.includes(id));
    expect(ofKeys.map(({ action }: Json) => action).reverse()).toEqual([
      ...['create', 'create', 'update', 'create', 'update', 'delete', 'delete'],
    ]);
    for (const { key } of [first, second, replaced]) {
      expect(JSON.stringify(body)).not.toContain(key.split('.')[1]);
    }
  });

  test('and with what each key has done, and what its sessions in the console have', async () => {
    const [{ id, key }] = (await admin('POST', '/api-keys', [{ name: 'Doer', role: 'operate' }])).body
      .created;
    const { headers } = await server.call('POST', '/console/session', {}, { 'X-API-KEY': key });
    const asSession = {
      'X-API-KEY': '',
      'X-Requested-With': 'console',
      Cookie: headers.get('set-cookie')!.split(';')[0]!,
    };
    const freeze = async (userId: string, as: Record<string, string>): Promise<number> => {
      await server.call('PUT', `/v1/users/${userId}`, {});
      const body = { freezes: [{ userId, freezes: 1 }] };
      return (await server.call('POST', '/admin/v1/streaks/freezes', body, as)).status;
    };
    expect(await freeze('by-key', { 'X-API-KEY': key })).toBe(201);
    expect(await freeze('by-session', asSession)).toBe(201);
    expect(await freeze('by-other', {})).toBe(201);
    const usersOf = async (filter: string) =>
      (await admin('GET', `/audit?kind=streakFreezes&${filter}`)).body.map(({ userId }: Json) => userId);
    expect(await usersOf('actor=Doer')).toEqual(['by-session', 'by-key']);
    expect(await usersOf(`actor=${key.slice(0, 8)}`)).toEqual(['by-key']);
    expect(await usersOf('limit=3')).toEqual(['by-other', 'by-session', 'by-key']);
    const kinds = (await admin('GET', '/audit?actor=Doer')).body.map(({ kind }: Json) => kind);
    expect(kinds).toEqual(['streakFreezes', 'streakFreezes', 'sessions']);
    expect((await admin('GET', '/audit?kind=')).status).toBe(422);
    await admin('DELETE', `/api-keys?ids=${id}`);
  });
});

describe('roles of admin keys', () => {
  const keyOf: Record<string, string> = {};
  const as = (role: string, method: string, path: string, body?: unknown): Promise<Reply> =>
    callApi(server.url + path, method, body, { 'X-API-KEY': keyOf[role]! });
  const event = { user: { id: 'rolf' }, value: 1 };
  const freezesFor = (userId: string) => ({ freezes: [{ userId }] });

  beforeAll(async () => {
    await server.call('POST', '/v1/metrics/lessons/event', event);
    const { body } = await admin('POST', '/api-keys', [
      { name: 'Dashboard', role: 'read' },
      { name: 'Support', role: 'operate' },
    ]);
    for (const { role, key } of body.created) keyOf[role] = key;
  });
  afterAll(deleteKeys);

  test('are given with the key, and stay when it is replaced', async () => {
    const { body: listed } = await admin('GET', '/api-keys');
    const support = listed.find(({ name }: Json) => name === 'Support');
    expect(listed).toContainEqual(expect.objectContaining({ name: 'Dashboard', role: 'read' }));
    expect(support).toMatchObject({ role: 'operate', status: 'active' });
    const { body } = await admin('POST', '/api-keys', [{ name: 'Boss', role: 'owner' }]);
    expect(body.issues).toMatchObject([{ index: 0, message: 'role must be one of read, operate, admin' }]);
    const replaced = await admin('POST', `/api-keys/${support.id}/rotate`);
    expect(replaced.body).toMatchObject({ name: 'Support', role: 'operate' });
    keyOf.operate = replaced.body.key;
  });

  test.each([
    ['read', 'GET', '/admin/v1/metrics', undefined, 200],
    ['read', 'GET', '/v1/users/rolf', undefined, 200],
    ['read', 'POST', '/v1/metrics/lessons/event', event, 403],
    ['read', 'PUT', '/v1/users/rolf', { name: 'Rolf' }, 403],
    ['read', 'POST', '/admin/v1/streaks/freezes', freezesFor('rolf'), 403],
    ['read', 'POST', '/admin/v1/metrics', [{ key: 'x', name: 'X' }], 403],
    ['operate', 'GET', '/admin/v1/metrics', undefined, 200],
    ['operate', 'POST', '/v1/metrics/lessons/event', event, 201],
    ['operate', 'POST', '/admin/v1/metrics/events', [{ key: 'lessons', ...event }], 202],
    ['operate', 'PUT', '/v1/users/rolf', { name: 'Rolf' }, 200],
    ['operate', 'POST', '/admin/v1/streaks/freezes', freezesFor('rolf'), 201],
    ['operate', 'POST', '/admin/v1/metrics', [{ key: 'x', name: 'X' }], 403],
    ['operate', 'POST', '/admin/v1/api-keys', [{ name: 'More' }], 403],
    ['operate', 'PATCH', '/admin/v1/settings', { experimentation: { controlRatio: 0 } }, 403],
  ])('%s: %s %s', async (role, method, path, body, status) => {
    const reply = await as(role, method, path, body);
    expect(reply.status).toBe(status);
    if (status === 403)
      expect(reply.body.error).toMatch(
        /^This call needs an admin key with the role (operate|admin); this key has /,
      );
  });

  test('do not keep the configuration open when only they are left', async () => {
    const { body: listed } = await admin('GET', '/api-keys');
    const full = listed.filter(({ role, status }: Reply['body']) => role === 'admin' && status === 'active');
    expect(full).toHaveLength(1);
    expect((await admin('POST', `/api-keys/${full[0].id}/revoke`)).status).toBe(422);
  });

  test('the audit log shows the name of the key', async () => {
    await server.call('PUT', '/v1/users/ralf', { name: 'Ralf' });
    expect((await as('operate', 'POST', '/admin/v1/streaks/freezes', freezesFor('ralf'))).status).toBe(201);
    const { body } = await admin('GET', '/audit?userId=ralf');
    expect(body[0]).toMatchObject({
      kind: 'streakFreezes',
      actorName: 'Support',
      actor: keyOf.operate!.split('.')[0],
    });
  });
});

describe('application keys', () => {
  test('are created for a user, and open the Application API only, until they are deleted', async () => {
    await server.call('PUT', '/v1/users/ada', { name: 'Ada' });
    const { status, body } = await admin('POST', '/application-api-keys', [
      { userId: 'ada' },
      { userId: '' },
      { userId: 'x'.repeat(256) },
    ]);
    expect(status).toBe(201);
    expect(body.issues).toMatchObject([
      { index: 1, message: 'userId must not be empty' },
      { index: 2, message: 'userId must not be longer than 255 characters' },
    ]);
    const [{ id, key, userId, prefix }] = body.created;
    expect([userId, key.startsWith('app_'), key.startsWith(`${prefix}.`)]).toEqual(['ada', true, true]);
    expect(await statusWith(key, server.url, '/v1/users/ada')).toBe(200);
    expect(await statusWith(key)).toBe(403);
    await until(async () => (await statusWith(key, other.url, '/v1/users/ada')) === 200);

    const deleted = await admin('DELETE', `/application-api-keys?ids=${id}&ids=${NOWHERE}`);
    expect(deleted.body.deleted).toEqual([{ id }]);
    expect(deleted.body.issues).toMatchObject([{ id: NOWHERE, severity: 'error' }]);
    expect(await statusWith(key, server.url, '/v1/users/ada')).toBe(401);
    await until(async () => (await statusWith(key, other.url, '/v1/users/ada')) === 401);
  });

  test('are refused if an item is not an object', async () => {
    expect((await admin('POST', '/application-api-keys', [{}])).body.error).toBe('[0].userId is required');
    expect((await admin('POST', '/application-api-keys', [])).status).toBe(422);
    expect((await admin('DELETE', '/application-api-keys')).status).toBe(422);
  });
});

describe('tenants', () => {
  test('are created, listed, shown, changed and archived', async () => {
    const { status, body } = await admin('POST', '/tenants', [
      { customerId: 'acme', name: 'Acme' },
      { customerId: 'acme', name: 'Again' },
      { customerId: '', name: '' },
      { customerId: 'bolt', name: 'Bolt' },
    ]);
    expect(status).toBe(201);
    expect(body.created).toMatchObject([
      { customerId: 'acme', name: 'Acme', status: 'active' },
      { customerId: 'bolt', name: 'Bolt' },
    ]);
    expect(body.issues).toEqual([
      { index: 1, severity: 'error', message: 'customerId is not unique: acme' },
      { index: 2, severity: 'error', message: 'name must not be empty; customerId must not be empty' },
    ]);
    const [acme, bolt] = body.created;
    const listed = (await admin('GET', '/tenants?limit=100')).body;
    expect(listed.slice(-2)).toEqual([acme, bolt]);
    expect((await admin('GET', `/tenants?skip=${listed.length - 1}&limit=1`)).body).toEqual([bolt]);
    expect((await admin('GET', `/tenants/${acme.id}`)).body).toEqual(acme);
    expect((await admin('GET', `/tenants/${NOWHERE}`)).status).toBe(404);

    const changed = await admin('PATCH', '/tenants', [
      { id: acme.id, name: 'Acme Inc.' },
      { id: bolt.id, customerId: 'acme' },
      { id: NOWHERE, name: 'N' },
    ]);
    expect(changed.body.updated).toMatchObject([{ id: acme.id, customerId: 'acme', name: 'Acme Inc.' }]);
    expect(changed.body.issues).toEqual([
      { id: bolt.id, index: 1, severity: 'error', message: 'customerId is not unique: acme' },
      { id: NOWHERE, index: 2, severity: 'error', message: `There is no tenant ${NOWHERE}` },
    ]);

    // What changes nothing is no change.
    const [{ updated }] = changed.body.updated;
    const same = await admin('PATCH', '/tenants', [
      { id: acme.id, customerId: 'acme', name: 'Acme Inc.' },
      { id: acme.id },
    ]);
    expect(same.body).toMatchObject({ updated: [{ updated }, { updated }], issues: [] });

    const archived = await admin('DELETE', `/tenants?ids=${acme.id}&ids=${NOWHERE}`);
    expect(archived.body.deleted).toEqual([{ id: acme.id }]);
    expect(archived.body.issues).toMatchObject([{ id: NOWHERE }]);
    expect((await admin('GET', `/tenants/${acme.id}`)).body.status).toBe('archived');
    expect((await admin('PATCH', '/tenants', [{ id: acme.id, name: 'X' }])).body.issues).toMatchObject([
      { message: 'This tenant is archived and cannot be changed' },
    ]);
    const actions = (await admin('GET', `/audit?id=${acme.id}`)).body.map(
      ({ action }: { action: string }) => action,
    );
    expect(actions).toEqual(['update', 'update', 'create']);
  });

  test('get an id from laurel: an id that is sent is ignored', async () => {
    const item = { id: NOWHERE, customerId: 'once', name: 'Once' };
    const { created } = (await admin('POST', '/tenants', [item])).body;
    expect(created[0].id).not.toBe(NOWHERE);
    const again = [{ id: created[0].id, customerId: 'once', name: 'Again' }];
    const { status, body } = await admin('POST', '/tenants', again);
    expect([status, body.issues[0].message]).toEqual([200, 'customerId is not unique: once']);
  });

  test('created at the same time with the same id are one tenant', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map((n) => admin('POST', '/tenants', [{ customerId: 'same', name: `Same ${n}` }])),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  });

  test.each(['', 'x'.repeat(256)])('%j cannot be an id', async (customerId) => {
    const { body } = await admin('POST', '/tenants', [{ customerId, name: 'X' }]);
    expect(body.issues).toMatchObject([{ message: expect.stringMatching(/^customerId must /) }]);
  });

  test('can be called once they are created, by their new id once it changed, and not after they are archived', async () => {
    const call = async (tenantId: string, url = server.url): Promise<number> =>
      (await callApi(`${url}/admin/v1/metrics`, 'GET', undefined, { 'Tenant-ID': tenantId })).status;
    expect(
      (await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'account' })).body.multiTenancy,
    ).toBe(true);
    const { body } = await admin('POST', '/tenants', [{ customerId: 'first', name: 'First' }]);
    const { id } = body.created[0];
    expect([await call('first'), await call('first', other.url), await call('second')]).toEqual([
      200, 200, 404,
    ]);
    await admin('PATCH', '/tenants', [{ id, customerId: 'second' }]);
    await until(
      async () => (await call('second', other.url)) === 200 && (await call('first', other.url)) === 404,
    );
    expect([await call('second'), await call('first')]).toEqual([200, 404]);

    // What a tenant has is its own, and so is the log of who changed it.
    const metric = [{ key: 'own', name: 'Own' }];
    const created = await server.call('POST', '/admin/v1/metrics', metric, { 'Tenant-ID': 'second' });
    expect(created.status).toBe(201);
    const log = await server.call('GET', '/admin/v1/audit', undefined, { 'Tenant-ID': 'second' });
    expect(log.body).toMatchObject([{ kind: 'metrics', action: 'create' }]);
    const own = { multiTenancy: true };
    expect((await server.call('PATCH', '/admin/v1/settings', own, { 'Tenant-ID': 'second' })).status).toBe(
      422,
    );

    await admin('DELETE', `/tenants?ids=${id}`);
    await until(async () => (await call('second', other.url)) === 404);
    expect(await call('second')).toBe(404);
    const texts = ['Café 東京 😀', ' 50% ', '😀'.repeat(127)];
    for (const customerId of texts) {
      expect((await admin('POST', '/tenants', [{ customerId, name: 'Text' }])).status).toBe(201);
      expect(await call(encodeURIComponent(customerId))).toBe(200);
    }
    expect([await call('a%00b'), await call('50%')]).toEqual([404, 422]);
    // Without Tenant-ID, settings and log are those of the account.
    const audited = (await admin('GET', '/audit?limit=20')).body;
    expect(audited).toContainEqual(expect.objectContaining({ kind: 'tenants', id }));
    expect((await admin('PATCH', '/settings', { multiTenancy: false })).body.multiTenancy).toBe(false);
    expect((await admin('GET', '/metrics')).status).toBe(200);
  });
});

describe.each(['/tenants', '/api-keys'])('%s', (path) => {
  test.each<[string, string, unknown, string]>([
    ['GET', '?limit=0', undefined, 'limit must be a whole number from 1 to 100'],
    ['GET', '?skip=x', undefined, 'skip must be a whole number from 0 to 1000000000'],
    ['GET', '/x', undefined, 'id must be a UUID'],
    ['POST', '', [], 'body must hold at least 1 item'],
    ['POST', '', [null], '[0] must be an object'],
    ['POST', '', [{ name: 7, customerId: 'x' }], '[0].name must be a string'],
    ['DELETE', '', undefined, 'ids is required: 1 to 100 values, each a UUID'],
    ['DELETE', '?ids=x', undefined, 'ids must be 1 to 100 values, each a UUID'],
  ])('refuses %s%s %j', async (method, query, body, message) => {
    const reply = await admin(method, path + query, body);
    expect([reply.status, reply.body.error]).toEqual([422, message]);
  });
});

test('tenants are changed by their ids', async () => {
  const reply = await admin('PATCH', '/tenants', [{ id: 'x' }]);
  expect([reply.status, reply.body.error]).toEqual([422, '[0].id must be a UUID']);
});

test.each(ADMIN_ROUTES.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s is for admin keys only',
  async (_name, { method, path }) => {
    applicationKey ??= (await admin('POST', '/application-api-keys', [{ userId: 'guest' }])).body.created[0]
      .key;
    const url = `${server.url}/admin/v1${path.replaceAll(/\{\w+\}/g, NOWHERE)}`;
    const statusOf = async (key: string): Promise<number> =>
      (await callApi(url, method.toUpperCase(), method === 'get' ? undefined : [], { 'X-API-KEY': key }))
        .status;
    expect(await statusOf('wrong123.key')).toBe(401);
    expect(await statusOf(applicationKey!)).toBe(403);
  },
);
