import { expect } from 'vitest';
import type { Reply, TestServer } from './server.ts';

export type Json = Reply['body'];
type Caller = Pick<TestServer, 'call'>;

/** Records an event that counts; answers what it changed. */
export async function record(
  server: Caller,
  user: object,
  value = 1,
  metric = 'lessons',
  attributes?: Record<string, string>,
): Promise<Json> {
  const reply = await server.call('POST', `/v1/metrics/${metric}/event`, { user, value, attributes });
  expect(reply).toMatchObject({ status: 201 });
  return reply.body;
}

/** Reads what is there. */
export async function read(server: Caller, path: string): Promise<Json> {
  const reply = await server.call('GET', `/v1${path}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
}

/**
 * Reads all items of a list, one a page.
 * @param path which ends with ? or &
 * @param items the field of a page that has them
 */
export async function walkPages(server: Caller, path: string, items: string): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply = await server.call('GET', `${path}limit=1${cursor && `&cursor=${cursor}`}`);
    expect(reply).toMatchObject({ status: 200 });
    found.push(...reply.body[items]);
    cursor = reply.body.cursor;
  }
  return found;
}

export async function moveClock(server: Caller, now: string): Promise<void> {
  expect(await server.call('POST', '/admin/v1/test-clock', { now })).toMatchObject({ status: 200 });
}
