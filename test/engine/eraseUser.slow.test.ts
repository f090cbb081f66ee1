import type { Redis } from 'ioredis';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { homeCellOf } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { listErasures } from '../../src/db/users/erasureRows.ts';
import {
  carryOutErasure,
  type ErasureDependencies,
  requestErasure,
} from '../../src/engine/erasure/eraseUser.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { finishErasures } from '../../workers/jobs/scheduleTable.ts';
import { closeOwnStores, openOwnStores } from '../support/ownStores.ts';
import { type Json, moveClock } from '../support/reading.ts';
import { allKeys, emptyRedis } from '../support/redisData.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { dayFromStart, START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';
import { wholeUserConfig } from '../support/wholeUser.ts';

const silent = createLog('test', 'silent');

const server = useServer({ config: wholeUserConfig, relay: true, tenantEach: true });
const { admin, call } = server;
let redis: Redis;

const erase = (id: string): Promise<Reply> => admin('DELETE', `/users/${id}`);
const record = (id: string, key?: string, value = 2): Promise<Reply> =>
  call(
    'POST',
    '/v1/metrics/lessons/event',
    {
      user: { id, name: `Name of ${id}`, attributes: { city: 'london' } },
      value,
      attributes: { device: 'phone' },
    },
    key === undefined ? {} : { 'Idempotency-Key': key },
  );

beforeAll(() => {
  ({ redis } = server);
});

/** What a key holds, whatever its type. */
async function contentOf(key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'set':
      return redis.smembers(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'hash':
      return redis.hgetall(key);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return redis.get(key);
  }
}

/** Every key of Redis and table of PostgreSQL that contains a name. */
async function tracesOf(name: string): Promise<string[]> {
  const traces: string[] = [];
  for (const key of await allKeys(redis)) {
    if (key.includes(name) || JSON.stringify(await contentOf(key)).includes(name)) traces.push(key);
  }
  const { rows: tables } = await server.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const hex = Buffer.from(name).toString('hex');
  for (const table of tables) {
    const { rowCount } = await server.pool.query(
      `select from ${table.name} as row where position($1 in row::text) > 0 or position($2 in row::text) > 0`,
      [name, hex],
    );
    if (rowCount! > 0) traces.push(table.name);
  }
  return traces.sort();
}

/** What the Application API answers about a user. */
const readsOf = async (id: string): Promise<unknown[]> => {
  const paths = ['', '/streak', '/metrics', '/points/xp?awards=10', '/leaderboards/daily'];
  return Promise.all(paths.map(async (path) => (await call('GET', `/v1/users/${id}${path}`)).body));
};

test('the counts of days can be deleted once there is no user', async () => {
  const counts = async (): Promise<number> =>
    (await server.pool.query('select from daily_counts where tenant = $1', [server.no])).rowCount!;
  await record('desiderius');
  await server.relayed();
  const before = await counts();
  expect(before).toBeGreaterThan(0);
  expect(await admin('DELETE', '/analytics')).toMatchObject({ status: 422 });
  expect(await counts()).toBe(before);
  await erase('desiderius');
  expect(await admin('DELETE', '/analytics')).toMatchObject({ status: 200, body: { deleted: true } });
  expect(await counts()).toBe(0);
});

describe('while a relay runs', () => {
  test('no trace of the user stays in Redis or PostgreSQL, and other users are unchanged', async () => {
    await record('bystander', 'same-key');
    expect((await record('erasmus', 'same-key')).status).toBe(201);
    // Yesterday's run, not final before noon, ranks the user, but the user's state no longer mentions it.
    const day = dayFromStart(1);
    await moveClock(server, `${day}T11:00:00Z`);
    await record('bystander');
    await record('erasmus');
    await server.relayed();
    await foldRelayedStates(server.pool, { wait: true });
    await record('erasmus', 'another-key');
    await server.pool.query(
      `insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at)
       values ($1, 0, '1-1', 'a test', array[$2::bytea], now())`,
      [server.no, Buffer.from([0x91, 0xa7, ...Buffer.from('erasmus')])],
    );
    // And whatever administrators did about the user.
    const [system] = (await admin('GET', '/points')).body;
    const boost = { name: 'Double', start: day, multiplier: 2 };
    const boosts = await admin('POST', `/points/${system.id}/boosts`, [
      { ...boost, userId: 'erasmus' },
      { ...boost, userId: 'bystander' },
    ]);
    expect(boosts.body.created).toHaveLength(2);
    await admin('POST', '/application-api-keys', [{ userId: 'erasmus' }]);
    await admin('POST', '/streaks/freezes', { freezes: [{ userId: 'erasmus' }] });
    await admin('POST', '/streaks/pauses', { pauses: [{ userId: 'erasmus', start: day, end: day }] });
    const before = await tracesOf('erasmus');
    expect(before.filter((key) => key.includes(':lb:'))).toHaveLength(3);
    for (const table of [
      'users',
      'user_snapshots',
      'completed_achievements',
      'entities',
      'audit_log',
      'dead_entries',
    ]) {
      expect(before).toContain(table);
    }
    const bystander = await readsOf('bystander');
    const statistics = async () => (await call('GET', '/v1/achievements')).body[0].completions;
    expect(await statistics()).toBe(2);

    expect(await erase('erasmus')).toMatchObject({ status: 200, body: { id: 'erasmus', status: 'erased' } });
    expect(await tracesOf('erasmus')).toEqual([]);
    expect((await call('GET', '/v1/users/erasmus')).status).toBe(404);
    expect(await statistics()).toBe(1);
    const { totalUsers, achievements } = (await admin('GET', '/analytics/achievements')).body;
    const [{ totalCompletions, rate }] = achievements;
    expect([totalCompletions, rate]).toEqual([1, expect.closeTo(1 / totalUsers, 3)]);
    expect((await admin('GET', `/points/${system.id}/boosts`)).body).toMatchObject([{ userId: 'bystander' }]);
    // The actor and the kind of a change stay.
    const log = (await admin('GET', '/audit?limit=100')).body;
    const anonymous = log.filter((entry: Json) => entry.userId === null && !entry.before && !entry.after);
    expect(anonymous.map(({ actor, action, kind }: Json) => `${actor} ${action} ${kind}`)).toEqual([
      'erasure delete pointsBoosts',
      'testkey1 delete users',
      'testkey1 create streakPauses',
      'testkey1 create streakFreezes',
      'testkey1 create applicationKeys',
      'testkey1 create pointsBoosts',
    ]);
    expect((await admin('GET', '/audit?userId=erasmus')).body).toEqual([]);
    const after = await readsOf('bystander');
    expect(after.slice(0, 4)).toEqual(bystander.slice(0, 4));
    expect(after[4]).toMatchObject({ rank: 1, value: 2 });

    // Not even a restore brings the user back.
    await restore({
      pool: server.pool,
      redis,
      progress: noProgress,
      now: systemClock.now(),
      replace: true,
      testClock: true,
      testClockStart: START_MS,
    });
    expect(await tracesOf('erasmus')).toEqual([]);
    await until(async () => (await call('GET', '/v1/users/bystander')).status === 200);
    expect((await call('GET', '/v1/users/erasmus')).status).toBe(404);
  });

  test('tells webhooks of the rankings that the user leaves', async () => {
    await admin('POST', '/webhooks', [
      { name: 'Ranks', url: 'https://example.com/ranks', events: ['leaderboard.changed'], status: 'active' },
    ]);
    expect((await record('leaver')).status).toBe(201);
    const deliveries = async () => {
      const { rows } = await server.pool.query(
        `select facts, user_id from webhook_deliveries where type = 'leaderboard.changed' and tenant = $1
         order by (facts ->> 'board')::integer`,
        [server.no],
      );
      return rows;
    };
    await until(async () => (await deliveries()).length === 2);
    await server.pool.query('delete from webhook_deliveries where tenant = $1', [server.no]);
    expect((await erase('leaver')).status).toBe(200);
    expect(await deliveries()).toEqual([
      { facts: { board: 1, run: expect.any(Number), group: '' }, user_id: null },
      { facts: { board: 2, run: expect.any(Number), group: '6:london' }, user_id: null },
    ]);
    await server.pool.query('delete from webhook_deliveries where tenant = $1', [server.no]);
    // A user who is on no leaderboard leaves none.
    await call('PUT', '/v1/users/onlooker', { name: 'On Looker' });
    expect((await erase('onlooker')).status).toBe(200);
    expect(await deliveries()).toEqual([]);
  });

  test('a user with the same id later is a new user', async () => {
    await record('phoenix', 'once');
    await record('phoenix');
    expect((await erase('phoenix')).status).toBe(200);
    const again = await record('phoenix', 'once', 3);
    expect(again).toMatchObject({ status: 201, body: { total: 3, achievements: [{ key: 'two' }] } });
    await server.relayed();
    const { rows } = await server.pool.query(
      `select sequence, value from event_history where user_id = 'phoenix'`,
    );
    expect(rows).toEqual([{ sequence: '1', value: 3 }]);
    expect((await call('GET', '/v1/users/phoenix/points/xp?awards=10')).body.awards).toHaveLength(1);
    const { rows: completed } = await server.pool.query(
      `select from achievement_completions where user_id = 'phoenix'`,
    );
    expect(completed).toHaveLength(1);
  });

  test('events that arrive meanwhile are refused or belong to a new user; none is lost', async () => {
    await record('busy');
    const events = Array.from({ length: 40 }, async () => {
      const reply = await record('busy', undefined, 1);
      if (reply.status === 503) expect(reply.body.error).toMatch(/busy is being erased/);
      else expect(reply.status).toBe(201);
      return reply;
    });
    const [erased, ...replies] = await Promise.all([erase('busy'), ...events]);
    expect([200, 202]).toContain(erased.status);
    await until(async () => (await record('busy', undefined, 0)).status === 201);
    await server.relayed();
    // The history agrees with the state: all events of the new user, and none of the old one.
    const [{ total }] = (
      await server.pool.query(`select sum(value) as total from event_history where user_id = 'busy'`)
    ).rows;
    const state = (await call('GET', '/v1/users/busy/metrics/lessons')).body.current;
    expect(state).toBe(total);
    expect(total).toBeLessThanOrEqual(replies.filter(({ status }) => status === 201).length);
  });

  test('a user whom only the configuration or a key names can be erased', async () => {
    await admin('POST', '/application-api-keys', [{ userId: 'named' }]);
    expect((await erase('named')).status).toBe(200);
    expect(await tracesOf('named')).toEqual([]);
  });

  test('an application key of the user ends with the user', async () => {
    await record('keyed');
    const { body } = await admin('POST', '/application-api-keys', [{ userId: 'keyed' }]);
    const headers = { 'X-API-KEY': body.created[0].key };
    expect((await call('GET', '/v1/users/keyed', undefined, headers)).status).toBe(200);
    expect((await erase('keyed')).status).toBe(200);
    await until(async () => (await call('GET', '/v1/users/keyed', undefined, headers)).status === 401);
  });

  test('an unknown user is not found', async () => {
    expect(await erase('nobody')).toMatchObject({
      status: 404,
      body: { error: 'User nobody does not exist' },
    });
    expect(await listErasures(server.pool)).toEqual([]);
    expect((await admin('GET', '/users/nobody/export')).status).toBe(404);
  });

  test('an export shows everything that is stored', async () => {
    await record('exported', 'a-key');
    await server.pool.query(
      `insert into api_keys (id, prefix, sha256, kind, tenant, user_id, created)
       values (gen_random_uuid(), 'app_test', sha256('app'), 'application', $1, 'exported', now())`,
      [server.no],
    );
    const { status, body } = await admin('GET', '/users/exported/export');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id: 'exported', name: 'Name of exported', attributes: { city: 'london' } },
      state: {
        counters: [{ metric: 'lessons', eventAttributes: [], total: 2 }],
        points: { xp: 20 },
        achievements: { two: expect.any(String) },
        streaks: { daily: { length: 1 } },
      },
      records: {
        event_history: [
          {
            metric: 'lessons',
            attributes: { device: 'phone' },
            value: 2,
            total: 2,
            sequence: '1',
            fingerprint: expect.stringMatching(/^-?\d+$/),
          },
        ],
        award_history: [{ system: 'xp', trigger: { type: 'metric' }, awarded: 20, total: 20 }],
        completed_achievements: [{ achievement: 'two' }],
        streak_extensions: [{ frequency: 'daily', length: 1 }],
        user_attributes: [{ attribute: 'city', value: 'london' }],
        user_activity: [{ metric: null }, { metric: 'lessons' }],
        api_keys: [{ prefix: 'app_test', kind: 'application' }],
        audit_log: [],
      },
    });
    expect(
      body.state.leaderboards.map(({ leaderboard }: { leaderboard: string }) => leaderboard).sort(),
    ).toEqual(['cities', 'daily']);
    const changes = body.records.leaderboard_changes;
    expect(
      Object.fromEntries(
        changes.map((row: { leaderboard: string; ranking_group: string[] }) => [
          row.leaderboard,
          row.ranking_group,
        ]),
      ),
    ).toEqual({
      cities: ['london'],
      daily: [],
    });
    expect(body.records.api_keys[0]).not.toHaveProperty('sha256');
    expect((await erase('exported')).status).toBe(200);
    expect(await tracesOf('exported')).toEqual([]);
  });
});

describe('while no relay runs', () => {
  let lonely: TestServer;
  let own: ErasureDependencies;
  const call = (id: string, method = 'POST'): Promise<Reply> =>
    method === 'DELETE'
      ? lonely.call('DELETE', `/admin/v1/users/${id}`)
      : lonely.call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });

  beforeEach(async () => {
    lonely = await startTestServer({ env: { LAUREL_HISTORY_WAIT_MS: '100' } });
    own = await openOwnStores(lonely);
  });
  afterEach(async () => {
    await closeOwnStores(own);
    await lonely?.stop();
  });

  test('the erasure is accepted, the id is blocked, and a worker finishes it; history that arrives late is erased too', async () => {
    await call('late');
    await call('other');
    expect(await call('late', 'DELETE')).toMatchObject({
      status: 202,
      body: { id: 'late', status: 'accepted' },
    });
    const refused = await call('late');
    expect(refused).toMatchObject({
      status: 503,
      body: { error: 'User late is being erased or renamed; try again' },
    });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect((await lonely.call('PUT', '/v1/users/late', { name: 'Late' })).status).toBe(503);
    expect((await call('other')).status).toBe(201);
    expect((await call('late', 'DELETE')).status).toBe(202);
    expect(await listErasures(own.pool)).toEqual([{ tenant: DEFAULT_TENANT, userId: 'late' }]);

    // A process that dies here leaves a user who is erased from Redis but not yet from the history.
    await lonely.startRelay();
    const run = () => finishErasures({ ...own, log: silent }, new AbortController().signal);
    await Promise.all([run(), run()]);
    await until(async () => {
      await run();
      return (await listErasures(own.pool)).length === 0;
    });
    for (const table of [
      'users',
      'event_history',
      'user_snapshots',
      'award_history',
      'leaderboard_changes',
    ]) {
      const { rows } = await own.pool.query(`select from ${table} where user_id = 'late'`);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    const { rows: others } = await own.pool.query(`select from event_history where user_id = 'other'`);
    expect(others).toHaveLength(2);
    expect(await call('late')).toMatchObject({ status: 201, body: { total: 1 } });
    // The erasure has been carried out. Repeating it does not affect the new user with this id.
    expect(await carryOutErasure(own, { tenant: DEFAULT_TENANT, userId: 'late' }, 1_000)).toBe(false);
    expect(await call('late')).toMatchObject({ status: 201, body: { total: 2 } });
  });

  test('no configuration is published to a Redis that lost its data', async () => {
    await lonely.startRelay();
    await call('other');
    await until(async () => (await own.pool.query('select from event_history')).rowCount === 1);
    const [system] = (await lonely.call('GET', '/admin/v1/points')).body;
    const boost = { name: 'Double', start: '2026-01-01', multiplier: 2, userId: 'other' };
    await lonely.call('POST', `/admin/v1/points/${system.id}/boosts`, [boost]);
    await requestErasure(own, { tenant: DEFAULT_TENANT, userId: 'other' }, { actor: 'test', now: START_MS });
    await emptyRedis(own.redis);
    const carriedOut = carryOutErasure(own, { tenant: DEFAULT_TENANT, userId: 'other' }, 1_000);
    await expect(carriedOut).rejects.toMatchObject({ code: 'unavailable' });
    expect(await own.redis.exists(keys.rules(DEFAULT_TENANT, homeCellOf(DEFAULT_TENANT, own.cells)))).toBe(0);
  });
});
