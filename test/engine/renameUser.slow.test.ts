import type { Redis } from 'ioredis';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { listRenames } from '../../src/db/users/renameRows.ts';
import type { ErasureDependencies } from '../../src/engine/erasure/eraseUser.ts';
import { carryOutRename, requestRename } from '../../src/engine/erasure/renameUser.ts';
import { RenameScripts } from '../../src/redis/scripts/renameScripts.ts';
import { finishRenames } from '../../workers/jobs/scheduleTable.ts';
import { closeOwnStores, openOwnStores } from '../support/ownStores.ts';
import { type Json, moveClock } from '../support/reading.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { dayFromStart, START_MS } from '../support/testTime.ts';
import { until, WAIT_MS } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';
import { BOARDS, wholeUserConfig } from '../support/wholeUser.ts';

const silent = createLog('test', 'silent');

const BEST = { key: 'best', name: 'Best', rankBy: 'metric', metric: 'lessons', aggregation: 'best' };
const server = useServer({ config: wholeUserConfig([...BOARDS, BEST]), relay: true, tenantEach: true });
const { admin, call } = server;
let redis: Redis;

const rename = (id: string, newId: string, reason?: string): Promise<Reply> =>
  admin('POST', `/users/${id}/rename`, { id: newId, ...(reason && { reason }) });
const record = (id: string, key?: string, value = 2, extra: object = {}): Promise<Reply> =>
  call(
    'POST',
    '/v1/metrics/lessons/event',
    { user: { id, name: 'Somebody', attributes: { city: 'london' } }, value, ...extra },
    key === undefined ? {} : { 'Idempotency-Key': key },
  );

beforeAll(() => {
  ({ redis } = server);
});

/** What the APIs answer about a user, without what is bound to the id or to the instant of the call. */
async function readsOf(id: string): Promise<unknown[]> {
  const paths = ['', '/streak', '/metrics', '/points/xp?awards=10', '/achievements', '/metrics/lessons'];
  const boards = ['daily', 'cities', 'best'].map((key) => `/leaderboards/${key}`);
  const answers = await Promise.all(
    [...paths, ...boards].map(async (path) => (await call('GET', `/v1/users/${id}${path}`)).body),
  );
  const timeline = (await admin('GET', `/users/${id}/timeline?limit=100`)).body.items.filter(
    ({ kind }: Json) => kind !== 'admin',
  );
  const { records } = (await admin('GET', `/users/${id}/export`)).body;
  const { user_snapshots: _1, former_user_ids: _2, audit_log: _3, past_causes: _4, ...rows } = records;
  const texts = JSON.stringify([answers, timeline, sorted(rows)]);
  return JSON.parse(texts.replaceAll(`"${id}"`, '"<id>"')) as unknown[];
}

const sorted = (rows: Record<string, object[]>): unknown =>
  Object.entries(rows).map(([table, list]) => [table, list.map((row) => JSON.stringify(row)).sort()]);

/** The rankings that everybody sees, with `<id>` in place of an id. */
async function rankingsWith(id: string): Promise<unknown> {
  const boards = ['daily', 'cities?userAttributes=city:london', 'best'];
  const answers = await Promise.all(
    boards.map(async (board) => (await call('GET', `/v1/leaderboards/${board}`)).body.rankings),
  );
  return JSON.parse(JSON.stringify(answers).replaceAll(`"${id}"`, '"<id>"'));
}

const drained = (id: string): Promise<unknown> => call('GET', `/v1/users/${id}/points/xp?awards=10`);

const differences = async (): Promise<unknown> => {
  const report = await check({ pool: server.pool, redis, progress: noProgress, all: true });
  return report.differences;
};

describe('while a relay runs', () => {
  test('everything has the new id, and nothing else changes', async () => {
    for (const [id, value] of [
      ['above', 9],
      ['mover', 2],
      ['below', 1],
    ] as const)
      await record(id, 'same-key', value);
    await moveClock(server, `${dayFromStart(1)}T11:00:00Z`);
    // Yesterday's run is not final before noon.
    for (const [id, value] of [
      ['above', 9],
      ['mover', 3],
      ['below', 3],
    ] as const)
      await record(id, undefined, value);
    const [system] = (await admin('GET', '/points')).body;
    const boost = { name: 'Double', start: dayFromStart(1), multiplier: 2 };
    await admin('POST', `/points/${system.id}/boosts`, [{ ...boost, userId: 'mover' }]);
    await admin('POST', '/streaks/freezes', { freezes: [{ userId: 'mover' }] });
    await admin('POST', '/users/mover/block', { reason: 'Looks odd', until: `${dayFromStart(3)}T00:00:00Z` });
    await drained('mover');
    const [before, rankings] = [await readsOf('mover'), await rankingsWith('mover')];
    const others = [await readsOf('above'), await readsOf('below')];

    expect(await rename('mover', 'moved', 'Signed up')).toMatchObject({
      status: 200,
      body: { id: 'moved', formerId: 'mover', status: 'renamed' },
    });
    expect(await readsOf('moved')).toEqual(before);
    expect(await rename('mover', 'moved')).toMatchObject({ status: 200, body: { status: 'renamed' } });
    expect(await rankingsWith('moved')).toEqual(rankings);
    expect([await readsOf('above'), await readsOf('below')]).toEqual(others);
    expect((await call('GET', '/v1/users/mover')).status).toBe(404);
    expect((await admin('GET', '/users/mover/export')).status).toBe(404);
    expect((await call('GET', '/v1/achievements')).body[0].completions).toBe(3);
    expect((await admin('GET', `/points/${system.id}/boosts`)).body).toMatchObject([{ userId: 'moved' }]);
    const [entry] = (await admin('GET', '/audit?userId=moved&kind=users')).body;
    expect(entry).toMatchObject({
      action: 'update',
      actor: 'testkey1',
      before: { id: 'mover' },
      after: { id: 'moved', reason: 'Signed up' },
    });
    expect((await record('moved')).status).toBe(403);
    await admin('DELETE', '/users/moved/block');
    // The streak, the boost and the totals go on.
    expect((await record('moved', undefined, 1)).body).toMatchObject({
      total: 6,
      currentStreak: { length: 2 },
      points: { xp: { added: 20 } },
    });
    expect(await differences()).toEqual([]);

    await moveClock(server, `${dayFromStart(2)}T13:00:00Z`);
    await restore({
      pool: server.pool,
      redis,
      progress: noProgress,
      now: systemClock.now(),
      replace: true,
      testClock: true,
      testClockStart: START_MS,
    });
    await until(async () => (await call('GET', '/v1/users/moved')).status === 200);
    expect(await differences()).toEqual([]);
    expect((await call('GET', '/v1/users/mover')).status).toBe(404);
    expect((await record('moved', 'same-key')).body).toMatchObject({ total: 6 });
  });

  test('a key that was used under the former id stays used', async () => {
    const first = await record('before', 'once');
    await record('before', 'twice', 3);
    expect((await rename('before', 'after')).status).toBe(200);
    for (const id of ['after', 'before', 'after']) {
      expect(await record(id, 'once')).toMatchObject({ status: 202, body: { eventId: first.body.eventId } });
    }
    const late = { timestamp: new Date(server.clock.now() - 60_000).toISOString() };
    expect(await record('after', 'once', 2, late)).toMatchObject({
      status: 202,
      body: { eventId: first.body.eventId },
    });
    expect((await call('GET', '/v1/users/before')).status).toBe(404);
    expect(await record('after', 'thrice', 1)).toMatchObject({ status: 201, body: { total: 6 } });
    expect(await record('after', 'thrice', 1)).toMatchObject({ status: 202, body: { total: 6 } });
    // A key of a new user with the former id is another one than that of the renamed user.
    expect(await record('before', 'fourth', 1)).toMatchObject({ status: 201, body: { total: 1 } });
    expect(await record('after', 'fourth', 1)).toMatchObject({ status: 201, body: { total: 7 } });
    expect((await rename('after', 'later')).status).toBe(200);
    for (const key of ['once', 'twice', 'thrice', 'fourth'])
      expect(await record('later', key)).toMatchObject({ status: 202, body: { total: 7 } });
    expect((await admin('DELETE', '/users/later')).status).toBe(200);
    expect(await record('later', 'once')).toMatchObject({ status: 201, body: { total: 2 } });
  });

  test('an adjustment is made once for its key, also under a later id', async () => {
    await record('adjusted');
    const adjust = (id: string) =>
      admin('POST', `/users/${id}/points/xp/adjustments`, {
        amount: 7,
        reason: 'A test',
        idempotencyKey: 'ticket',
      });
    const { body } = await adjust('adjusted');
    expect((await rename('adjusted', 'adjusted-2')).status).toBe(200);
    expect((await rename('adjusted-2', 'adjusted-3')).status).toBe(200);
    expect(await adjust('adjusted-3')).toMatchObject({ status: 202, body });
    expect((await admin('DELETE', '/users/adjusted-3')).status).toBe(200);
    await record('adjusted-3');
    expect((await adjust('adjusted-3')).status).toBe(201);
  });

  test('users who exchange ids keep their keys apart', async () => {
    await record('left', 'a');
    await record('right', 'b');
    for (const [from, to] of [
      ['left', 'aside'],
      ['right', 'left'],
      ['aside', 'right'],
    ] as const)
      expect((await rename(from, to)).status).toBe(200);
    expect((await record('right', 'a')).status).toBe(202);
    expect((await record('left', 'b')).status).toBe(202);
    // A key that was used under an id stays used under it, whoever has the id.
    expect((await record('left', 'a')).status).toBe(202);
    expect(await record('right', 'c', 1)).toMatchObject({ status: 201, body: { total: 3 } });
    await drained('right');
    expect(await record('left', 'c', 1)).toMatchObject({ status: 201, body: { total: 3 } });
  });

  test('an event that is held, and its key, belong to the new id', async () => {
    const metric = await server.idOf('/metrics', 'lessons');
    await admin('PATCH', '/metrics', [{ id: metric, guards: { maxValue: 10, action: 'hold' } }]);
    await record('reviewed', 'small', 1);
    const held = await record('reviewed', 'great', 50);
    expect(held.status).toBe(202);
    expect((await rename('reviewed', 'reviewed-2')).status).toBe(200);
    expect(await record('reviewed-2', 'great', 50)).toMatchObject({
      status: 202,
      body: { held: true, eventId: held.body.eventId },
    });
    const waiting = (await admin('GET', '/held-events')).body.events;
    expect(waiting).toMatchObject([{ userId: 'reviewed-2', id: held.body.eventId }]);
    await admin('POST', '/held-events/approve', { ids: [held.body.eventId], reason: 'Looked at' });
    expect((await call('GET', '/v1/users/reviewed-2/metrics/lessons')).body.current).toBe(51);
    expect((await record('reviewed-2', 'great', 50)).body).toMatchObject({ held: true });
  });

  test('events meanwhile count once, under the one id or the other', async () => {
    await record('busy');
    const send = async (id: string, i: number): Promise<Reply> => {
      const reply = await record(id, `${id} ${i}`, 1);
      if (reply.status === 503) expect(reply.body.error).toMatch(/being erased or renamed|gets another id/);
      else expect(reply.status).toBe(201);
      return reply;
    };
    const events = Array.from({ length: 40 }, (_, i) => send('busy', i));
    const [renamed, ...replies] = await Promise.all([rename('busy', 'idle'), ...events]);
    expect([200, 202]).toContain(renamed.status);
    await until(async () => (await call('GET', '/v1/users/idle')).status === 200);
    const totals = await Promise.all(
      ['busy', 'idle'].map(
        async (id) => (await call('GET', `/v1/users/${id}/metrics/lessons`)).body.current ?? 0,
      ),
    );
    expect(totals[0]! + totals[1]!).toBe(2 + replies.filter(({ status }) => status === 201).length);
    await drained('idle');
    expect(await differences()).toEqual([]);
    // The repetition of each of them is known.
    const repeated = await Promise.all(
      replies.flatMap(({ status }, i) => (status === 201 ? [record('idle', `busy ${i}`, 1)] : [])),
    );
    const sum = (await call('GET', '/v1/users/idle/metrics/lessons')).body.current;
    const counted = repeated.filter(({ status }) => status === 201).length;
    expect(sum).toBe(totals[1]! + counted);
    expect(counted).toBe(totals[0]);
  });

  test('an application key of the user goes on', async () => {
    await record('keyed');
    const { body } = await admin('POST', '/application-api-keys', [{ userId: 'keyed' }]);
    const headers = { 'X-API-KEY': body.created[0].key };
    expect((await call('GET', '/v1/users/keyed', undefined, headers)).status).toBe(200);
    expect((await rename('keyed', 'keyed-2')).status).toBe(200);
    await until(async () => (await call('GET', '/v1/users/keyed-2', undefined, headers)).status === 200);
    expect((await call('GET', '/v1/users/keyed', undefined, headers)).status).toBe(403);
  });

  test('what cannot be done is refused, and changes nothing', async () => {
    await record('one');
    await record('two');
    expect(await rename('nobody', 'somebody')).toMatchObject({ status: 404, body: { code: 'unknownUser' } });
    expect(await rename('one', 'two')).toMatchObject({ status: 422, body: { code: 'idTaken' } });
    expect(await rename('one', 'one')).toMatchObject({ status: 422, body: { code: 'idTaken' } });
    expect((await rename('one', '')).status).toBe(422);
    expect((await rename('one', 'x'.repeat(256))).status).toBe(422);
    expect(await admin('POST', '/users/one/rename', { newId: 'x' })).toMatchObject({ status: 422 });
    await admin('POST', '/application-api-keys', [{ userId: 'promised' }]);
    expect(await rename('one', 'promised')).toMatchObject({ status: 422, body: { code: 'idTaken' } });
    for (let i = 1; i <= 10; i++)
      expect((await rename(i === 1 ? 'one' : `one-${i - 1}`, `one-${i}`)).status).toBe(200);
    expect(await rename('one-10', 'one-11')).toMatchObject({ status: 422 });
    expect((await rename('one-10', 'one')).status).toBe(422);
    expect(await listRenames(server.pool)).toEqual([]);
    expect((await record('one-10')).body).toMatchObject({ total: 4 });
  });
});

describe('while no relay runs', () => {
  let lonely: TestServer;
  let own: ErasureDependencies;
  const tenant = DEFAULT_TENANT;
  const order = { tenant, userId: 'late', newId: 'early' };
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    lonely.call(method, path, body);
  const event = (id: string): Promise<Reply> =>
    call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });

  beforeEach(async () => {
    lonely = await startTestServer({ env: { LAUREL_HISTORY_WAIT_MS: '100' } });
    own = await openOwnStores(lonely);
  });
  afterEach(async () => {
    await closeOwnStores(own);
    await lonely?.stop();
  });

  const run = () => finishRenames({ ...own, clock: lonely.clock, log: silent }, new AbortController().signal);

  test('the new id is accepted, the user goes on meanwhile, and a worker finishes it', async () => {
    await event('late');
    expect(await call('POST', '/admin/v1/users/late/rename', { id: 'early' })).toMatchObject({
      status: 202,
      body: { id: 'early', formerId: 'late', status: 'accepted' },
    });
    expect((await event('late')).body).toMatchObject({ total: 2 });
    expect((await call('POST', '/admin/v1/users/late/rename', { id: 'other' })).status).toBe(503);
    expect((await call('POST', '/admin/v1/users/late/rename', { id: 'early' })).status).toBe(202);
    expect((await call('DELETE', '/admin/v1/users/late')).status).toBe(503);
    await lonely.startRelay();
    await Promise.all([run(), run()]);
    await until(async () => {
      await run();
      return (await listRenames(own.pool)).length === 0;
    });
    expect((await event('early')).body).toMatchObject({ total: 3 });
    expect((await event('late')).body).toMatchObject({ total: 1 });
    expect(await carryOutRename(own, order, START_MS, 1_000)).toBe('later');
  });

  test('a user whom a killed process has left held goes on while runs that are final are worked off', async () => {
    await event('late');
    await lonely.startRelay();
    await requestRename(own, order, null, { actor: 'test', now: START_MS });
    await new RenameScripts(own.redis, own.cells).holdUser(order);
    await own.pool.query(
      `insert into leaderboard_runs (tenant, leaderboard, run_start, run_end, finalized_at)
       values ($1, 999, '2026-01-01', '2026-01-01', now())`,
      [tenant],
    );
    expect(await carryOutRename(own, order, START_MS, 5_000)).toBe('later');
    expect((await event('late')).body).toMatchObject({ total: 2 });
    await own.pool.query('update leaderboard_runs set is_in_redis = false');
    expect(await carryOutRename(own, order, START_MS, WAIT_MS)).toBe('renamed');
    expect((await event('early')).body).toMatchObject({ total: 3 });
  });

  test('a user whom the history knows as held is free after a restore', async () => {
    await event('late');
    await new RenameScripts(own.redis, own.cells).holdUser(order);
    await lonely.startRelay();
    await until(async () => (await own.pool.query('select from relayed_states')).rowCount! > 0);
    const { clock } = lonely;
    await restore({
      pool: own.pool,
      redis: own.redis,
      progress: noProgress,
      now: clock.now(),
      replace: true,
      testClock: true,
    });
    await until(async () => (await event('late')).status === 201);
    expect((await event('late')).body).toMatchObject({ total: 3 });
  });

  test('a user who takes the new id before it is reserved keeps it', async () => {
    await event('late');
    await requestRename(own, order, null, { actor: 'test', now: START_MS });
    await event('early');
    await lonely.startRelay();
    expect(await carryOutRename(own, order, START_MS, 5_000)).toBe('impossible');
    expect(await listRenames(own.pool)).toEqual([]);
    expect((await event('early')).body).toMatchObject({ total: 2 });
    expect((await event('late')).body).toMatchObject({ total: 2 });
    const log: Json[] = (await call('GET', '/admin/v1/audit?kind=users')).body;
    expect(log).toEqual([]);
  });
});
