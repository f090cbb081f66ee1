import { beforeAll, expect, test } from 'vitest';
import { CALL_EVENTS_MAX } from '../../src/base/limits.ts';
import { createLog } from '../../src/base/log.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { EventQueue } from '../../src/engine/events/eventQueue.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { createTenants } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Events that are expensive delay neither those of other tenants nor other events of their tenant. */

const BOARDS = 190;
const DEAR_EVENTS = 200;
/**
 * A call has four such events at most. Two calls are in flight when another tenant's event comes, and one may
 * be sent in the same turn. A busy machine may read the replies of two more together with that of the other
 * tenant.
 */
const AHEAD_MAX = 5 * 4;
const silent = createLog('test', 'silent');

const server = useServer();
beforeAll(async () => {
  const metrics = ['lessons', 'visits'].map((key) => ({ key, name: key }));
  await createTenants(server, ['expensive', 'other'], { metrics });
  const leaderboards = Array.from({ length: BOARDS }, (_, i) => ({
    key: `board-${i}`,
    name: `Board ${i}`,
    rankBy: 'metric',
    metric: 'lessons',
    start: '2026-01-01',
    status: 'active',
  }));
  const reply = await server.call('PUT', '/admin/v1/config', { leaderboards }, { 'Tenant-ID': 'expensive' });
  expect(reply.status).toBe(200);
});

interface Parts {
  queue: EventQueue;
  expensive: Rules;
  other: Rules;
  close(): Promise<void>;
}

/** The event path of a server. */
async function startParts(): Promise<Parts> {
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
  const [expensive, other] = await Promise.all(rows.map(({ no }) => rulesStore.load(no)));
  const close = async (): Promise<void> => {
    await pool.end();
    redis.disconnect();
  };
  return { queue, expensive: expensive!, other: other!, close };
}

const record = (
  queue: EventQueue,
  rules: Rules,
  userId: string,
  metricKey: string,
  tz?: string,
): Promise<Outcome> =>
  new Promise((done, fail) => {
    const request = { user: { id: userId, ...(tz && { tz }) }, value: 1 };
    queue.add(rules, { metricKey, request, idempotencyKey: null, done, fail });
  });

/** Numbers of expensive events that are answered before each event of `next`, while there are expensive ones. */
async function answeredBefore({ queue, expensive }: Parts, next: () => Promise<unknown>): Promise<number[]> {
  let answered = 0;
  const all = Array.from({ length: DEAR_EVENTS }, async (_, i) => {
    await record(queue, expensive, `user-${i}`, 'lessons');
    answered++;
  });
  const ahead: number[] = [];
  while (answered < DEAR_EVENTS) {
    const before = answered;
    await next();
    ahead.push(answered - before);
  }
  await Promise.all(all);
  return ahead;
}

test('few events of a expensive tenant are answered before an event of another one', async () => {
  const parts = await startParts();
  const ahead = await answeredBefore(parts, () => record(parts.queue, parts.other, 'ada', 'lessons'));
  expect(Math.max(...ahead)).toBeLessThanOrEqual(AHEAD_MAX);
  expect(ahead.length).toBeGreaterThan(DEAR_EVENTS / AHEAD_MAX);
  await parts.close();
});

test('few events on a expensive metric are answered before one on another metric of the same tenant', async () => {
  const parts = await startParts();
  const ahead = await answeredBefore(parts, () => record(parts.queue, parts.expensive, 'ada', 'visits'));
  expect(Math.max(...ahead)).toBeLessThanOrEqual(AHEAD_MAX);
  expect(ahead.length).toBeGreaterThan(DEAR_EVENTS / AHEAD_MAX);
  await parts.close();
});

test('events of a user are recorded in the order of arrival, whatever each of them costs', async () => {
  const parts = await startParts();
  const { queue, expensive } = parts;
  const users = Array.from({ length: 20 }, (_, i) => `ordered-${i}`);
  // Users who begin with a expensive event, and users who begin with another one.
  const orders = [
    ['lessons', 'visits', 'visits', 'lessons', 'visits'],
    ['visits', 'lessons', 'visits', 'lessons', 'lessons'],
  ];
  const sequences = await Promise.all(
    users.map(async (user, i) => {
      const outcomes = await Promise.all(
        orders[i % 2]!.map((metric) => record(queue, expensive, user, metric)),
      );
      return outcomes.map((outcome) => ('sequence' in outcome ? outcome.sequence : null));
    }),
  );
  expect(sequences).toEqual(users.map(() => [1, 2, 3, 4, 5]));
  await parts.close();
});

test('no event of a user overtakes an earlier one that is sent again in another call', async () => {
  const zone = 'Asia/Tokyo';
  const one = await startParts();
  await record(one.queue, one.other, 'traveller', 'lessons', zone);
  await one.close();
  // This server does not know the zone of the user. The last event names it, and is too many for one call.
  const parts = await startParts();
  const zones = [...Array.from({ length: CALL_EVENTS_MAX }, () => undefined), zone];
  const outcomes = await Promise.all(
    zones.map((tz) => record(parts.queue, parts.other, 'traveller', 'lessons', tz)),
  );
  const sequences = outcomes.map((outcome) => ('sequence' in outcome ? outcome.sequence : null));
  expect(sequences).toEqual(zones.map((_, i) => i + 2));
  await parts.close();
});
