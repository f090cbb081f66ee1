import { beforeAll, expect, test } from 'vitest';
import { callApi, type Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Admin keys that are bound to one tenant. What they see is tested in tenantIsolation.test.ts. */

const server = useServer();
const { admin } = server;
const create = (...items: object[]) => admin('POST', '/api-keys', items);

beforeAll(async () => {
  await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'first' });
  await admin('POST', '/tenants', [{ customerId: 'keyed', name: 'Keyed' }]);
});

test('keys of one tenant keep it when they are replaced, and have a role within it', async () => {
  const { body } = await create(
    { name: 'Theirs', tenant: 'keyed' },
    { name: 'Reader', role: 'read', tenant: 'keyed' },
  );
  expect(body.issues).toEqual([]);
  expect(body.created).toMatchObject([
    { name: 'Theirs', role: 'admin', tenant: 'keyed' },
    { name: 'Reader', role: 'read', tenant: 'keyed' },
  ]);
  const [{ id, key }, reader] = body.created;
  const names = async (of: string) =>
    (await callApi(`${server.url}/admin/v1/metrics`, 'GET', undefined, { 'X-API-KEY': of })).body;
  expect(await names(key)).toEqual([]);
  const write = (of: string) =>
    callApi(`${server.url}/admin/v1/metrics`, 'POST', [{ key: 'own', name: 'Own' }], { 'X-API-KEY': of });
  expect([(await write(reader.key)).status, (await write(key)).status]).toEqual([403, 201]);
  const ofFirst = (
    await callApi(`${server.url}/admin/v1/metrics`, 'GET', undefined, { 'Tenant-ID': 'first' })
  ).body;
  expect(ofFirst.map((metric: Reply['body']) => metric.key)).not.toContain('own');
  const replaced = await admin('POST', `/api-keys/${id}/rotate`);
  expect(replaced.body).toMatchObject({ name: 'Theirs', tenant: 'keyed' });
  expect(await names(replaced.body.key)).toMatchObject([{ key: 'own' }]);
  const { body: log } = await admin('GET', `/audit?id=${replaced.body.id}`);
  expect(log).toMatchObject([{ action: 'create', kind: 'adminKeys', after: { tenant: 'keyed' } }]);
});

test('keys of one tenant are not counted among those of the account, nor keep it open', async () => {
  const listed = async () => (await admin('GET', '/api-keys')).body as Reply['body'][];
  const full = (all: Reply['body'][], tenant: string | null) =>
    all.filter((key) => key.role === 'admin' && key.status === 'active' && key.tenant === tenant);
  const made = await create(...Array.from({ length: 4 }, () => ({ tenant: 'keyed' })));
  expect(full(await listed(), 'keyed')).toHaveLength(3);
  expect(made.body.issues.at(-1)).toMatchObject({
    index: 3,
    message: expect.stringContaining('3 active admin keys'),
  });
  const more = await create({ name: 'Of all' });
  expect(more.body.issues).toEqual([]);
  await admin('POST', `/api-keys/${more.body.created[0].id}/revoke`);
  const [last, ...others] = full(await listed(), null);
  expect(others).toEqual([]);
  expect((await admin('POST', `/api-keys/${last.id}/revoke`)).body.error).toContain('the last admin key');
  expect((await admin('DELETE', `/api-keys?ids=${last.id}`)).body.issues[0].message).toContain(
    'the last admin key',
  );
  for (const { id } of full(await listed(), 'keyed')) {
    expect((await admin('POST', `/api-keys/${id}/revoke`)).status).toBe(200);
  }
});

test.each(['nobody', '', ' ', 'first'])(
  'are not created for %j, which is no tenant beside the account',
  async (tenant) => {
    const { status, body } = await create({ tenant });
    expect([status, body.created]).toEqual([200, []]);
    expect(body.issues).toMatchObject([
      { index: 0, severity: 'error', message: expect.stringMatching(/^tenant /) },
    ]);
  },
);
