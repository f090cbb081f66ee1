import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool } from '../../src/db/pool.ts';
import { createWebhook, whenDelivered } from '../load/reported.ts';
import { BATCHES_PATH, batchBody } from '../load/traffic.ts';
import { startWebhookReceiver } from '../load/webhookReceiver.ts';
import type { Group, Scenario } from '../scenario.ts';
import type { Target } from '../target.ts';
import { eventsBesideWorker } from './besideWorker.ts';
import { usualEvents } from './requests.ts';

const GROUP: Group = { name: 'notifications', servers: 1 };
const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];
const TEMPLATES = '/admin/v1/notifications/templates';
/** Events whose users have made their first changes before. A round of two seconds does not reach further. */
const EVENTS_BEFORE = 50_000;

/**
 * First changes of users are reported at once, further ones after 15 minutes. The users of a round have made
 * their first changes before, so it makes few deliveries.
 */
export const notifications: Scenario = {
  name: 'notifications',
  title: 'the same with all notifications and webhooks',
  measures:
    'full events beside a worker, with active templates of all types of notifications for both channels, and a webhook with all types of events, after the first changes of the users have been delivered',
  group: GROUP,
  isRemote: false,
  setUp: async (target) => {
    const receiver = await startWebhookReceiver();
    const webhook = await createWebhook(target, receiver.url);
    const templates = await createTemplates(target);
    const setStatus = async (status: 'active' | 'inactive'): Promise<void> => {
      await target.call('PATCH', '/admin/v1/webhooks', JSON.stringify([{ id: webhook, status }]));
      await target.call('PATCH', TEMPLATES, JSON.stringify(templates.map((id) => ({ id, status }))));
    };
    const pool = createPool(target.bench.databaseUrl, createLog('bench', 'warn'));
    const running = await eventsBesideWorker(target);
    await recordFirstChanges(target);
    return {
      ...running,
      begin: async () => {
        await setStatus('active');
        await running.begin?.();
        await whenDelivered(pool);
      },
      end: async () => {
        await running.end?.();
        await setStatus('inactive');
      },
      close: async () => {
        await running.close?.();
        await pool.end();
        receiver.close();
      },
    };
  },
};

/** Takes turns with `notifications`, for the same users. */
export const noNotifications: Scenario = {
  name: 'no-notifications',
  title: 'for comparison, the same users without them',
  measures: 'the events of `notifications`, while templates and webhook are inactive',
  group: GROUP,
  isRemote: false,
  setUp: eventsBesideWorker,
};

async function createTemplates(target: Target): Promise<string[]> {
  const templates = TYPES.flatMap((type) =>
    ['email', 'push'].map((channel) => ({ name: `${type} ${channel}`, type, channel, status: 'active' })),
  );
  const { created } = (await target.call('POST', TEMPLATES, JSON.stringify(templates))) as {
    created: { id: string }[];
  };
  return created.map(({ id }) => id);
}

async function recordFirstChanges(target: Target): Promise<void> {
  const { users } = await usualEvents(target);
  const waiting = [...new Set(users.subarray(0, EVENTS_BEFORE))];
  while (waiting.length > 0) {
    const some = waiting.splice(0, BATCH_EVENTS_MAX);
    await target.call('POST', BATCHES_PATH, batchBody(target.prefix, some));
    for (const user of some) target.ledger.addEvent(user);
  }
}
