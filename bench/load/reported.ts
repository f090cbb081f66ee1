import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { WEBHOOK_EVENTS } from '../../src/contract/webhooks.ts';
import { listDueWebhooks } from '../../src/db/deliveries/dueDeliveries.ts';
import type { Target } from '../target.ts';

const POLL_MS = 50;

/** Configures a webhook with all types of events. @returns its id */
export async function createWebhook(target: Target, url: string): Promise<string> {
  const webhook = { name: 'All', url, events: WEBHOOK_EVENTS };
  const { created } = (await target.call('POST', '/admin/v1/webhooks', JSON.stringify([webhook]))) as {
    created: { id: string }[];
  };
  return created[0]!.id;
}

/** Resolves when no delivery to a webhook is due. */
export async function whenDelivered(pool: Pool): Promise<void> {
  while ((await listDueWebhooks(pool, systemClock.now(), 1)).length > 0) await sleep(POLL_MS);
}
