import type { TestServer } from './server.ts';
import { until } from './until.ts';

/** Waits until the relay has moved everything to PostgreSQL that happened before. */
export async function untilRelayed({ call }: Pick<TestServer, 'call'>): Promise<void> {
  await until(async () => (await call('GET', '/admin/v1/status')).body.outbox.entries === 0);
}
