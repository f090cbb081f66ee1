import { WEBHOOK_EVENTS } from '../../src/base/webhookEvents.ts';
import { startWebhookReceiver } from '../load/webhookReceiver.ts';
import type { Scenario } from '../scenario.ts';
import { besideWorker } from './besideWorker.ts';

const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];

export const notifications: Scenario = {
  name: 'notifications',
  title: 'the same with all notifications and webhooks',
  measures:
    'full events beside a worker, with active templates of all types of notifications for both channels, and a webhook with all types of events',
  group: { name: 'notifications', servers: 1 },
  isRemote: false,
  setUp: async (target) => {
    const templates = TYPES.flatMap((type) =>
      ['email', 'push'].map((channel) => ({ name: `${type} ${channel}`, type, channel, status: 'active' })),
    );
    await target.call('POST', '/admin/v1/notifications/templates', JSON.stringify(templates));
    const receiver = await startWebhookReceiver();
    const webhook = { name: 'All', url: receiver.url, events: WEBHOOK_EVENTS };
    await target.call('POST', '/admin/v1/webhooks', JSON.stringify([webhook]));
    const running = await besideWorker(target);
    return {
      ...running,
      close: async () => {
        await running.close?.();
        receiver.close();
      },
    };
  },
};
