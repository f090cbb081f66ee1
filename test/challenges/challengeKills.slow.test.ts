import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { freePort, type Installation, type Part, startInstallation } from '../support/installation.ts';
import { countedGoal, goal, item, items, lessonStreak, perLesson, xp } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import type { Json } from '../support/reading.ts';
import { callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * kill -9 of server, worker and stores while events complete challenges and users claim rewards, three claims
 * at once: each reward is given once, in Redis and in PostgreSQL.
 */
const USERS = 240;
const CLIENTS = 12;
/** Each event awards 10 points. The third one completes both challenges; the boost doubles those after it. */
const EVENTS_OF_USER = 5;
const COMPLETING = 3;
const CLAIMS = 3;
const EXPECTED = { total: COMPLETING * 10 + 50 + (EVENTS_OF_USER - COMPLETING) * 20 + 7, freezes: 2 };
/** Users who have ended between two kills. */
const BETWEEN = 25;
const KILLED: Part[] = ['server', 'worker', 'redis', 'postgres', 'server', 'worker'];
/** A client whose server was killed, or says 503, waits so long before it tries again. */
const AGAIN_AFTER_MS = 50;
/** A schedule whose worker was killed runs again when the lock of its job has run out. */
const BACK_MS_MAX = 120_000;
const GIVES = { freezes: 1, boost: { system: 'xp', multiplier: 2, hours: 24 } };
const CONFIG = {
  metrics: items('lessons'),
  streak: { ...lessonStreak(), freezes: { startCount: 0, maxCount: 5 } },
  achievements: [item('medal', { trigger: 'api' }), item('ribbon', { trigger: 'api' })],
  points: [xp([perLesson(10)])],
  challenges: [
    item('given', {
      goals: [goal('sum', COMPLETING), countedGoal('count', COMPLETING)],
      rewards: { points: [{ system: 'xp', points: 50 }], achievement: 'medal', ...GIVES },
    }),
    item('claimed', {
      claim: 'manual',
      goals: [countedGoal('count', COMPLETING)],
      rewards: { points: [{ system: 'xp', points: 7 }], achievement: 'ribbon', freezes: 1 },
    }),
  ],
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

/** Calls again while what was killed makes calls fail. */
async function answer(method: string, path: string, body?: object): Promise<Json> {
  for (;;) {
    const reply = await callApi(installation.url + path, method, body).catch(() => null);
    if (reply !== null && reply.status !== 503) {
      expect([200, 201, 202], JSON.stringify(reply.body)).toContain(reply.status);
      return reply.body;
    }
    await sleep(AGAIN_AFTER_MS);
  }
}

async function play(user: string): Promise<void> {
  for (let i = 1; i <= EVENTS_OF_USER; i++) {
    const event = { user: { id: user }, value: 1, idempotencyKey: `${user}-${i}` };
    const { challenges } = await answer('POST', '/v1/metrics/lessons/event', event);
    // A repetition of an event that has counted answers none.
    for (const { completed } of Object.values<Json>(challenges))
      expect([user, i, completed]).toEqual([user, i, i >= COMPLETING]);
    if (i !== COMPLETING) continue;
    const path = `/v1/users/${user}/challenges/claimed/claim`;
    const claims = await Promise.all(Array.from({ length: CLAIMS }, () => answer('POST', path)));
    for (const claim of claims) expect(claim).toEqual({ ...claims[0], claimedAt: expect.any(String) });
  }
}

const query = async (sql: string): Promise<Json[]> => (await pool.query(sql)).rows;

test('every reward is given once, whatever is killed', { timeout: 3 * BACK_MS_MAX }, async () => {
  const users = Array.from({ length: USERS }, (_, i) => `user-${i}`);
  const left = [...users];
  let ended = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let user = left.pop(); user !== undefined; user = left.pop()) {
      await play(user);
      ended++;
    }
  });
  const played = Promise.all(clients);
  const killed = (async () => {
    for (const [i, part] of KILLED.entries()) {
      await until(() => ended >= (i + 1) * BETWEEN, BACK_MS_MAX);
      expect(left.length).toBeGreaterThan(0);
      await installation.signal(part, 'SIGKILL');
    }
  })();
  await Promise.all([played, killed]);

  for (const user of users) {
    const { total } = await answer('GET', `/v1/users/${user}/points/xp`);
    const { freezes } = await answer('GET', `/v1/users/${user}/streak`);
    expect([user, { total, freezes }]).toEqual([user, EXPECTED]);
  }
  await until(async () => /^laurel_outbox_entries 0$/m.test(await answer('GET', '/metrics')), BACK_MS_MAX);
  expect(
    await query(`select sum(awarded)::int as total, count(distinct user_id)::int as users,
      count(*) filter (where awarded = 50)::int as given, count(*) filter (where awarded = 7)::int as claimed
      from award_history`),
  ).toEqual([{ total: USERS * EXPECTED.total, users: USERS, given: USERS, claimed: USERS }]);
  expect(
    await query('select achievement, count(*)::int from completed_achievements group by 1 order by 1'),
  ).toEqual([
    { achievement: 1, count: USERS },
    { achievement: 2, count: USERS },
  ]);
  expect(
    await query('select challenge, step, count(*)::int from challenge_steps group by 1, 2 order by 1, 2'),
  ).toEqual([
    { challenge: 1, step: 'completed', count: USERS },
    { challenge: 2, step: 'claimed', count: USERS },
    { challenge: 2, step: 'completed', count: USERS },
  ]);
  for (const { id, key } of await answer('GET', '/admin/v1/challenges')) {
    const [run] = await answer('GET', `/admin/v1/challenges/${id}/runs`);
    expect([key, run]).toMatchObject([key, { users: USERS, completed: USERS }]);
  }
  await runLaurel(['check', '--all'], {
    REDIS_URL: installation.stores.redisUrl,
    DATABASE_URL: installation.stores.databaseUrl,
  });
});
