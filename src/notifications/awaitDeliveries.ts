import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { listDueNotifications, listDueWebhooks } from '../db/deliveries/dueDeliveries.ts';
import type { Pool } from '../db/pool.ts';

const PAUSE_MS = 25;

/** Resolves when all deliveries that are due at `now` (ms) have been attempted, at the latest after `waitMsMax`. */
export async function awaitDeliveries(pool: Pool, now: number, waitMsMax: number): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  for (;;) {
    const due = await Promise.all([
      listDueNotifications(pool, 'email', now, 1),
      listDueNotifications(pool, 'push', now, 1),
      listDueWebhooks(pool, now, 1),
    ]);
    if (due.every((list) => list.length === 0) || monotonicMs() >= giveUpMs) return;
    await sleep(PAUSE_MS);
  }
}
