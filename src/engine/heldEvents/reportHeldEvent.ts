import { noDeliveryRows, writeDeliveries } from '../../db/deliveries/writeDeliveries.ts';
import type { HeldEventRow } from '../../db/history/heldEventRows.ts';
import { ensurePartition } from '../../db/partitions.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { Rules } from '../../rules/rules.ts';
import { webhookRows } from '../webhooks/webhookRows.ts';
import { heldEventView } from './heldEventView.ts';

/** Tells webhooks of a held event, in the transaction that changes it. `now`: ms. */
export async function reportHeldEvent(
  client: PoolClient,
  rules: Rules,
  row: HeldEventRow,
  now: number,
): Promise<void> {
  const { userId, status, eventId } = row;
  if (status === 'expired' || status === 'approving') return;
  const webhookDeliveries = webhookRows(
    rules,
    { type: `event.${status}`, at: now, userId, ids: [eventId] },
    () => ({ timestamp: new Date(now).toISOString(), heldEvent: heldEventView(rules, row) }),
  );
  if (webhookDeliveries.length === 0) return;
  await ensurePartition(client, 'day', now);
  await writeDeliveries(client, { ...noDeliveryRows(), webhookDeliveries });
}
