import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
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
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await pool.end();
      await server.stop();
      await Promise.all([mail.close(), push.close()]);
    },
  };
}
