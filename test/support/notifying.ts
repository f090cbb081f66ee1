import { afterAll } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import {
  type DeliveryRows,
  instantsOfDeliveries,
  noDeliveryRows,
  writeDeliveries,
} from '../../src/db/deliveries/writeDeliveries.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { transaction } from '../../src/db/pool.ts';
import { DeliveryJobs } from '../../workers/jobs/deliveryJobs.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { type MailServer, startMailServer } from './mailServer.ts';
import { type PushService, startPushService } from './pushService.ts';
import { runServer, ServerUnderTest } from './useServer.ts';

export const PUBLIC_URL = 'https://laurel.example';

/** A server with a mail server and a push service of the test's own. Its worker is started by the test. */
class NotifyingServer extends ServerUnderTest {
  mail!: MailServer;
  push!: PushService;

  /** Writes notifications and announces those that are due, as the relay does. */
  readonly write = async (notifications: DeliveryRows['notificationDeliveries']): Promise<void> => {
    const log = createLog('test', 'silent');
    const rows = noDeliveryRows();
    rows.notificationDeliveries.push(...notifications);
    await new Partitions(this.pool).ensure('day', instantsOfDeliveries(rows));
    await transaction(this.pool, (client) => writeDeliveries(client, rows));
    const jobs = new Jobs(this.redis, log);
    new DeliveryJobs(jobs, this.clock, log).createDue(rows);
    await jobs.stop();
  };
}

export function useNotifying(config: string): NotifyingServer {
  const server = new NotifyingServer();
  afterAll(() => Promise.all([server.mail?.close(), server.push?.close()]));
  return runServer(server, async () => {
    const [mail, push] = await Promise.all([startMailServer(), startPushService()]);
    Object.assign(server, { mail, push });
    const env = {
      LAUREL_PUBLIC_URL: PUBLIC_URL,
      LAUREL_MAIL_FROM: 'Sprachraum <hello@laurel.example>',
      SMTP_URL: mail.url,
      FCM_SERVICE_ACCOUNT: JSON.stringify(push.account),
      FCM_ENDPOINT: push.endpoint,
    };
    return { config, env };
  });
}
