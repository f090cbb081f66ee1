import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RETRY_AFTER_SECONDS } from '../../src/base/limits.ts';
import {
  freePort,
  type Installation,
  isAlive,
  programOf,
  signalProcess,
  startInstallation,
} from '../support/installation.ts';
import { configureRedis } from '../support/redisData.ts';
import { callApi, type Reply } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * A store that is away, hangs or is full: what is answered meanwhile, and that nothing is lost. Real
 * processes throughout.
 */

/** Reads of a first screen in their default forms. */
const FIRST_SCREEN = ['', '/streak', '/points/xp', '/leaderboards/weekly', '/achievements', '/metrics'];

const dataDir = useDirectory();
let installation: Installation;
let redis: Redis;
beforeAll(async () => {
  // Answers that wait for a store come soon, and a busy machine answers within this time.
  const LAUREL_STORE_WAIT_MS = '3000';
  installation = await startInstallation(dataDir, { PORT: String(await freePort()), LAUREL_STORE_WAIT_MS });
  redis = new Redis(installation.stores.redisUrl);
  redis.on('error', () => {});
});
afterAll(async () => {
  redis?.disconnect();
  await installation?.stop();
});

const get = (path: string): Promise<Reply> => callApi(installation.url + path, 'GET');

const record = (userId: string, key: string, value = 1): Promise<Reply> =>
  callApi(
    `${installation.url}/v1/metrics/words/event`,
    'POST',
    { user: { id: userId }, value },
    { 'Idempotency-Key': key },
  );

async function metric(name: string): Promise<number> {
  const { body } = await get('/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)![1]);
}

/** What PostgreSQL has of a user: number and sum of the events. */
async function relayed(userId: string): Promise<{ events: number; sum: number }> {
  const client = new pg.Client({ connectionString: installation.stores.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    const sql =
      'select count(*)::int as events, coalesce(sum(value), 0) as sum from event_history where user_id = $1';
    return (await client.query(sql, [userId])).rows[0];
  } finally {
    await client.end();
  }
}

/** Sends until it is recorded, as a client does. */
function recordAtLast(userId: string, key: string): Promise<Reply> {
  return until(async () => {
    const reply = await record(userId, key);
    return reply.status < 300 ? reply : null;
  }) as Promise<Reply>;
}

/** To the server process and to every process that serves a connection. */
function signalPostgres(signal: NodeJS.Signals): void {
  for (const pid of installation.processes()) if (programOf(pid) === 'postgres') signalProcess(pid, signal);
}

function expectRefusal(reply: Reply, store = 'Redis'): void {
  expect(reply).toMatchObject({ status: 503, body: { error: `${store} is not available; try again` } });
  expect(reply.headers.get('retry-after')).toBe(String(RETRY_AFTER_SECONDS));
}

/** While Redis cannot answer: every kind of request is refused, and the server says what it is. */
async function expectAway(userId: string): Promise<void> {
  const refusals = [
    ...Array.from({ length: 50 }, (_, i) => record(userId, `away-${i}`)),
    get(`/v1/users/${userId}`),
    get('/v1/leaderboards/weekly'),
    callApi(`${installation.url}/v1/users/${userId}`, 'PATCH', { name: 'Ann' }),
  ];
  for (const reply of await Promise.all(refusals)) expectRefusal(reply);
  expect(await get('/healthz')).toMatchObject({ status: 200 });
  expect(await get('/readyz')).toMatchObject({ status: 503 });
  await until(async () => (await metric('laurel_redis_ready')) === 0);
}

/**
 * Everything refused is repeated; each event counts once, whether or not Redis had done it before it was
 * refused.
 */
async function expectWholeAgain(userId: string): Promise<void> {
  await until(async () => (await get('/readyz')).status === 200);
  await Promise.all(Array.from({ length: 50 }, (_, i) => recordAtLast(userId, `away-${i}`)));
  expect(await recordAtLast(userId, 'before')).toMatchObject({ status: 202, body: { total: 51 } });
  await until(async () => (await metric('laurel_redis_ready')) === 1);
  await until(async () => (await relayed(userId)).events === 51);
}

describe('Redis', () => {
  test('hangs: requests are refused until Redis continues', async () => {
    expect(await recordAtLast('ann', 'before')).toMatchObject({ status: 201 });
    await installation.signal('redis', 'SIGSTOP');
    try {
      await expectAway('ann');
    } finally {
      await installation.signal('redis', 'SIGCONT');
    }
    await expectWholeAgain('ann');
  });

  test('is killed: requests are refused until it is back, and no data is lost', async () => {
    expect(await recordAtLast('bo', 'before')).toMatchObject({ status: 201 });
    // The supervisor that would start it again stands still, too: the outage lasts as long as the test wants.
    const supervisor = installation.processes()[0]!;
    process.kill(supervisor, 'SIGSTOP');
    try {
      await installation.signal('redis', 'SIGKILL');
      await expectAway('bo');
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
    await expectWholeAgain('bo');
    // An outage is said, and not once for each request.
    const lines = installation.output().match(/"requests refused"/g)!;
    expect(lines.length).toBeLessThan(50);
  });

  test('is full: changes are refused without effect, the outbox drains, and more memory ends it', async () => {
    expect(await recordAtLast('cy', 'before')).toMatchObject({ status: 201 });
    // Nothing takes the entries away until Redis is full.
    await installation.signal('worker', 'SIGSTOP');
    try {
      await Promise.all(Array.from({ length: 20 }, (_, i) => record('cy', `room-${i}`)));
      await until(async () => (await metric('laurel_outbox_entries')) > 0);
      await configureRedis(redis, 'maxmemory', '1mb');
      const refused = await Promise.all(Array.from({ length: 50 }, (_, i) => record(`cy-${i}`, 'full')));
      for (const reply of refused) expectRefusal(reply);
      expectRefusal(await record('cy', 'full'));
      // What changes nothing is answered.
      expect(await record('cy', 'before')).toMatchObject({ status: 202, body: { total: 21 } });
      expect(await get('/v1/users/cy-1')).toMatchObject({ status: 404 });
      expect(await get('/readyz')).toMatchObject({ status: 503 });
    } finally {
      await installation.signal('worker', 'SIGCONT');
    }
    // Reading, acknowledging and deleting entries has to work without memory: it is what makes room.
    await until(async () => (await metric('laurel_outbox_entries')) === 0);
    expect(await relayed('cy')).toEqual({ events: 21, sum: 21 });
    expectRefusal(await record('cy', 'full'));

    await configureRedis(redis, 'maxmemory', '0');
    expect(await record('cy', 'full')).toMatchObject({ status: 201, body: { total: 22 } });
    await until(async () => (await relayed('cy')).events === 22);
  });
});

describe('PostgreSQL', () => {
  test('hangs: events, metrics and health are answered, reads of PostgreSQL are refused, and processes stop', async () => {
    await recordAtLast('ed', 'before');
    const before = (await get('/v1/users/ed/summary')).body;
    expect((await get('/admin/v1/audit')).status).toBe(200);
    signalPostgres('SIGSTOP');
    const stopped: number[] = [];
    try {
      expect((await record('ed', 'during')).status).toBe(201);
      for (const path of FIRST_SCREEN) expect((await get(`/v1/users/ed${path}`)).status).toBe(200);
      expect((await get('/v1/users/ed/streak')).body.streakHistory).toHaveLength(7);
      const { status, body } = await get('/v1/users/ed/summary');
      expect(status).toBe(200);
      expect(body.points.xp.awards).toHaveLength(1);
      expect(body).toMatchObject({ points: before.points, leaderboards: before.leaderboards });
      expect((await get('/metrics')).status).toBe(200);
      expect((await get('/healthz')).status).toBe(200);
      expectRefusal(await get('/admin/v1/audit'), 'PostgreSQL');
      for (const part of ['server', 'worker'] as const)
        stopped.push(await installation.signal(part, 'SIGTERM'));
      await until(() => stopped.every((pid) => !isAlive(pid)));
    } finally {
      signalPostgres('SIGCONT');
    }
    expect(await recordAtLast('ed', 'during')).toMatchObject({ status: 202 });
    await until(async () => (await relayed('ed')).events === 2);
  });

  test('stops under load: events go on, the lag shows, and the backlog drains afterwards', async () => {
    await recordAtLast('di', 'before');
    await until(async () => (await relayed('di')).events === 1);
    const supervisor = installation.processes()[0]!;
    process.kill(supervisor, 'SIGSTOP');
    try {
      await installation.signal('postgres', 'SIGKILL');
      for (let round = 0; round < 10; round++) {
        const replies = await Promise.all(
          Array.from({ length: 50 }, (_, i) => record('di', `${round}-${i}`)),
        );
        expect(replies.filter(({ status }) => status !== 201)).toEqual([]);
      }
      expect(await get('/healthz')).toMatchObject({ status: 200 });
      await until(async () => (await get('/readyz')).status === 200);
      await until(async () => (await metric('laurel_outbox_entries')) > 0);
      await until(async () => (await metric('laurel_outbox_oldest_seconds')) > 0);
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
    await until(async () => (await metric('laurel_outbox_entries')) === 0);
    expect(await relayed('di')).toEqual({ events: 501, sum: 501 });
    await until(async () => (await metric('laurel_outbox_oldest_seconds')) === 0);
  });
});
