import { createLog } from '../../src/base/log.ts';
import { createPool } from '../../src/db/pool.ts';
import { createWebhook, whenDelivered } from '../load/reported.ts';
import { startWebhookReceiver } from '../load/webhookReceiver.ts';
import type { Scenario } from '../scenario.ts';
import { besideWorker } from './besideWorker.ts';

const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];

/**
 * Every round has the same users, so the warm-up makes their first changes. Until their next deliveries fall due, 15 minutes later, a
 * round makes few. The study `deliveries` measures what these cost.
 */
export const notifications: Scenario = {
  name: 'notifications',
  title: 'the same with all notifications and webhooks',
  measures:
    'full events beside a worker, with active templates of all types of notifications for both channels, and a webhook with all types of events, after the deliveries of the first changes of the users',
  group: { name: 'notifications', servers: 1 },
  isRemote: false,
  setUp: async (target) => {
    const templates = TYPES.flatMap((type) =>
      ['email', 'push'].map((channel) => ({ name: `${type} ${channel}`, type, channel, status: 'active' })),
    );
    await target.call('POST', '/admin/v1/notifications/templates', JSON.stringify(templates));
    const receiver = await startWebhookReceiver();
    await createWebhook(target, receiver.url);
    const pool = createPool(target.bench.databaseUrl, createLog('bench', 'warn'));
    const running = await besideWorker(target);
    return {
      ...running,
      begin: async () => {
        await running.begin?.();
        await whenDelivered(pool);
      },
      close: async () => {
        await running.close?.();
        await pool.end();
        receiver.close();
      },
    };
  },
};
