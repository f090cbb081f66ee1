import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventSource } from 'undici';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { newId, sha256 } from '../../src/base/ids.ts';
import { importFile } from '../../src/commands/imports/importFile.ts';
import { ServiceClient } from '../../src/commands/replay/serviceClient.ts';
import { insertApiKey } from '../../src/db/access/apiKeyRows.ts';
import { listUnpublished } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import type { Pool } from '../../src/db/pool.ts';
import { RulesStore } from '../../src/engine/calls/rulesStore.ts';
import { publishPending, publishStored } from '../../src/engine/configuration/publishing.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { EventQueue } from '../../src/engine/events/eventQueue.ts';
import type { Stores } from '../../src/engine/stores/stores.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { useImports } from '../support/importing.ts';
import {
  achievement,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  WEEKLY,
  xp,
  xpBoard,
} from '../support/items.ts';
import { API_KEY, type Reply, type TestServer } from '../support/server.ts';
import { storeOnly } from '../support/storedConfig.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

const KEY_OF_ACME = 'app_acme.0123456789abcdef';
const TENANT_CONFIG = JSON.stringify({
  attributes: { user: items('city') },
  metrics: items('lessons'),
  streak: lessonStreak(),
  achievements: [achievement('two', 2), item('profile', { trigger: 'api' })],
  points: [xp([perLesson(10)])],
  leaderboards: [
    metricBoard('weekly', { start: '2026-01-01', ...WEEKLY }),
    xpBoard('ever', { start: '2026-01-01' }),
  ],
});

const dir = useDirectory();
const server = useServer({
  config: { settings: { multiTenancy: true } },
  env: { LAUREL_CELLS: '4' },
  relay: true,
});
let pool: Pool;
let stores: Stores;
let created = 0;

/** A row as the Admin API makes it; nothing is published. */
async function createTenant(customerId: string, config: string | null = TENANT_CONFIG): Promise<number> {
  const { rows } = await pool.query(
    'insert into tenants (id, customer_id, name, created, updated) values ($1, $2, $2, $3, $3) returning no',
    [newId(), customerId, new Date(START_MS)],
  );
  const tenant = rows[0].no as number;
  if (config !== null) {
    await storeOnly(pool, tenant, parseConfigFile(config, 'test'), {
      actor: 'test',
      now: server.clock.now(),
    });
  }
  return tenant;
}

/** Changes the row as the Admin API does: a new version, published. */
async function changeTenant(tenant: number, assignments: string): Promise<void> {
  await pool.query(`update tenants set ${assignments}, version = version + 1 where no = $1`, [tenant]);
  await publishStored(stores, tenant, server.clock.now());
}

async function setMultiTenancy(multiTenancy: boolean, options: { adoptAs?: string } = {}): Promise<void> {
  const file = parseConfigFile(JSON.stringify({ settings: { multiTenancy } }), 'test');
  await applyConfig({ ...stores, tenant: 1, actor: 'test', now: server.clock.now() }, file, options);
}

const as = (tenant: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, path, body, { 'Tenant-ID': tenant });

const EVENT = '/v1/metrics/lessons/event';
const record = (tenant: string, user: string, value = 1): Promise<Reply> =>
  as(tenant, 'POST', EVENT, { user: { id: user }, value });

beforeAll(async () => {
  ({ pool } = server);
  stores = { pool, redis: server.redis, cells: (await readCells(pool))! };
  const acme = await createTenant('acme');
  await createTenant('beta');
  const stored = {
    id: newId(),
    prefix: 'app_acme',
    sha256: sha256(KEY_OF_ACME),
    role: 'admin' as const,
    name: '',
    kind: 'application' as const,
  };
  await insertApiKey(pool, { ...stored, tenant: acme, userId: 'ada' }, server.clock.now());
  // Keys are read at the start.
  await server.restart();
});
beforeEach(() => {
  created++;
});

const SCOPED = [
  ...APPLICATION_ROUTES.map((route) => ({ ...route, base: '/v1', verb: route.method.toUpperCase() })),
  ...ADMIN_ROUTES.map((route) => ({ ...route, base: '/admin/v1', verb: route.method.toUpperCase() })),
].filter(({ operation }) => operation.scope !== 'account');

describe('every call of a tenant', () => {
  const call = ({ base, verb, path, operation }: (typeof SCOPED)[number], headers = {}): Promise<Reply> =>
    server.call(
      verb,
      base + path.replaceAll(/\{\w+\}/g, newId()),
      operation.request && { user: { id: 'ada' }, value: 1 },
      headers,
    );

  test.each(SCOPED)('$verb $base$path names it', async (route) => {
    const without = await call(route);
    if (route.operation.scope === 'either') expect(without.body.error ?? '').not.toContain('Tenant-ID');
    else
      expect([without.status, without.body.error]).toEqual([
        422,
        expect.stringContaining('Tenant-ID is required'),
      ]);
    const unknown = await call(route, { 'Tenant-ID': 'nobody' });
    expect([unknown.status, unknown.body.error]).toEqual([
      404,
      'Tenant-ID nobody does not name an active tenant',
    ]);
  });

  test('calls about the account as a whole need none, and take no key of a tenant', async () => {
    expect((await server.call('GET', '/admin/v1/test-clock')).status).toBe(200);
    const { status } = await server.call('GET', '/admin/v1/test-clock', undefined, {
      'X-API-KEY': KEY_OF_ACME,
    });
    expect(status).toBe(403);
  });
});

describe('a tenant', () => {
  test('is served from the moment it is stored, on servers that have never heard of it', async () => {
    const id = `new-${created}`;
    expect((await record(id, 'ada')).status).toBe(404);
    await createTenant(id);
    const replies = await Promise.all([record(id, 'ada'), record(id, 'ada'), record(id, 'bob', 3)]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await as(id, 'GET', '/v1/users/ada/metrics/lessons')).body.current).toBe(2);
    const history = await as(id, 'GET', '/v1/users/ada/points/xp?awards=10');
    expect([history.status, history.body.awards?.length]).toEqual([200, 2]);
    expect((await as('beta', 'GET', '/v1/users/bob')).status).toBe(404);
  });

  test('that nobody has changed waits for its first call, one that was changed for nobody', async () => {
    const [fresh, changed] = [`fresh-${created}`, `changed-${created}`];
    const no = await createTenant(fresh, null);
    expect(await listUnpublished(pool)).not.toContain(no);
    expect((await as(fresh, 'GET', '/v1/achievements')).status).toBe(200);
    const other = await createTenant(changed);
    expect(await listUnpublished(pool)).toContain(other);
    await publishPending(stores, server.clock.now());
    expect(await listUnpublished(pool)).not.toContain(other);
    expect(await stores.redis.hget(keys.tenants, changed)).toBe(String(other));
  });

  test('is published although the configuration of another one cannot be', async () => {
    const broken = await createTenant(`broken-${created}`);
    const other = await createTenant(`other-${created}`);
    expect(broken).toBeLessThan(other);
    const rename = (from: string, to: string) =>
      pool.query('update entities set kind = $3 where tenant = $1 and kind = $2', [broken, from, to]);
    await rename('metrics', 'unknown');
    try {
      await expect(publishPending(stores, server.clock.now())).rejects.toThrow();
      expect(await listUnpublished(pool)).toEqual([broken]);
    } finally {
      await rename('unknown', 'metrics');
    }
    await publishPending(stores, server.clock.now());
    expect(await listUnpublished(pool)).toEqual([]);
  });

  test('is found without PostgreSQL once it has been published', async () => {
    const tenant = await createTenant(`known-${created}`);
    await publishStored(stores, tenant, server.clock.now());
    expect(await stores.redis.hget(keys.tenants, `known-${created}`)).toBe(String(tenant));
    // Whoever asked PostgreSQL would not find it.
    await pool.query(`update tenants set customer_id = null where no = $1`, [tenant]);
    expect((await record(`known-${created}`, 'ada')).status).toBe(201);
  });

  test('has users, configuration and rankings of its own', async () => {
    await createTenant(`left-${created}`);
    await createTenant(`right-${created}`);
    await record(`left-${created}`, 'ada', 5);
    await record(`right-${created}`, 'ada', 7);
    const [left, right] = await Promise.all(
      ['left', 'right'].map((side) => as(`${side}-${created}`, 'GET', '/v1/leaderboards/weekly')),
    );
    expect([left!.body.rankings[0].value, right!.body.rankings[0].value]).toEqual([5, 7]);
    const { body } = await as(`left-${created}`, 'POST', '/admin/v1/metrics', [
      { key: 'only', name: 'Only left' },
    ]);
    expect(body.created).toHaveLength(1);
    const listed = async (side: string) =>
      (await as(`${side}-${created}`, 'GET', '/admin/v1/metrics')).body.map(
        ({ key }: { key: string }) => key,
      );
    expect(await listed('left')).toEqual(['lessons', 'only']);
    expect(await listed('right')).toEqual(['lessons']);
    const stranger = await as(`right-${created}`, 'GET', `/admin/v1/metrics/${body.created[0].id}`);
    expect(stranger.status).toBe(404);
  });

  test('that is archived is refused by every server, also when it does not hear of it', async () => {
    const id = `gone-${created}`;
    const tenant = await createTenant(id);
    expect((await record(id, 'ada')).status).toBe(201);
    await changeTenant(tenant, `status = 'archived'`);
    const event = await record(id, 'ada');
    expect([event.status, event.body.error]).toEqual([404, expect.stringContaining(`Tenant-ID ${id}`)]);
    await until(async () => (await as(id, 'GET', '/v1/users/ada')).status === 404);
    await changeTenant(tenant, `status = 'active'`);
    await until(async () => (await as(id, 'GET', '/v1/users/ada')).status === 200);
  });

  test('may get another id, and another tenant the id it had', async () => {
    const [before, after] = [`before-${created}`, `after-${created}`];
    const tenant = await createTenant(before);
    await record(before, 'ada', 4);
    await changeTenant(tenant, `customer_id = '${after}'`);
    await until(async () => (await as(before, 'GET', '/v1/users/ada')).status === 404);
    expect((await as(after, 'GET', '/v1/users/ada/metrics/lessons')).body.current).toBe(4);
    await createTenant(before);
    expect((await as(before, 'GET', '/v1/users/ada')).status).toBe(404);
    expect((await record(before, 'ada')).status).toBe(201);
    expect((await as(after, 'GET', '/v1/users/ada/metrics/lessons')).body.current).toBe(4);
  });

  test('imports a file that another tenant has imported, once', async () => {
    const path = join(dir, `users-${created}.ndjson`);
    await writeFile(path, '{"id":"imported","metric.lessons":5}\n');
    const silence = { begin() {}, advance() {}, end() {} };
    for (const customerId of [`one-${created}`, `two-${created}`, `two-${created}`]) {
      const { rows } = await pool.query('select no from tenants where customer_id = $1', [customerId]);
      const no = rows[0]?.no ?? (await createTenant(customerId));
      const call: TestServer['call'] = (method, address, body) => as(customerId, method, address, body);
      const imports = await useImports(server, { call, no });
      const service = new ServiceClient({ url: server.url, key: API_KEY, tenant: customerId });
      const done = importFile(service, { path, kind: 'users', merge: 'add' }, silence);
      const [{ id, state }] = await until(async () => {
        const found = (await call('GET', '/admin/v1/imports')).body;
        return found[0] && found[0].state !== 'receiving' && found;
      });
      if (state === 'running') await imports.apply(id);
      await imports.close();
      expect(await done).toMatchObject({ id, state: 'done', rows: { applied: 1, refused: 0 } });
      expect((await call('GET', '/v1/users/imported/metrics/lessons')).body.current).toBe(5);
    }
  });

  test('has live leaderboards by a parameter, where headers cannot be set', async () => {
    await record('acme', 'ada', 2);
    const states: { rankings: { userId: string }[] }[] = [];
    const source = new EventSource(
      `${server.url}/v1/leaderboards/weekly/live?tenantId=acme&apiKey=${KEY_OF_ACME}`,
    );
    source.addEventListener('message', ({ data }) => states.push(JSON.parse(data as string)));
    await until(() => states.length > 0);
    source.close();
    expect(states[0]!.rankings.map(({ userId }) => userId)).toContain('ada');
    const { status, body } = await server.call('GET', '/v1/leaderboards/weekly/live?tenantId=nobody');
    expect([status, body.error]).toEqual([404, 'Tenant-ID nobody does not name an active tenant']);
  });
});

describe('a key that belongs to a tenant', () => {
  const withKey = (headers: Record<string, string>) =>
    server.call('GET', '/v1/users/ada', undefined, { 'X-API-KEY': KEY_OF_ACME, ...headers });

  test('may leave out the header, and may not name another tenant', async () => {
    await record('acme', 'ada');
    expect((await withKey({})).status).toBe(200);
    expect((await withKey({ 'Tenant-ID': 'acme' })).status).toBe(200);
    const other = await withKey({ 'Tenant-ID': 'beta' });
    expect([other.status, other.body.error]).toEqual([403, expect.stringContaining('Tenant-ID')]);
  });
});

describe('the setting multiTenancy', () => {
  test('ignores the header while it is off, and divides the account at once when it is on', async () => {
    await setMultiTenancy(false);
    await until(async () => (await server.call('GET', '/v1/achievements')).status === 200);
    const metric = { key: `m${created}`, name: 'Metric' };
    expect((await as('nobody', 'POST', '/admin/v1/metrics', [metric])).status).toBe(201);
    const path = `/v1/metrics/${metric.key}/event`;
    expect((await as('nobody', 'POST', path, { user: { id: 'solo' }, value: 1 })).status).toBe(201);
    expect((await server.call('GET', '/v1/users/solo')).status).toBe(200);
    await setMultiTenancy(true, { adoptAs: 'first' });
    const event = await server.call('POST', path, { user: { id: 'solo' }, value: 1 });
    expect([event.status, event.body.error]).toEqual([422, expect.stringContaining('Tenant-ID')]);
    await until(async () => (await server.call('GET', '/v1/users/solo')).status === 422);
  });

  test('is not one of a tenant', async () => {
    const file = parseConfigFile(JSON.stringify({ settings: { multiTenancy: true } }), 'test');
    const tenant = await createTenant(`nested-${created}`, null);
    const context = { ...stores, tenant, actor: 'test', now: server.clock.now() };
    await expect(applyConfig(context, file)).rejects.toThrow(
      /multiTenancy: is a setting of the account only/,
    );
  });
});

test('a server keeps the rules of the tenants that were called lately, and finds the others again', async () => {
  const rulesStore = new RulesStore(stores.redis, stores.cells, 2);
  const ids = ['a', 'b', 'c'].map((name) => `${name}-${created}`);
  const tenants: number[] = [];
  for (const id of ids) {
    const tenant = await createTenant(id);
    await publishStored(stores, tenant, server.clock.now());
    tenants.push(tenant);
  }
  await rulesStore.load(tenants[0]!);
  await rulesStore.load(tenants[1]!);
  expect(rulesStore.getByCustomerId(ids[0]!)?.tenant).toBe(tenants[0]);
  await rulesStore.load(tenants[2]!);
  expect(ids.map((id) => rulesStore.getByCustomerId(id)?.tenant)).toEqual([
    tenants[0],
    undefined,
    tenants[2],
  ]);
  expect((await rulesStore.load(tenants[1]!)).config.customerId).toBe(ids[1]);
  expect(rulesStore.size).toBe(2);
});

/** The engine of a server that is not told of newer rules. */
const deafEngine = () => createEngine({ redis: stores.redis, cells: stores.cells, clock: server.clock });

const request = { user: { id: 'ada' }, value: 1 };
const add = (queue: EventQueue, rules: Rules, idempotencyKey: string | null = null): Promise<unknown> =>
  new Promise((done, fail) =>
    queue.add(rules, { metricKey: 'lessons', request, idempotencyKey, done, fail }),
  );

test('a queue forgets the tenants that have nothing on the way', async () => {
  const tenant = await createTenant(`idle-${created}`);
  await publishStored(stores, tenant, server.clock.now());
  const { queue, rulesStore } = deafEngine();
  await add(queue, await rulesStore.load(tenant));
  await until(() => queue.tenants === 0);
});

test('a call that found a tenant under an id that it has no longer does nothing to it', async () => {
  const tenant = await createTenant(`old-${created}`);
  await publishStored(stores, tenant, server.clock.now());
  const { queue, users, rulesStore } = deafEngine();
  const found = await rulesStore.load(tenant);
  await add(queue, found);
  await changeTenant(tenant, `customer_id = 'other-${created}'`);
  const error = { code: 'unavailable', message: "The tenant's id has just changed; try again" };
  // Both wait for the same answer; the last one comes when newer rules are known.
  await expect(Promise.all([add(queue, found), add(queue, found, 'key')])).rejects.toMatchObject(error);
  await expect(add(queue, found)).rejects.toMatchObject(error);
  await expect(users.read(found, 'ada')).rejects.toMatchObject(error);
  await expect(users.identify(found, 'bob', {})).rejects.toMatchObject(error);
  const current = await rulesStore.load(tenant);
  await add(queue, current);
  expect((await users.read(current, 'ada')).user.counters).toEqual(new Map([[1, 2]]));
});
