import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliveryId, instantOfDelivery } from '../../src/base/ids.ts';
import type { NotificationChannel } from '../../src/contract/preferences.ts';
import { type Channel, digitOf, listDueWebhooks } from '../../src/db/deliveries/dueDeliveries.ts';
import { WebhookAttempts } from '../../src/db/deliveries/webhookAttempts.ts';
import {
  instantsOfDeliveries,
  noDeliveryRows,
  writeDeliveries,
} from '../../src/db/deliveries/writeDeliveries.ts';
import { dropOldDeliveries } from '../../src/db/history/dropHistory.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { transaction } from '../../src/db/pool.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { DeliveryJobs, notificationWork, slicesWithin } from '../../workers/jobs/deliveryJobs.ts';
import { Jobs, LaterError } from '../../workers/jobs/jobs.ts';
import { allKeys, openRedis } from '../support/redisData.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

const relaying = useRelaying();
const HOUR_MS = 3_600_000;
const PACE = { atOnce: 10, perSecond: null };
const ENV = { deliveries: { webhooks: PACE, email: PACE, push: PACE } };

let prefix: string;
let jobs: Jobs;
let deliveries: DeliveryJobs;
beforeEach(() => {
  prefix = `{test-${randomUUID()}}`;
  jobs = new Jobs(connectForJobs(relaying.engine.redisUrl, silent), silent, prefix);
  deliveries = new DeliveryJobs(jobs, relaying.engine.clock, silent);
});
afterEach(async () => {
  await jobs.stop();
  await relaying.pool.query('delete from webhook_deliveries; delete from notification_deliveries');
});

interface Wanted {
  name: string;
  at?: number;
  dueAt?: number;
  webhook?: string;
}

const named = (count: number): Wanted[] => Array.from({ length: count }, (_, i) => ({ name: `${i}` }));

async function write(channel: Channel, wanted: Wanted[]): Promise<string[]> {
  const { tenant } = relaying.engine;
  const rows = noDeliveryRows();
  const ids = wanted.map(({ name, at = NOON, dueAt = at, webhook = randomUUID() }) => {
    const id = deliveryId(at, [name]);
    const row = { id, createdAt: at, tenant, type: 'streak.lost', dueAt, facts: '{"a":1}', userId: 'ann' };
    if (channel === 'webhooks') rows.webhookDeliveries.push({ ...row, webhook, payload: null });
    else rows.notificationDeliveries.push({ ...row, channel });
    return id;
  });
  await new Partitions(relaying.pool).ensure('day', instantsOfDeliveries(rows));
  await transaction(relaying.pool, (client) => writeDeliveries(client, rows));
  return ids;
}

const countJobs = (channel: Channel): Promise<number> =>
  jobs.queue(channel).getJobCountByTypes('waiting', 'delayed', 'active');

/** Starts a worker that records what it is asked to send, and marks it as sent. */
function sendTo(sent: string[], channel: NotificationChannel): void {
  jobs.work(
    notificationWork({ ...relaying.engine, pool: relaying.pool }, channel, ENV, async (id) => {
      const { rowCount } = await relaying.pool.query(
        `update notification_deliveries set status = 'sent' where id = $1 and created_at = $2 and status = 'pending'`,
        [id, new Date(instantOfDelivery(id))],
      );
      if (rowCount === 1) sent.push(id);
    }),
  );
}

const runSchedule = (): Promise<void> => deliveries.addDue(relaying.pool);

describe('the id of a delivery', () => {
  test('follows from the instant and the parts, and tells the instant', () => {
    const id = deliveryId(NOON, ['a', 1]);
    expect(deliveryId(NOON, ['a', 1])).toBe(id);
    expect(deliveryId(NOON, ['a', 2])).not.toBe(id);
    expect(instantOfDelivery(id)).toBe(NOON);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deliveryId(NOON + 1, ['a']) > deliveryId(NOON, ['b'])).toBe(true);
  });
});

describe.each(['push', 'email'] as const)('the channel %s', (channel) => {
  test('sends what is due, once, and the rest when it falls due', async () => {
    const [now, later] = await write(channel, [{ name: 'now' }, { name: 'later', dueAt: NOON + HOUR_MS }]);
    expect(await write(channel, [{ name: 'now' }])).toEqual([now]);
    const sent: string[] = [];
    sendTo(sent, channel);
    for (let i = 0; i < 3; i++) await runSchedule();
    await until(() => sent.length === 1);
    await runSchedule();
    relaying.engine.clock.set(NOON + HOUR_MS);
    await runSchedule();
    await until(() => sent.length === 2);
    expect(sent).toEqual([now, later]);
  });

  test('jobs that were lost with Redis are made again, and nothing is sent twice', async () => {
    const ids = await write(channel, [{ name: 'a' }, { name: 'b' }]);
    await runSchedule();
    const redis = await openRedis(relaying.engine.redisUrl);
    await redis.unlink(await allKeys(redis, `${prefix}:${channel}:*`));
    redis.disconnect();
    expect(await countJobs(channel)).toBe(0);
    const sent: string[] = [];
    sendTo(sent, channel);
    await runSchedule();
    await until(() => sent.length === 2);
    await runSchedule();
    expect(sent.toSorted()).toEqual(ids.toSorted());
  });

  test('many notifications share 16 jobs', async () => {
    const ids = await write(channel, named(200));
    await runSchedule();
    await runSchedule();
    expect(await countJobs(channel)).toBe(16);
    const sent: string[] = [];
    sendTo(sent, channel);
    await until(() => sent.length === ids.length);
    expect(sent.toSorted()).toEqual(ids.toSorted());
    await until(async () => (await countJobs(channel)) === 0);
  });

  test('one that cannot be sent does not keep others of its shard from being sent', async () => {
    const tried: string[] = [];
    const ids = await write(channel, named(40));
    const digit = digitOf(ids[0]!);
    const ofShard = ids.filter((id) => digitOf(id) === digit);
    jobs.work(
      notificationWork({ ...relaying.engine, pool: relaying.pool }, channel, ENV, async (id) => {
        tried.push(id);
        throw new Error('broken');
      }),
    );
    await deliveries.addShards(channel, [digit]);
    await until(async () => (await countJobs(channel)) === 0);
    expect(tried.toSorted()).toEqual(ofShard.toSorted());
  });
});

test('webhooks with due deliveries are found, without those that are inactive or have nothing due', async () => {
  const [long, one, later, unknown] = Array.from({ length: 4 }, () => randomUUID());
  await write(
    'webhooks',
    Array.from({ length: 600 }, (_, i) => ({ name: `long-${i}`, webhook: long! })),
  );
  await write('webhooks', [
    { name: 'one', webhook: one! },
    { name: 'later', webhook: later!, dueAt: NOON + HOUR_MS },
    { name: 'unknown', webhook: unknown! },
  ]);
  const due = async (now: number) => (await listDueWebhooks(relaying.pool, now, 10)).toSorted();
  expect(await due(NOON)).toEqual([long, one, unknown].toSorted());
  expect(await due(NOON + HOUR_MS)).toEqual([long, one, later, unknown].toSorted());
  await relaying.pool.query(`update webhook_deliveries set type = 'of.the.future' where webhook = $1`, [
    unknown,
  ]);
  expect(await due(NOON)).toEqual([long, one].toSorted());
  const attempts = new WebhookAttempts(relaying.pool);
  expect(await attempts.listDue(unknown!, NOON, [])).toEqual([]);
  const first = await attempts.listDue(long!, NOON, []);
  const next = await attempts.listDue(
    long!,
    NOON,
    first.map(({ id }) => id),
  );
  expect(new Set([...first, ...next].map(({ id }) => id)).size).toBe(200);
  expect(await listDueWebhooks(relaying.pool, NOON, 1)).toHaveLength(1);
});

test('a webhook has one job, however many deliveries are due and however often they are found', async () => {
  const webhook = randomUUID();
  await write('webhooks', [
    { name: 'a', webhook },
    { name: 'b', webhook },
  ]);
  for (let i = 0; i < 3; i++) await runSchedule();
  await deliveries.addWebhooks([webhook]);
  expect(await jobs.queue('webhooks').getJobCountByTypes('waiting', 'delayed', 'active')).toBe(1);
  const redis = await openRedis(relaying.engine.redisUrl);
  await redis.unlink(await allKeys(redis, `${prefix}:webhooks:*`));
  redis.disconnect();
  await runSchedule();
  expect(await jobs.queue('webhooks').getJobCountByTypes('waiting')).toBe(1);
});

test.each([1, 7, 10, 25, 999, 1_000_000])(
  'time slices under a limit of %i a second come near it, not above it',
  (limit) => {
    const { attemptsMax, perSecond } = slicesWithin(limit);
    expect(attemptsMax * perSecond!).toBeLessThanOrEqual(limit);
    expect(attemptsMax * perSecond!).toBeGreaterThan(limit * 0.8);
  },
);

test('a job that cannot be done now comes back later', async () => {
  const tries: unknown[] = [];
  jobs.work<{ a: number }>({
    queue: 'push',
    names: ['wait'],
    concurrency: 1,
    run: async ({ data }) => {
      tries.push(data);
      if (tries.length < 3) throw new LaterError(1);
    },
  });
  await jobs.queue('push').add('wait', { a: 1 });
  await until(() => tries.length === 3);
  expect(tries).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
  await until(async () => (await countJobs('push')) === 0);
});

test('deliveries go when the log is no longer kept', async () => {
  await write('webhooks', [{ name: 'old', at: NOON - 8 * 24 * HOUR_MS }, { name: 'new' }]);
  await write('email', [{ name: 'old', at: NOON - 8 * 24 * HOUR_MS }]);
  expect(await dropOldDeliveries(relaying.pool, NOON)).toContain('webhook_deliveries 2026-11-10');
  expect(await relaying.rowsOf('webhook_deliveries')).toHaveLength(1);
  expect(await relaying.rowsOf('notification_deliveries')).toHaveLength(1);
});

test('the relay writes what an active webhook of any tenant wants, and writes it once', async () => {
  const { pool, engine, drain, record, rowsOf } = relaying;
  const webhook = randomUUID();
  const body = {
    name: 'Hook',
    url: 'https://example.com',
    events: ['leaderboard.changed'],
    secret: 'whsec_',
  };
  await pool.query(
    `insert into entities (tenant, kind, id, no, body, created, updated) values ($1, 'webhooks', $2, 7, $3, $4, $4)`,
    [engine.tenant, webhook, { ...body, status: 'active' }, new Date(NOON)],
  );
  for (const { id, no, created, updated, key, ...board } of engine.rules().config.leaderboards) {
    await pool.query(
      `insert into entities (tenant, kind, id, no, key, body, created, updated) values ($1, 'leaderboards', $2, $3, $4, $5, $6, $7)`,
      [engine.tenant, id, no, key, board, created, updated],
    );
  }
  for (let i = 0; i < 3; i++) {
    await record('ann');
    await drain();
  }
  // The first change at once, the others together after 15 minutes.
  const rows = await rowsOf('webhook_deliveries');
  const delivery = { webhook, type: 'leaderboard.changed', status: 'pending', created_at: new Date(NOON) };
  const dueAts = [NOON, NOON + HOUR_MS / 4];
  expect(rows).toHaveLength(dueAts.length);
  for (const dueAt of dueAts)
    expect(rows).toContainEqual(expect.objectContaining({ ...delivery, due_at: new Date(dueAt) }));
  await pool.query('update tenants set version = version + 1');
  await pool.query(`update entities set body = body || '{"status": "inactive"}' where id = $1`, [webhook]);
  engine.clock.set(NOON + HOUR_MS);
  await record('ann');
  await drain();
  expect(await rowsOf('webhook_deliveries')).toHaveLength(dueAts.length);
});

test('what is known of throttled deliveries goes after a day, however much it is', async () => {
  const { pool } = relaying;
  await pool.query('truncate webhook_windows');
  await pool.query(
    `insert into webhook_windows (webhook, subject, due_at)
     select gen_random_uuid(), gen_random_uuid(), to_timestamp($1) - i % 2 * interval '25 hours' from generate_series(1, 50001) as i`,
    [NOON / 1000],
  );
  await dropOldDeliveries(pool, NOON);
  const { rows } = await pool.query(
    'select count(*)::integer as left, min(due_at) as oldest from webhook_windows',
  );
  expect(rows).toEqual([{ left: 25_000, oldest: new Date(NOON) }]);
});
