import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { readCells } from '../src/db/installation.ts';
import { createPool } from '../src/db/pool.ts';
import { createEngine } from '../src/engine/engine.ts';
import type { EventQueue } from '../src/engine/events/eventQueue.ts';
import { connectRedis, whenReady } from '../src/redis/connection/redisClient.ts';
import type { Rules } from '../src/rules/rules.ts';
import { createTenants, startTestServer, type TestServer } from './support/server.ts';

/** One tenant whose events are dear does not delay those of others. */

const BOARDS = 190;
const DEAR_EVENTS = 200;
/**
 * A call has four such events at most. Two calls are in flight when another tenant's event comes, and one may
 * be sent in the same turn. A busy machine may read the replies of two more together with that of the other
 * tenant.
 */
const AHEAD_MAX = 5 * 4;
const silent = createLog('test', 'silent');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await createTenants(server, ['dear', 'other'], { metrics: [{ key: 'lessons', name: 'Lessons' }] });
  const leaderboards = Array.from({ length: BOARDS }, (_, i) => ({
    key: `board-${i}`,
    name: `Board ${i}`,
    rankBy: 'metric',
    metric: 'lessons',
    start: '2026-01-01',
    status: 'active',
  }));
  const reply = await server.call('PUT', '/admin/v1/config', { leaderboards }, { 'Tenant-ID': 'dear' });
  expect(reply.status).toBe(200);
});
afterAll(() => server.stop());

const record = (queue: EventQueue, rules: Rules, userId: string): Promise<unknown> =>
  new Promise((done, fail) => {
    const request = { user: { id: userId }, value: 1 };
    queue.add(rules, { metricKey: 'lessons', request, idempotencyKey: null, done, fail });
  });

test('few events of a dear tenant are answered before an event of another one', async () => {
  const redis = connectRedis(server.redisUrl, silent);
  await whenReady(redis);
  const pool = createPool(server.databaseUrl, silent);
  const { rows } = await pool.query<{ no: number }>(
    'select no from tenants where customer_id is not null order by no',
  );
  const { queue, rulesStore } = createEngine({
    redis,
    cells: (await readCells(pool))!,
    clock: server.clock,
  });
  const [dear, other] = await Promise.all(rows.map(({ no }) => rulesStore.load(no)));
  let answered = 0;
  const all = Array.from({ length: DEAR_EVENTS }, async (_, i) => {
    await record(queue, dear!, `user-${i}`);
    answered++;
  });
  const ahead: number[] = [];
  while (answered < DEAR_EVENTS) {
    const before = answered;
    await record(queue, other!, 'ada');
    ahead.push(answered - before);
  }
  await Promise.all(all);
  expect(Math.max(...ahead)).toBeLessThanOrEqual(AHEAD_MAX);
  expect(ahead.length).toBeGreaterThan(DEAR_EVENTS / AHEAD_MAX);
  await pool.end();
  redis.disconnect();
});
