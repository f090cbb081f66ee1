import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import {
  type DeliveryRows,
  instantsOfDeliveries,
  noDeliveryRows,
  writeDeliveries,
} from '../../src/db/deliveries/writeDeliveries.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { DeliveryJobs } from '../../workers/jobs/deliveryJobs.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { type RunningWorker, startWorker } from '../../workers/main.ts';
import { type MailServer, startMailServer } from './mailServer.ts';
import { type PushService, startPushService } from './pushService.ts';
import { startTestServer, type TestServer } from './server.ts';
import { START } from './testTime.ts';

export const PUBLIC_URL = 'https://laurel.example';

/** A server and a worker, with a mail server and a push service of the test's own. */
export interface Notifying {
  server: TestServer;
  mail: MailServer;
  push: PushService;
  pool: Pool;
  env: Record<string, string>;
  startWorker(): Promise<RunningWorker>;
  /** Writes notifications and announces those that are due, as the relay does. */
  write(notifications: DeliveryRows['notificationDeliveries']): Promise<void>;
  stop(): Promise<void>;
}

export async function startNotifying(config: string): Promise<Notifying> {
  const [mail, push] = await Promise.all([startMailServer(), startPushService()]);
  const env = {
    LAUREL_TEST_CLOCK: START,
    LAUREL_PUBLIC_URL: PUBLIC_URL,
    LAUREL_MAIL_FROM: 'Sprachraum <hello@laurel.example>',
    SMTP_URL: mail.url,
    FCM_SERVICE_ACCOUNT: JSON.stringify(push.account),
    FCM_ENDPOINT: push.endpoint,
  };
  const server = await startTestServer({ config, env });
  const { redisUrl, databaseUrl } = server;
  const log = createLog('test', 'silent');
  const pool = createPool(databaseUrl, log);
  const redis = connectRedis(redisUrl, log);
  await whenReady(redis);
  const jobs = new Jobs(redis, log);
  const deliveries = new DeliveryJobs(jobs, server.clock, log);
  const workers = new Set<RunningWorker>();
  return {
    server,
    mail,
    push,
    pool,
    env: { ...env, REDIS_URL: redisUrl, DATABASE_URL: databaseUrl },
    startWorker: async () => {
      const worker = await startWorker({ ...readEnv(env), redisUrl, databaseUrl }, log);
      workers.add(worker);
      return worker;
    },
    write: async (notifications) => {
      const rows = noDeliveryRows();
      rows.notificationDeliveries.push(...notifications);
      await new Partitions(pool).ensure('day', instantsOfDeliveries(rows));
      await transaction(pool, (client) => writeDeliveries(client, rows));
      deliveries.createDue(rows);
    },
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await jobs.stop();
      await pool.end();
      await server.stop();
      await Promise.all([mail.close(), push.close()]);
    },
  };
}
