import type { Scenario } from '../scenario.ts';
import { besideWorker } from './besideWorker.ts';

const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];

export const notifications: Scenario = {
  name: 'notifications',
  title: 'the same with all notifications',
  measures: 'full events beside a worker, with active templates of all types of notifications for both channels',
  group: { name: 'notifications', servers: 1 },
  isRemote: false,
  setUp: async (target) => {
    const templates = TYPES.flatMap((type) =>
      ['email', 'push'].map((channel) => ({ name: `${type} ${channel}`, type, channel, status: 'active' })),
    );
    await target.call('POST', '/admin/v1/notifications/templates', JSON.stringify(templates));
    return besideWorker(target);
  },
};
