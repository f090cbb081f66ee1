import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Bench } from '../bench.ts';
import { createWebhook, whenDelivered } from '../load/reported.ts';
import { BATCHES_PATH, batchBody } from '../load/traffic.ts';
import { startWebhookReceiver } from '../load/webhookReceiver.ts';
import type { Print } from '../report/report.ts';
import type { Figures } from '../report/results.ts';
import type { Study } from '../study.ts';
import { Target } from '../target.ts';
import { UsageMeter, usagePer } from '../usage/usage.ts';

const USERS = 4_000;
const USERS_AT_ONCE = 1_000;
/** Long enough for a worker that has started to do nothing but wait. */
const IDLE_MS = 3_000;
const POLL_MS = 50;

export const deliveries: Study = {
  name: 'deliveries',
  measures: 'what it costs to deliver a webhook: CPU time, Redis commands and write-ahead log',
  isDefault: false,
  measure: measureDeliveries,
};

/** Deliveries wait until a worker has started, so that nothing else is measured. */
async function measureDeliveries(bench: Bench, print: Print): Promise<Figures> {
  const receiver = await startWebhookReceiver();
  const target = await Target.start(bench, 1);
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const meter = await UsageMeter.open(bench.redis, bench.databaseUrl);
  try {
    const webhook = await createWebhook(target, receiver.url);
    await recordFirstChanges(target);
    // The worker writes the deliveries, and has no permission to make them.
    const relaying = await bench.start('worker', [], { LAUREL_WEBHOOKS_PER_SECOND: '1' });
    while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
    await setStatus(target, webhook, 'inactive');
    await relaying.stop();
    const worker = await bench.start('worker');
    await sleep(IDLE_MS);
    const waiting = await countPending(pool);
    const { redis, postgres } = bench.pids;
    const processes = { server: [], worker: [worker.pid], redis: [redis], postgres: [postgres] };
    const before = await meter.read(processes);
    const startMs = monotonicMs();
    await setStatus(target, webhook, 'active');
    await whenDelivered(pool);
    const seconds = (monotonicMs() - startMs) / 1e3;
    const made = waiting - (await countPending(pool));
    const { cpu_us, redisCommands, wal_bytes } = usagePer(made, before, await meter.read(processes));
    await worker.stop();
    print(
      `Delivery of ${made} webhooks of the first changes of ${USERS} users: ${(made / seconds).toFixed(0)} a second to one endpoint. Each takes ${cpu_us.worker.toFixed(0)} µs of CPU of the worker, ${cpu_us.postgres.toFixed(0)} of PostgreSQL and ${cpu_us.redis.toFixed(1)} of Redis, ${redisCommands.toFixed(1)} Redis commands and ${wal_bytes.toFixed(0)} bytes of write-ahead log\n`,
    );
    const cpu = { worker_cpu_us: cpu_us.worker, postgres_cpu_us: cpu_us.postgres, redis_cpu_us: cpu_us.redis };
    return { deliveries: made, perSecond: made / seconds, ...cpu, redisCommands, wal_bytes };
  } finally {
    await target.stop();
    await meter.close();
    await pool.end();
    receiver.close();
  }
}

async function recordFirstChanges(target: Target): Promise<void> {
  for (let from = 0; from < USERS; from += USERS_AT_ONCE) {
    const users = Array.from({ length: USERS_AT_ONCE }, (_, i) => from + i);
    await target.call('POST', BATCHES_PATH, batchBody('', users));
  }
}

async function setStatus(target: Target, id: string, status: 'active' | 'inactive'): Promise<void> {
  await target.call('PATCH', '/admin/v1/webhooks', JSON.stringify([{ id, status }]));
}

async function countPending(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pending: number }>(
    `select count(*)::integer as pending from webhook_deliveries where status = 'pending'`,
  );
  return rows[0]!.pending;
}
