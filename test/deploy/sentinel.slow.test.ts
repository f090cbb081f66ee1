import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisNode } from '../support/redisNode.ts';
import { type RedisWithSentinels, startRedisWithSentinels } from '../support/redisSentinel.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('behind Sentinels', () => {
  let stores: RedisWithSentinels;
  let server: TestServer;

  beforeAll(async () => {
    stores = await startRedisWithSentinels(2);
    server = await startTestServer({ redis: stores, env: { LAUREL_REDIS_WAIT_REPLICAS: '1' } });
    await server.startRelay();
  });
  afterAll(() => server?.stop());

  const record = (key: string) =>
    server.call(
      'POST',
      '/v1/metrics/lessons/event',
      { user: { id: 'ann' }, value: 1 },
      { 'Idempotency-Key': key },
    );
  const counts = async (key: string): Promise<boolean> => [201, 202].includes((await record(key)).status);
  const total = async () => (await server.call('GET', '/v1/users/ann/metrics/lessons')).body.current;
  const isInHistory = (days: number) => async () => {
    const path =
      '/v1/users/ann/metrics/lessons/event-summary?aggregation=daily&startDate=2026-11-01&endDate=2026-11-30';
    const { body } = await server.call('GET', path);
    return body.reduce((sum: number, { change }: { change: number }) => sum + change, 0) === days;
  };

  /** The primary if all others are its replicas and have everything; else undefined. */
  const findCopiedPrimary = async (): Promise<RedisNode | undefined> => {
    for (const node of stores.nodes) {
      const [role, offset, replicas] = (await node.call('ROLE')) as [
        string,
        number,
        [string, string, string][],
      ];
      if (role !== 'master') continue;
      const isCopied =
        replicas.length === stores.nodes.length - 1 && replicas.every(([, , at]) => Number(at) >= offset);
      if (isCopied) return node;
    }
    return undefined;
  };

  test('events are recorded and relayed', async () => {
    // The replicas need a moment to copy the data set.
    await until(() => counts('one'));
    await until(isInHistory(1));
  });

  test('an event that no replica has is answered 503, and its repeat counts once', async () => {
    for (const replica of stores.nodes.slice(1)) replica.pause();
    expect((await record('alone')).status).toBe(503);
    expect((await record('alone')).status).toBe(503);
    for (const replica of stores.nodes.slice(1)) replica.resume();
    await until(async () => (await record('alone')).status === 202);
    expect(await total()).toBe(2);
  });

  test('a server and its relay follow a primary that is replaced', { timeout: 270_000 }, async () => {
    await stores.failover();
    await until(async () => ((await stores.nodes[0]!.call('ROLE')) as string[])[0] === 'slave');
    await until(() => counts('two'));
    await until(async () => (await total()) === 3);
    await until(isInHistory(3));
  });

  test('and one that dies', { timeout: 270_000 }, async () => {
    // Only what all replicas have survives whichever replica the Sentinels choose. The replaced primary still
    // copies the data set.
    let primary: RedisNode | undefined;
    await until(async () => (primary = await findCopiedPrimary()));
    await primary!.kill();
    expect((await record('three')).status).toBe(503);
    await until(() => counts('three'));
    await until(async () => (await total()) === 4);
    await until(isInHistory(4));
  });
});
