import { afterEach, describe, expect, test } from 'vitest';
import { deliveryId, newId } from '../../src/base/ids.ts';
import { addDead } from '../../src/commands/storeCommands.ts';
import { noDeliveryRows, writeDeliveries } from '../../src/db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../src/db/partitions.ts';
import { transaction } from '../../src/db/pool.ts';
import { listDead, replayDead } from '../../src/engine/recovery/dead.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { type Ended, runInProcess, runLaurel } from '../support/laurelCommand.ts';
import { NOON, useRelaying } from '../support/relaying.ts';

const relaying = useRelaying();
afterEach(async () => {
  await relaying.pool.query('delete from webhook_deliveries; delete from notification_deliveries');
});

const storesOf = () => ({ REDIS_URL: relaying.engine.redisUrl, DATABASE_URL: relaying.database.url });

/** Runs `laurel dead …` in a process of its own. It may fail. */
function runDead(...args: string[]): Promise<Ended> {
  return runLaurel(['dead', ...args], storesOf()).then(
    (printed) => ({ code: 0, ...printed }),
    (error: Ended) => error,
  );
}

/** The same in this process. */
const runDeadHere = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  runInProcess(addDead, ['dead', ...args], { ...storesOf(), ...env });

/** An event whose outbox entry could not be stored, and a webhook and an email that were given up. */
async function putAside(): Promise<{ cell: number; entryId: string }> {
  const { pool, engine, record } = relaying;
  await record('ann');
  const cell = (
    await Promise.all(Array.from({ length: engine.cells.count }, (_, i) => engine.redis.xlen(keys.outbox(i))))
  ).indexOf(1);
  const [[id, fields]] = (await engine.redis.xrangeBuffer(keys.outbox(cell), '-', '+')) as [
    [Buffer, Buffer[]],
  ];
  await engine.redis.xdel(keys.outbox(cell), id);
  await pool.query(
    'insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at) values ($1, $2, $3, $4, $5, $6)',
    [engine.tenant, cell, String(id), 'nobody knows', fields, new Date(NOON)],
  );
  const rows = noDeliveryRows();
  const delivery = {
    id: deliveryId(NOON, ['a']),
    createdAt: NOON,
    dueAt: NOON,
    tenant: engine.tenant,
    userId: 'ann',
  };
  rows.webhookDeliveries.push({
    ...delivery,
    webhook: newId(),
    type: 'streak.lost',
    payload: '{}',
    facts: null,
  });
  rows.notificationDeliveries.push({ ...delivery, channel: 'email', type: 'recap', facts: null });
  await transaction(pool, async (client) => {
    await ensurePartition(client, 'day', NOON);
    await writeDeliveries(client, rows);
    await client.query(
      `update webhook_deliveries set status = 'failed', reason = 'answered 500', attempts = 8`,
    );
    await client.query(
      `update notification_deliveries set status = 'failed', reason = 'refused', attempts = 8`,
    );
  });
  return { cell, entryId: String(id) };
}

test('dead entries are relayed again, and failed deliveries sent again', async () => {
  const { pool, engine, drain, rowsOf } = relaying;
  const { cell, entryId } = await putAside();
  const { entries, deliveries } = await listDead(pool);
  expect(entries).toEqual([
    { tenant: engine.tenant, cell, entryId, reason: 'nobody knows', diedAt: new Date(NOON) },
  ]);
  expect(deliveries.map(({ channel, reason, count }) => [channel, reason, count])).toEqual([
    ['email', 'refused', 1],
    ['webhooks', 'answered 500', 1],
  ]);
  expect(await replayDead({ pool, redis: engine.redis }, NOON + 1, NOON)).toEqual({
    entries: 1,
    webhooks: 0,
    notifications: 0,
  });
  expect(await replayDead({ pool, redis: engine.redis }, NOON, NOON)).toEqual({
    entries: 0,
    webhooks: 1,
    notifications: 1,
  });
  await drain();
  expect(await rowsOf('event_history')).toHaveLength(1);
  expect(await rowsOf('dead_entries')).toEqual([]);
  expect(await listDead(pool)).toEqual({ entries: [], deliveries: [] });
  expect(await rowsOf('webhook_deliveries')).toMatchObject([
    { status: 'pending', attempts: 0, reason: null },
  ]);
});

describe('the command', () => {
  test('lists what was put aside as JSON, and replays it', async () => {
    const { drain, rowsOf } = relaying;
    const { cell, entryId } = await putAside();
    const listed = await runDead('list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      entries: [{ cell, entryId, reason: 'nobody knows' }],
      deliveries: [
        { channel: 'email', reason: 'refused', count: 1 },
        { channel: 'webhooks', reason: 'answered 500', count: 1 },
      ],
    });
    const later = await runDeadHere(['replay', '--since', '2026-11-18T12:00:01Z']);
    expect(JSON.parse(later.stdout)).toEqual({ entries: 1, webhooks: 0, notifications: 0 });
    const all = await runDeadHere(['replay']);
    expect(JSON.parse(all.stdout)).toEqual({ entries: 0, webhooks: 1, notifications: 1 });
    await drain();
    expect(await rowsOf('event_history')).toHaveLength(1);
    expect(JSON.parse((await runDeadHere(['list'])).stdout)).toEqual({ entries: [], deliveries: [] });
  });

  test('ends with 1 and says that an instant is wrong', async () => {
    expect(await runDead('replay', '--since', 'yesterday')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('laurel: --since must be an instant such as'),
    });
  });

  test.each<[string[], Record<string, string>, string]>([
    [[], {}, 'Usage: laurel dead'],
    [['bury'], {}, "unknown command 'bury'"],
    [['list', 'all'], {}, 'too many arguments'],
    [['replay', '--sinse', '2026-11-18'], {}, "unknown option '--sinse'"],
    [['list'], { REDIS_URL: '', LAUREL_DATA_DIR: '/missing' }, 'REDIS_URL and DATABASE_URL must be set'],
    [['list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'ECONNREFUSED'],
  ])('%j with %j ends with 1 and says why', async (args, env, message) => {
    const ended = await runDeadHere(args, env);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(message);
  });
});
