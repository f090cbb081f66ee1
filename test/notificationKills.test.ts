import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveryId } from '../src/base/ids.ts';
import { NODE_FLAGS } from '../src/base/nodeFlags.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { DEFAULT_TENANT } from '../src/db/configuration.ts';
import { Partitions } from '../src/db/partitions.ts';
import { transaction } from '../src/db/pool.ts';
import { instantsOfDeliveries, noDeliveryRows, writeDeliveries } from '../src/db/writeDeliveries.ts';
import { type Notifying, startNotifying } from './support/notifying.ts';
import { until } from './support/until.ts';

/** kill -9 of the worker while it sends e-mails: all arrive, and only those that were under way may come twice. */
const EMAILS = 1_000;
/** E-mails that have arrived when the worker is killed. */
const KILLS = [250, 600];
const AT_ONCE = 10;
/** A job whose worker was killed is done again when its lock has run out. */
const WAIT_MS = 180_000;

let notifying: Notifying;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  notifying = await startNotifying('test/support/application.yaml');
  const template = { name: 'T', type: 'reactivation', channel: 'email', status: 'active' };
  await notifying.server.call('POST', '/admin/v1/notifications/templates', [template]);
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await notifying.stop();
});

function startWorkerProcess(): ChildProcess {
  const env = {
    ...process.env,
    ...notifying.env,
    LOG_LEVEL: 'silent',
    LAUREL_ALLOW_UNSAFE_REDIS: '1',
    LAUREL_EMAILS_AT_ONCE: String(AT_ONCE),
  };
  const worker = fork(join(packageRoot(), 'dist', 'src', 'main.js'), ['worker'], { env, execArgv: NODE_FLAGS });
  workers.push(worker);
  return worker;
}

/** One event of each of many users, and an e-mail that is due for each. */
async function makeDue(): Promise<string[]> {
  const ids: string[] = [];
  const events = Array.from({ length: EMAILS }, (_, i) => ({
    key: 'lessons',
    user: { id: `user-${i}`, email: `user-${i}@example.com` },
    value: 1,
  }));
  expect((await notifying.server.call('POST', '/admin/v1/metrics/events', events)).status).toBe(202);
  const at = notifying.server.clock.now();
  const rows = noDeliveryRows();
  for (let i = 0; i < EMAILS; i++) {
    const id = deliveryId(at, [i]);
    ids.push(id);
    const row = { id, createdAt: at, tenant: DEFAULT_TENANT, userId: `user-${i}`, channel: 'email' as const };
    rows.notificationDeliveries.push({
      ...{ ...row, type: 'reactivation', dueAt: at },
      facts: JSON.stringify({ messageNumber: 1, days: 0 }),
    });
  }
  await new Partitions(notifying.pool).ensure('day', instantsOfDeliveries(rows));
  await transaction(notifying.pool, (client) => writeDeliveries(client, rows));
  return ids;
}

test(
  'in the middle of 1,000 e-mails',
  async () => {
    const ids = await makeDue();
    const { emails } = notifying.mail;
    for (const count of KILLS) {
      const worker = startWorkerProcess();
      await until(() => emails.length >= count, WAIT_MS);
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.kill('SIGKILL');
      await ended;
    }
    startWorkerProcess();
    const pending = async (): Promise<number> => {
      const { rows } = await notifying.pool.query(
        `select count(*)::int as count from notification_deliveries where status = 'pending'`,
      );
      return rows[0].count;
    };
    await until(async () => (await pending()) === 0, WAIT_MS);
    const arrived = new Map<string, number>();
    for (const { messageId } of emails) arrived.set(messageId!, (arrived.get(messageId!) ?? 0) + 1);
    expect([...arrived.keys()].toSorted()).toEqual(ids.map((id) => `<${id}@laurel.example>`).toSorted());
    const duplicates = emails.length - EMAILS;
    console.log(`notificationKills: ${KILLS.length} kills, ${EMAILS} e-mails, ${duplicates} came twice`);
    expect(duplicates).toBeLessThanOrEqual(KILLS.length * AT_ONCE);
    const { rows } = await notifying.pool.query('select distinct status from notification_deliveries');
    expect(rows).toEqual([{ status: 'sent' }]);
  },
  4 * WAIT_MS,
);
