import { afterAll, beforeAll } from 'vitest';
import type { Json } from './reading.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { until } from './until.ts';
import { runServer, type ServerOptions, ServerUnderTest } from './useServer.ts';

/** A server with a worker and a receiver; time stands still until a test moves it. */
class WebhookServer extends ServerUnderTest {
  receiver!: Receiver;

  readonly createWebhook = (path: string, events: readonly string[]): Promise<Json> =>
    this.create('/webhooks', { name: path, url: this.receiver.url + path, events });

  readonly deliveries = (id: string, query = ''): Promise<Json[]> =>
    this.get(`/admin/v1/webhooks/${id}/deliveries?limit=100${query}`);

  /** The deliveries of a webhook once there are so many and none is pending. */
  readonly settled = (id: string, count: number): Promise<Json[]> =>
    until(async () => {
      const found = await this.deliveries(id);
      return found.length >= count && found.every(({ status }) => status !== 'pending') && found;
    }) as Promise<Json[]>;

  /** Starts a worker instead of the one that runs; what is done in between happens without a worker. */
  readonly restartWorker = async (between?: () => Promise<void>): Promise<void> => {
    await this.stopWorker();
    try {
      await between?.();
    } finally {
      await this.startWorker();
    }
  };
}

const NOW = '2026-03-04T12:07:00Z';

export function useWebhooks(config: object, { env, ...options }: ServerOptions = {}): WebhookServer {
  const server = new WebhookServer();
  beforeAll(async () => {
    server.receiver = await startReceiver();
  });
  afterAll(() => server.receiver?.close());
  const clock = { LAUREL_TEST_CLOCK: '2026-03-04T12:00:00Z', LAUREL_WEBHOOK_ALLOW_PRIVATE: '1' };
  return runServer(server, { config, now: NOW, worker: true, env: { ...clock, ...env }, ...options });
}
