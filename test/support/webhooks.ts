import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { type RunningWorker, startWorker } from '../../workers/main.ts';
import type { Json } from './reading.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { API_KEY, createTenant, divideAccount, startTestServer, type TestServer } from './server.ts';
import { until } from './until.ts';

/** A server, a worker and a receiver; time stands still until a test moves it. */
export class WebhookTests {
  server!: TestServer;
  receiver!: Receiver;
  worker!: RunningWorker;
  /** Names the tenant of the test, if each test has its own. */
  headers: Record<string, string> = {};

  readonly call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const reply = await this.server.call(method, path, body, this.headers);
    expect([200, 201, 202], JSON.stringify(reply.body)).toContain(reply.status);
    return reply.body;
  };

  readonly createWebhook = async (path: string, events: readonly string[]): Promise<Json> => {
    const body = [{ name: path, url: this.receiver.url + path, events }];
    const { created } = await this.call('POST', '/admin/v1/webhooks', body);
    return created[0];
  };

  readonly record = (user: string | object, value = 1): Promise<Json> =>
    this.call('POST', '/v1/metrics/lessons/event', {
      user: typeof user === 'string' ? { id: user } : user,
      value,
    });

  readonly moveTo = (now: string): Promise<Json> =>
    this.call('POST', '/admin/v1/test-clock', { now, stopped: true });

  readonly deliveries = (id: string, query = ''): Promise<Json[]> =>
    this.call('GET', `/admin/v1/webhooks/${id}/deliveries?limit=100${query}`);

  /**
   * Starts a worker instead of the one that runs; what is done in between happens without a worker. Set by
   * useWebhooks.
   */
  restartWorker!: (between?: () => Promise<void>) => Promise<void>;

  /** The deliveries of a webhook once there are so many and none is pending. */
  readonly settled = (id: string, count: number): Promise<Json[]> =>
    until(async () => {
      const found = await this.deliveries(id);
      return found.length >= count && found.every(({ status }) => status !== 'pending') && found;
    }) as Promise<Json[]>;
}

export const NOW = '2026-03-04T12:07:00Z';

/** @param tenantEach whether each test has a tenant of its own */
export function useWebhooks(
  config: object,
  env: Record<string, string> = {},
  { tenantEach = false } = {},
): WebhookTests {
  const tests = new WebhookTests();
  const all = {
    LAUREL_TEST_CLOCK: '2026-03-04T12:00:00Z',
    LAUREL_CONFIG: 'none',
    LAUREL_WEBHOOK_ALLOW_PRIVATE: '1',
    ...env,
  };
  beforeAll(async () => {
    tests.receiver = await startReceiver();
    tests.server = await startTestServer({ env: all });
    const { redisUrl, databaseUrl } = tests.server;
    const settings = readEnv({ ...all, PORT: '0', HOST: '127.0.0.1', LAUREL_ADMIN_KEY: API_KEY });
    const start = () => startWorker({ ...settings, redisUrl, databaseUrl }, createLog('test', 'silent'));
    tests.worker = await start();
    tests.restartWorker = async (between) => {
      await tests.worker.stop();
      try {
        await between?.();
      } finally {
        tests.worker = await start();
      }
    };
    await tests.moveTo(NOW);
    if (tenantEach) await divideAccount(tests.server);
    else await tests.call('PUT', '/admin/v1/config', config);
  });
  let tenants = 0;
  beforeEach(async () => {
    if (!tenantEach) return;
    const tenant = `tenant-${++tenants}`;
    await createTenant(tests.server, tenant, config);
    tests.headers = { 'Tenant-ID': tenant };
  });
  afterAll(async () => {
    await tests.worker?.stop();
    await tests.server?.stop();
    await tests.receiver?.close();
  });
  return tests;
}
