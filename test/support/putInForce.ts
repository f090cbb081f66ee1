import { expect } from 'vitest';
import type { Json } from './reading.ts';
import type { Reply } from './server.ts';
import { until } from './until.ts';

type Admin = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** Puts a configuration in force, and waits until it has been applied to what users did before. */
export async function putInForce(admin: Admin, config: object): Promise<void> {
  const { status, body } = await admin('PUT', '/config', config);
  expect(status, JSON.stringify(body)).toBe(200);
  await until(async () => {
    const all: Json[] = (await admin('GET', '/activations?limit=100')).body;
    return all.every((one) => one.status === 'finished');
  });
}
