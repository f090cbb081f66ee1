import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { freePort, type Installation, type Part, startInstallation } from '../support/installation.ts';
import { lessonStreak, perLesson, xp } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { callApi, type Reply } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** kill -9 of server and worker while 100 held events are approved: each counts once. */
const EVENTS = 100;
const USERS = 10;
/** Events that are approved between two kills. */
const BETWEEN = 20;
const VALUE = 20;
/** A schedule whose worker was killed runs again when the lock of its job has run out. */
const APPROVE_MS_MAX = 120_000;
const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons', guards: { maxValue: 10, action: 'hold' } }],
  streak: lessonStreak(),
  points: [xp([perLesson(2)])],
};

const dataDir = useDirectory();
let installation: Installation;
let pool: Pool;

beforeAll(async () => {
  const LAUREL_CONFIG = join(dataDir, 'config.json');
  await writeFile(LAUREL_CONFIG, JSON.stringify(CONFIG));
  installation = await startInstallation(dataDir, {
    LAUREL_CONFIG,
    LOG_LEVEL: 'warn',
    PORT: String(await freePort()),
  });
  pool = createPool(installation.stores.databaseUrl, createLog('test', 'silent'));
});
afterAll(async () => {
  await pool?.end();
  await installation?.stop();
});

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  callApi(installation.url + path, method, body);

async function answer(method: string, path: string, body?: unknown, status = 200): Promise<Reply['body']> {
  const reply = await call(method, path, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  return reply.body;
}

const moveTo = (now: string) => answer('POST', '/admin/v1/test-clock', { now });
const approve = (ids: readonly string[]) =>
  call('POST', '/admin/v1/held-events/approve', { ids, reason: 'A test' });

async function countOf(status: 'approving' | 'approved'): Promise<number> {
  const { rows } = await pool.query('select count(*)::int as count from held_events where status = $1', [
    status,
  ]);
  return rows[0].count;
}

/** Kills a part after the next approvals. @returns whether that was before the last one */
async function killAmid(part: Part): Promise<boolean> {
  const reached = Math.min((await countOf('approved')) + BETWEEN, EVENTS);
  await until(async () => (await countOf('approved')) >= reached, APPROVE_MS_MAX);
  await installation.signal(part, 'SIGKILL');
  return (await countOf('approving')) > 0;
}

test(
  'each held event counts once, whatever is killed while it is approved',
  async () => {
    const events = Array.from({ length: EVENTS }, (_, i) => ({
      key: 'lessons',
      user: { id: `user-${i % USERS}` },
      value: VALUE,
    }));
    const { held } = await answer('POST', '/admin/v1/metrics/events', events, 202);
    const ids: string[] = held.map(({ eventId }: Reply['body']) => eventId);
    expect(new Set(ids).size).toBe(EVENTS);
    await moveTo(`${dayFromStart(2)}T12:00:00Z`);

    // On a slow machine a kill may come when everything is done.
    const amid: boolean[] = [];
    for (let kill = 0; kill < 2; kill++) {
      const interrupted = approve(ids).catch(() => 'interrupted');
      amid.push(await killAmid('server'));
      await interrupted;
      await until(async () => (await call('GET', '/readyz').catch(() => null))?.status === 200);
    }
    // The worker finishes what servers have begun a minute before.
    await moveTo(`${dayFromStart(2)}T13:00:00Z`);
    amid.push(await killAmid('worker'));
    expect(amid).toContain(true);
    // Until a worker relays again, nobody knows which events count already, and the answer is 503.
    const decided = await until(async () => {
      const { status, body } = await approve(ids);
      return status === 200 && body;
    }, APPROVE_MS_MAX);
    expect(decided.events).toEqual(ids.map((id) => ({ id, status: 'approved' })));

    await until(async () => (await answer('GET', '/admin/v1/status')).outbox.entries === 0);
    const { rows } = await pool.query('select event_id, user_id, value from event_history order by event_id');
    expect(rows.map(({ event_id }) => event_id)).toEqual(ids.toSorted());
    const total = (EVENTS / USERS) * VALUE;
    for (let i = 0; i < USERS; i++) {
      expect(await answer('GET', `/v1/users/user-${i}/metrics/lessons`)).toMatchObject({ current: total });
      expect(await answer('GET', `/v1/users/user-${i}/points/xp`)).toMatchObject({ total: 2 * total });
    }
    const audited = await pool.query(
      `select count(*)::int as count from audit_log where kind = 'heldEvents'`,
    );
    expect(audited.rows).toEqual([{ count: EVENTS }]);
    await runLaurel(['check', '--all'], {
      REDIS_URL: installation.stores.redisUrl,
      DATABASE_URL: installation.stores.databaseUrl,
    });
  },
  3 * APPROVE_MS_MAX,
);

test('an event is held once, although PostgreSQL is killed meanwhile', async () => {
  const send = (i: number): Promise<Reply> =>
    call('POST', '/v1/metrics/lessons/event', {
      user: { id: `outage-${i % USERS}` },
      value: VALUE,
      idempotencyKey: `key-${i}`,
    });
  const numbers = Array.from({ length: EVENTS }, (_, i) => i);
  const before = await Promise.all(numbers.slice(0, EVENTS / 2).map(send));
  await installation.signal('postgres', 'SIGKILL');
  const meanwhile = await Promise.all(numbers.map(send));
  expect(before.map(({ status }) => status)).toEqual(before.map(() => 202));
  expect(meanwhile.map(({ status }) => status)).toContain(503);
  expect(meanwhile.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
  const ids = new Set<string>();
  for (const i of numbers) {
    const held = await until(async () => {
      const { status, body } = await send(i);
      return status === 202 && body.held ? (body.eventId as string) : null;
    });
    ids.add(held!);
  }
  for (const { status, body } of [...before, ...meanwhile])
    if (status === 202) expect(ids.has(body.eventId)).toBe(true);
  const { rows } = await pool.query(`select event_id from held_events where user_id like 'outage-%'`);
  expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...ids].sort());
  expect(ids.size).toBe(EVENTS);
});
