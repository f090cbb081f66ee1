import Type from 'typebox';
import { WebSocket } from 'undici';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cellOf } from '../../src/base/cells.ts';
import { newId } from '../../src/base/ids.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import type { Route } from '../../src/http/request/endpoint.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { testCells } from '../support/cells.ts';
import { EVERY_KIND } from '../support/everyKind.ts';
import { hotValues } from '../support/hotValues.ts';
import { item, metricBoard, WEEKLY } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY, type Reply } from '../support/server.ts';
import { DAY_MS, dayFromStart, START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Two tenants with users of the same ids, configured alike: whatever one of them does, the other one reads
 * the same as before.
 */
const CONFIG = {
  ...EVERY_KIND,
  leaderboards: [
    ...EVERY_KIND.leaderboards,
    metricBoard('league', {
      start: '2026-01-01',
      ...WEEKLY,
      league: { groupSize: 2, tiers: [item('low', { promote: 1 }), item('high', { demote: 1 })] },
    }),
  ],
};
const SEED = readSeed('tenantIsolation', 20_261_118);
const CELLS = testCells(2);
/** Two tenants that are configured alike. */
type Pair = [busy: string, quiet: string];
const pairOf = (name: string): Pair => [`busy-${name}`, `quiet-${name}`];
/** The tenants of tests that change nothing in what these tenants have. */
const UNCHANGED = pairOf('unchanged');
/** The tenants of the test in which the busy one does whatever chance decides. */
const CHANGING = pairOf('changing');
const USERS = ['u1', 'u2', 'u3'];

const server = useServer({
  config: { settings: { multiTenancy: true } },
  env: { LAUREL_CELLS: String(CELLS.count) },
  relay: true,
});
/** Admin keys that are bound to the busy tenants. All calls of these are made with them. */
const boundKeys = new Map<string, string>();
/** The tenants of the test. */
let BUSY: string;
let QUIET: string;
const as = (tenant: string, method: string, path: string, body?: unknown, headers = {}): Promise<Reply> => {
  const key = boundKeys.get(tenant);
  const caller: Record<string, string> = key ? { 'X-API-KEY': key } : { 'Tenant-ID': tenant };
  return server.call(method, path, body, { ...caller, ...headers });
};
const admin = (tenant: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  as(tenant, method, `/admin/v1${path}`, body);
const record = (tenant: string, user: string | object, value = 1, key?: string): Promise<Reply> =>
  as(
    tenant,
    'POST',
    '/v1/metrics/lessons/event',
    { user: typeof user === 'string' ? { id: user } : user, value, attributes: { device: 'phone' } },
    key === undefined ? {} : { 'Idempotency-Key': key },
  );

const idsOf = async (tenant: string, path: string): Promise<string[]> =>
  (await admin(tenant, 'GET', `${path}?limit=100`)).body.map(({ id }: Json) => id);
const keysOf = async (tenant: string, path: string): Promise<string[]> =>
  (await admin(tenant, 'GET', `${path}?limit=100`)).body.map(({ key }: Json) => key);
const shown = (reply: Reply): Reply => {
  expect([200, 201], reply.body.error).toContain(reply.status);
  return reply;
};

/** What the Admin API can create, by path; `n` makes it another one. */
async function newItem(tenant: string, path: string, n: number): Promise<object> {
  const items: Record<string, object> = {
    '/attributes': { key: `t${n}`, name: 'More', type: n % 2 === 0 ? 'user' : 'event' },
    '/metrics': { key: `m${n}`, name: 'More' },
    '/achievements': { key: `a${n}`, name: 'More', trigger: 'streak', streakLength: 1, status: 'active' },
    '/points': { key: `p${n}`, name: 'More' },
    '/leaderboards': {
      key: `l${n}`,
      name: 'More',
      rankBy: 'streak',
      start: dayFromStart(0),
      status: 'active',
    },
    '/webhooks': { name: `Hook ${n}`, url: 'https://example.com/hook', events: ['streak.lost'] },
    '/notifications/templates': {
      name: `Template ${n}`,
      type: 'achievement_completed',
      channel: 'email',
      subject: 'You did it',
      body: 'Hi',
    },
  };
  if (items[path] !== undefined) return items[path];
  const [lessons] = await idsOf(tenant, '/metrics');
  if (path.endsWith('levels')) return { key: `v${n}`, name: 'More', points: 1_000 + n };
  if (path.endsWith('boosts'))
    return { name: `Boost ${n}`, start: dayFromStart(0), multiplier: 3, userId: 'u1' };
  return { type: 'metric', points: 1 + n, metricId: lessons, metricThreshold: 1 };
}

/** Lists whose items can be changed; not settings, which are one object. */
const RESOURCES = ADMIN_ROUTES.filter(
  ({ method, operation }) => method === 'patch' && operation.scope === undefined,
)
  .map(({ path }) => path)
  .filter((path) => path !== '/streaks/settings');

/** Paths with the systems of the tenant instead of `{systemId}`. */
async function resourcesOf(tenant: string): Promise<string[]> {
  const systems = await idsOf(tenant, '/points');
  return RESOURCES.flatMap((path) =>
    path.includes('{systemId}') ? systems.map((id) => path.replace('{systemId}', id)) : [path],
  );
}

/** The values of parameters, for the reads that take them. */
const PARAMETERS: Record<string, string> = {
  limit: '100',
  awards: '100',
  numEvents: '100',
  historyPeriods: '30',
  includeFinished: 'true',
  aggregation: 'daily',
  startDate: dayFromStart(-30),
  endDate: dayFromStart(60),
  userIds: USERS.join(','),
};
/** What else there is to read of a path. */
const MORE: Record<string, string[]> = {
  '/v1/streaks/rankings': ['type=longest'],
  '/v1/points/{key}/summary': ['userAttributes=city:rome'],
  '/v1/leaderboards/{key}': ['userId=u1&neighbours=2', 'run={past}'],
  '/v1/users/{id}/leaderboards/{key}': ['run={past}&numEvents=100'],
  '/admin/v1/audit': ['userId=u1'],
};

/** Ids of the leagues among the leaderboards. */
async function leaguesOf(tenant: string): Promise<string[]> {
  const { body } = await admin(tenant, 'GET', '/leaderboards?limit=100');
  return body.filter(({ league }: Json) => league).map(({ id }: Json) => id);
}

/** An event that can be undone. `path`: of the user. */
async function eventOf(tenant: string, path: string): Promise<string[]> {
  const { items } = (await as(tenant, 'GET', `${path}/timeline?kinds=event`)).body;
  return items
    .filter(({ value, origin }: Json) => value > 0 && origin === null)
    .map(({ eventId }: Json) => eventId)
    .slice(0, 1);
}

/** Everything that can be put for the first part of a path in braces. */
async function valuesOf(tenant: string, before: string, rest: string): Promise<string[]> {
  if (rest.startsWith('/league')) return leaguesOf(tenant);
  if (before.endsWith('/users/')) return USERS;
  if (before.endsWith('/events/')) return eventOf(tenant, before.slice(0, -'/events/'.length));
  const isByKey = before.startsWith('/admin/v1/analytics/');
  if (before.endsWith('/achievements/') && isByKey) return ['two', 'profile'];
  if (before.startsWith('/admin') && !isByKey) return idsOf(tenant, before.slice('/admin/v1'.length, -1));
  if (before.endsWith('/metrics/')) return ['lessons'];
  if (before.endsWith('/challenges/')) return keysOf(tenant, '/challenges');
  return before.endsWith('/points/') ? ['xp'] : ['weekly', 'ever'];
}

async function fill(tenant: string, path: string): Promise<string[]> {
  const [, before, rest] = /^([^{]*)\{\w+\}(.*)$/.exec(path) ?? [];
  if (before === undefined) return [path];
  const values = await valuesOf(tenant, before, rest!);
  return (await Promise.all(values.map((value) => fill(tenant, before + value + rest)))).flat();
}

/** The first day of a run of the weekly leaderboard that is over: read from PostgreSQL. */
let past = '';

/** Every address at which a tenant can read something. */
async function addressesOf(tenant: string): Promise<string[]> {
  const isRead = ({ method, operation }: Route): boolean =>
    method === 'get' && operation.scope !== 'account' && operation.contentType !== 'text/event-stream';
  const found: string[] = [];
  for (const [base, routes] of [['/v1', APPLICATION_ROUTES] as const, ['/admin/v1', ADMIN_ROUTES] as const]) {
    for (const { path, operation } of routes.filter(isRead)) {
      const taken = Object.entries(operation.query?.properties ?? {}).filter(([name]) => name in PARAMETERS);
      const valueFor = (name: string, { maximum }: { maximum?: number }): string =>
        maximum === undefined ? PARAMETERS[name]! : String(Math.min(maximum, Number(PARAMETERS[name])));
      const queries = [
        taken.map(([name, schema]) => `${name}=${valueFor(name, schema)}`).join('&'),
        ...(MORE[base + path] ?? []),
      ];
      for (const address of await fill(tenant, base + path)) {
        for (const query of queries) {
          if (query.includes('{past}') && !address.endsWith('/weekly')) continue;
          found.push(`${address}?${query.replace('{past}', past)}`);
        }
      }
    }
  }
  return found;
}

async function readAll(tenant: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const address of await addressesOf(tenant)) {
    const { status, body } = await as(tenant, 'GET', address);
    expect([address, status, body.error]).toEqual([address, 200, undefined]);
    // Rows have no order.
    for (const rows of Object.values<Json[]>(body.records ?? {}))
      rows.sort((x, y) => (inText(x) < inText(y) ? -1 : 1));
    found[address] = body;
  }
  return found;
}

const inText = (value: unknown): string => JSON.stringify(value);

const isBusy = (tenant: string): boolean => tenant.startsWith('busy-');

async function makeTenant(customerId: string): Promise<void> {
  shown(await server.call('POST', '/admin/v1/tenants', [{ customerId, name: customerId }]));
  if (isBusy(customerId)) {
    const item = { name: 'Bound', tenant: customerId };
    const { body } = shown(await server.call('POST', '/admin/v1/api-keys', [item]));
    boundKeys.set(customerId, body.created[0].key);
  }
  shown(await admin(customerId, 'PUT', '/config', CONFIG));
  // Those that the file above does not describe.
  for (const path of ['/webhooks', '/notifications/templates']) {
    shown(await admin(customerId, 'POST', path, [await newItem(customerId, path, 0)]));
  }
  const [system] = await idsOf(customerId, '/points');
  const boost = { name: 'For one', start: dayFromStart(1), multiplier: 2, userId: `named-${customerId}` };
  shown(await admin(customerId, 'POST', `/points/${system}/boosts`, [boost]));
  const userIds = ['u1', `keyed-${customerId}`].map((userId) => ({ userId }));
  shown(await admin(customerId, 'POST', '/application-api-keys', userIds));
}

/** What the first event of each user of a tenant says. */
const firstValueOf = (tenant: string): number => (isBusy(tenant) ? 5 : 3);

/** What their events of a week later say; one has none. */
const laterOf = (tenant: string, id: string): number => (!isBusy(tenant) && id === 'u3' ? 0 : 2);

async function fillTenant(tenant: string): Promise<void> {
  for (const id of USERS) {
    const user = { id, name: `${id} of ${tenant}`, attributes: { city: 'rome' } };
    shown(await record(tenant, user, firstValueOf(tenant), id));
  }
  shown(await record(tenant, { id: `only-${tenant}`, name: `Only of ${tenant}` }, 9));
  shown(await as(tenant, 'POST', '/v1/achievements/profile/complete', { user: { id: 'u1' } }));
  shown(await as(tenant, 'PATCH', '/v1/users/u2/preferences', { streak: { enabled: true } }));
  const pauses = [{ userId: 'u3', start: dayFromStart(20), end: dayFromStart(21) }];
  shown(await admin(tenant, 'POST', '/streaks/pauses', { pauses }));
}

beforeAll(async () => {
  const tenants = [...UNCHANGED, ...CHANGING];
  for (const tenant of tenants) await makeTenant(tenant);
  // At once, so that the relay finds all of them in what it reads.
  await Promise.all(tenants.map(fillTenant));
  past = (await as(tenants[0]!, 'GET', '/v1/users/u1/leaderboards/weekly')).body.start;
  await server.moveTo(START_MS + 8 * DAY_MS);
  for (const tenant of tenants) {
    for (const id of USERS) if (laterOf(tenant, id) > 0) shown(await record(tenant, id, laterOf(tenant, id)));
  }
});

beforeEach(() => {
  [BUSY, QUIET] = UNCHANGED;
});

/** Gives the test two tenants without users. */
async function useNewPair(name: string): Promise<void> {
  [BUSY, QUIET] = pairOf(name);
  for (const tenant of [BUSY, QUIET]) await makeTenant(tenant);
}

/** Things that a tenant can do, one after the other, in an order that chance decides. */
function actionsOf(tenant: string, random: Random): (() => Promise<Reply>)[] {
  let names = 0;
  const user = () => ({ id: random.pick(USERS), attributes: { city: random.pick(['rome', 'oslo']) } });
  const anyResource = async (): Promise<string> => random.pick(await resourcesOf(tenant));
  const userIds = () => [{ userId: random.pick(USERS) }];
  return [
    () => record(tenant, user(), random.int(1, 9)),
    () => record(tenant, user(), 1, `key-${random.int(1, 5)}`),
    () => record(tenant, `new-${names++}`),
    () => as(tenant, 'PUT', `/v1/users/${random.pick(USERS)}`, { name: `N${names++}`, tz: 'Asia/Tokyo' }),
    () => as(tenant, 'POST', '/v1/achievements/profile/complete', { user: { id: random.pick(USERS) } }),
    () => as(tenant, 'PATCH', `/v1/users/${random.pick(USERS)}/preferences`, { streak: { enabled: false } }),
    () => {
      const events = [1, 2, 3].map((value) => ({ key: 'lessons', user: user(), value }));
      return admin(tenant, 'POST', '/metrics/events', events);
    },
    () => admin(tenant, 'DELETE', `/users/${random.pick(USERS)}`),
    () => admin(tenant, 'POST', '/streaks/freezes', { freezes: userIds() }),
    () => {
      const pauses = userIds().map((of) => ({
        ...of,
        start: dayFromStart(9),
        end: dayFromStart(random.int(9, 12)),
      }));
      return admin(tenant, 'POST', '/streaks/pauses', { pauses });
    },
    () => admin(tenant, 'POST', '/streaks/restore', { users: [{ id: random.pick(USERS) }] }),
    () => admin(tenant, 'POST', '/application-api-keys', userIds()),
    async () => {
      const path = await anyResource();
      return admin(tenant, 'POST', path, [await newItem(tenant, path, ++names)]);
    },
    async () => {
      const path = await anyResource();
      const item = { id: random.pick([...(await idsOf(tenant, path)), newId()]) };
      return admin(tenant, 'PATCH', path, [
        { ...item, ...(path.endsWith('triggers') ? { points: 3 } : { name: 'New' }) },
      ]);
    },
    async () => {
      const path = await anyResource();
      return admin(tenant, 'DELETE', `${path}?ids=${random.pick([...(await idsOf(tenant, path)), newId()])}`);
    },
    () => admin(tenant, 'PUT', '/config', CONFIG),
    () => admin(tenant, 'PATCH', '/streaks/settings', { frequency: random.pick(['daily', 'weekly']) }),
    () => admin(tenant, 'PATCH', '/settings', { defaultTimeZone: random.pick(['UTC', 'Asia/Tokyo']) }),
  ];
}

describe(`of two tenants, seed ${SEED}`, () => {
  test.each(UNCHANGED)('%s has what it did, though all came at once', async (tenant) => {
    const [value, read] = [
      firstValueOf(tenant),
      async (path: string) => (await as(tenant, 'GET', `/v1${path}`)).body,
    ];
    for (const id of USERS) {
      const later = laterOf(tenant, id);
      expect((await read(`/users/${id}/metrics/lessons`)).current).toBe(value + later);
      const { total, awards } = await read(`/users/${id}/points/xp?awards=100`);
      const expected = [20 * later, 20 * value].filter((points) => points > 0);
      expect([total, awards.map(({ awarded }: Json) => awarded)]).toEqual([20 * (value + later), expected]);
      const { history } = await read(`/users/${id}/leaderboards/weekly?run=${past}&numEvents=10`);
      expect(history.map((day: Json) => day.value)).toEqual([value]);
    }
    const { rankings } = await read(`/leaderboards/weekly?run=${past}`);
    expect(rankings.map((ranked: Json) => [ranked.userId, ranked.value])).toEqual([
      [`only-${tenant}`, 9],
      ...USERS.map((id) => [id, value]),
    ]);
    const boards: Json[] = (await admin(tenant, 'GET', '/leaderboards')).body;
    const weekly = boards.find(({ key }) => key === 'weekly')!;
    const { body: winners } = await admin(tenant, 'GET', `/leaderboards/${weekly.id}/winners`);
    expect(winners.map((winner: Json) => [winner.run.start, winner.userId])).toEqual([
      [past, `only-${tenant}`],
      [past, 'u1'],
      [past, 'u2'],
    ]);
    const summary = await read('/points/xp/summary?userAttributes=city:rome');
    expect(summary.reduce((users: number, range: Json) => users + range.users, 0)).toBe(3);
    expect(await read('/streaks/rankings?type=longest')).toHaveLength(4);
    expect((await read('/achievements')).map(({ completions }: Json) => completions)).toEqual([4, 1]);
  });

  test('each has snapshots of its own users', async () => {
    const readSnapshots = async () => {
      await foldRelayedStates(server.pool, { wait: true });
      const { rows } = await server.pool.query<{ tenant: number; user_id: string; hot: Buffer }>(
        `select tenant, user_id, hot from user_snapshots
         where tenant in (select no from tenants where customer_id in ($1, $2)) order by tenant, user_id`,
        UNCHANGED,
      );
      return rows;
    };
    // The relay may have more to write.
    await until(async () => {
      const rows = await readSnapshots();
      expect(rows).toHaveLength(8);
      for (const { tenant, user_id: userId, hot } of rows) {
        const key = keys.user(tenant, cellOf(tenant, userId, CELLS), userId);
        expect(hotValues(hot)).toEqual(hotValues((await server.redis.hgetBuffer(key, 'h'))!));
      }
      return true;
    });
  });

  test('each has its own answer, though both ask the same at once', async () => {
    for (const path of ['/achievements', '/leaderboards/ever', '/points/xp/summary', '/users/u1/streak']) {
      const ask = (tenant: string) => as(tenant, 'GET', `/v1${path}`).then(({ body }) => body);
      const alone = { [BUSY]: await ask(BUSY), [QUIET]: await ask(QUIET) };
      const both = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? BUSY : QUIET));
      expect(await Promise.all(both.map(ask)), path).toEqual(both.map((tenant) => alone[tenant]));
    }
  });

  test('each watches its own leaderboard, at the same address', async () => {
    await useNewPair('watching');
    for (const tenant of [BUSY, QUIET]) shown(await record(tenant, 'u1'));
    const address = `${server.url.replace('http', 'ws')}/v1/leaderboards/ever/live`;
    const watch = (tenant: string) => {
      const socket = new WebSocket(`${address}?tenantId=${tenant}`, { headers: { 'X-API-KEY': API_KEY } });
      const seen = { users: [] as string[], states: 0, refusal: '', socket };
      socket.addEventListener('message', ({ data }) => {
        seen.states++;
        seen.users = JSON.parse(data as string).rankings.map(({ userId }: Json) => userId);
      });
      socket.addEventListener('close', ({ reason }) => {
        seen.refusal = reason;
      });
      return seen;
    };
    const [busy, quiet, nobody] = [watch(BUSY), watch(QUIET), watch('nobody')];
    await until(() => busy.states > 0 && quiet.states > 0);
    await record(BUSY, 'watched-busy', 50);
    await record(QUIET, 'watched-quiet', 50);
    await until(() => busy.users.includes('watched-busy') && quiet.users.includes('watched-quiet'));
    expect(busy.users.filter((id) => id.includes('quiet'))).toEqual([]);
    expect(quiet.users.filter((id) => id.includes('busy'))).toEqual([]);
    await until(() => nobody.refusal === 'Tenant-ID nobody does not name an active tenant');
    for (const { socket } of [busy, quiet, nobody]) socket.close();
  });

  test('idempotency keys are those of one tenant', async () => {
    await useNewPair('keys');
    shown(await record(QUIET, 'u1', 1, 'u1'));
    await record(BUSY, 'u1', 1, 'of the busy one');
    expect((await record(BUSY, 'u1', 1, 'of the busy one')).status).toBe(202);
    expect((await record(QUIET, 'u1', 1, 'u1')).status).toBe(202);
    expect((await record(QUIET, 'u1', 1, 'of the busy one')).status).toBe(201);
  });

  test('the quiet one reads the same, whatever the busy one does', async () => {
    [BUSY, QUIET] = CHANGING;
    // The first time, users are brought up to now; and snapshots are of all tenants together.
    await readAll(QUIET);
    await foldRelayedStates(server.pool, { wait: true });
    const before = await readAll(QUIET);
    expect(inText(before)).not.toContain('busy-');
    const random = new Random(SEED);
    const actions = actionsOf(BUSY, random);
    for (const action of [...actions, ...Array.from({ length: 60 }, () => random.pick(actions))]) {
      const { status, body } = await action();
      expect(status, body.error).toBeLessThan(500);
    }
    const after = await readAll(QUIET);
    for (const [address, body] of Object.entries(before)) expect(after[address], address).toEqual(body);
    expect(Object.keys(after)).toEqual(Object.keys(before));
  });

  test('none can name what belongs to the other', async () => {
    const foreign = (await addressesOf(QUIET)).filter((address) => /\/[0-9a-f-]{36}/.test(address));
    expect(foreign.length).toBeGreaterThan(10);
    for (const address of foreign) {
      expect([address, (await as(BUSY, 'GET', address)).status]).toEqual([address, 404]);
    }
    const [template] = await idsOf(QUIET, '/notifications/templates');
    expect((await admin(BUSY, 'POST', `/notifications/templates/${template}/preview`, {})).status).toBe(404);
    const pauses = [{ userId: 'u2', start: dayFromStart(30), end: dayFromStart(31) }];
    const [pause] = (await admin(QUIET, 'POST', '/streaks/pauses', { pauses })).body.created;
    expect((await admin(BUSY, 'DELETE', `/streaks/pauses?ids=${pause.id}`)).body.deleted).toEqual([]);
    expect((await admin(QUIET, 'DELETE', `/streaks/pauses?ids=${pause.id}`)).body.deleted).toHaveLength(1);
    const [key] = (await admin(QUIET, 'POST', '/application-api-keys', [{ userId: 'u2' }])).body.created;
    expect((await admin(BUSY, 'DELETE', `/application-api-keys?ids=${key.id}`)).body.deleted).toEqual([]);
    const withKey = { 'X-API-KEY': key.key };
    expect((await server.call('GET', '/v1/users/u2', undefined, withKey)).body.name).toBe(`u2 of ${QUIET}`);
    for (const who of ['only', 'keyed', 'named']) {
      expect([who, (await admin(BUSY, 'DELETE', `/users/${who}-${QUIET}`)).status]).toEqual([who, 404]);
      expect((await as(BUSY, 'GET', `/v1/users/${who}-${QUIET}`)).status).toBe(404);
    }
  });

  test('a bound key is refused for the account as a whole, and for the other tenant', async () => {
    const routes = ADMIN_ROUTES.map(({ method, path, operation }) => ({
      method: method.toUpperCase(),
      address: `/admin/v1${path.replaceAll(/\{\w+\}/g, newId())}`,
      isOfAccount: operation.scope === 'account',
      body: method === 'get' || method === 'delete' ? undefined : Type.IsArray(operation.request) ? [{}] : {},
    }));
    const before = (await server.call('GET', '/admin/v1/api-keys')).body;
    expect(routes.filter(({ isOfAccount }) => isOfAccount).length).toBeGreaterThan(10);
    for (const { method, address, isOfAccount, body } of routes) {
      const reply = await as(BUSY, method, address, body, { 'Tenant-ID': QUIET });
      expect([method, address, reply.status]).toEqual([method, address, 403]);
      expect(reply.body.error).toMatch(
        isOfAccount ? /about the whole account/ : /name the tenant that the key belongs/,
      );
      if (isOfAccount) expect((await as(BUSY, method, address, body)).status).toBe(403);
    }
    expect((await server.call('GET', '/admin/v1/api-keys')).body).toEqual(before);
  });

  test('a bound key sees its own settings and audit log without a header', async () => {
    const own = (await as(BUSY, 'GET', '/admin/v1/audit?limit=100')).body;
    const named = (await server.call('GET', '/admin/v1/audit?limit=100', undefined, { 'Tenant-ID': BUSY }))
      .body;
    expect(own.length).toBeGreaterThan(5);
    expect(own).toEqual(named);
    expect(own.filter(({ kind }: Json) => ['tenants', 'adminKeys'].includes(kind))).toEqual([]);
    expect((await as(BUSY, 'GET', '/admin/v1/settings')).body.multiTenancy).toBe(false);
  });

  test('none can change what is configured for the other', async () => {
    const before = await readAll(QUIET);
    for (const path of await resourcesOf(QUIET)) {
      const [own] = await idsOf(QUIET, path);
      expect((await admin(BUSY, 'PATCH', path, [{ id: own }])).body.updated ?? []).toEqual([]);
      expect((await admin(BUSY, 'DELETE', `${path}?ids=${own}`)).body.deleted ?? []).toEqual([]);
    }
    expect(await readAll(QUIET)).toEqual(before);
  });
});
