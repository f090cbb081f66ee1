import { expect, test } from 'vitest';
import { deliveryId, newId } from '../src/base/ids.ts';
import { noDeliveryRows, writeDeliveries } from '../src/db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../src/db/partitions.ts';
import { transaction } from '../src/db/pool.ts';
import { listDead, replayDead } from '../src/engine/dead.ts';
import { keys } from '../src/redis/keys.ts';
import { NOON, useRelaying } from './support/relaying.ts';

const relaying = useRelaying();

test('dead entries are relayed again, and failed deliveries sent again', async () => {
  const { pool, engine, drain, record, rowsOf } = relaying;
  await record('ann');
  const cell = (
    await Promise.all(Array.from({ length: engine.cells }, (_, i) => engine.redis.xlen(keys.outbox(i))))
  ).indexOf(1);
  const [[id, fields]] = (await engine.redis.xrangeBuffer(keys.outbox(cell), '-', '+')) as [[Buffer, Buffer[]]];
  await engine.redis.xdel(keys.outbox(cell), id);
  await pool.query(
    'insert into dead_entries (tenant, shard, entry_id, reason, fields, died_at) values ($1, $2, $3, $4, $5, $6)',
    [engine.tenant, cell, String(id), 'nobody knows', fields, new Date(NOON)],
  );
  const rows = noDeliveryRows();
  const delivery = { id: deliveryId(NOON, ['a']), createdAt: NOON, dueAt: NOON, tenant: engine.tenant, userId: 'ann' };
  rows.webhookDeliveries.push({ ...delivery, webhook: newId(), type: 'streak.lost', payload: '{}', facts: null });
  rows.notificationDeliveries.push({ ...delivery, channel: 'email', type: 'recap', facts: null });
  await transaction(pool, async (client) => {
    await ensurePartition(client, 'day', NOON);
    await writeDeliveries(client, rows);
    await client.query(`update webhook_deliveries set status = 'failed', reason = 'answered 500', attempts = 8`);
    await client.query(`update notification_deliveries set status = 'failed', reason = 'refused', attempts = 8`);
  });

  const { entries, deliveries } = await listDead(pool);
  expect(entries).toEqual([
    { tenant: engine.tenant, cell, entryId: String(id), reason: 'nobody knows', diedAt: new Date(NOON) },
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
  expect(await rowsOf('webhook_deliveries')).toMatchObject([{ status: 'pending', attempts: 0, reason: null }]);
  await pool.query('delete from webhook_deliveries; delete from notification_deliveries');
});
