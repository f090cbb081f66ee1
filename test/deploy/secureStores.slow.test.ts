import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { unsafeSettings } from '../../src/redis/connection/safety.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { freePort } from '../support/installation.ts';
import { PostgresNode } from '../support/postgresNode.ts';
import { RedisNode } from '../support/redisNode.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * Stores that accept only TLS with a certificate of their own authority, and a user of Redis with the rights
 * of docs/operations.md.
 */
const HBA = ['local all all trust', 'hostssl all all 127.0.0.1/32 scram-sha-256'].join('\n');
const silent = createLog('test', 'silent');

const home = useDirectory();
let own: Certificates;
let foreign: Certificates;
beforeAll(async () => {
  own = await createCertificates(home, 'own');
  foreign = await createCertificates(home, 'foreign');
});

/** The rights that the documentation recommends. */
function documentedRights(): string {
  const text = readFileSync(join(packageRoot(), 'docs', 'operations.md'), 'utf8');
  return /^user laurel on (?:>\S+ )(.+)$/m.exec(text)![1]!;
}

const tlsOf = ({ ca, cert, key }: Certificates): Record<string, string> => ({
  'tls-cert-file': cert,
  'tls-key-file': key,
  'tls-ca-cert-file': ca,
});
const filesOf = ({ ca, cert, key }: Certificates): string =>
  `sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;

async function ping(url: string): Promise<string> {
  const redis = connectRedis(url, silent);
  try {
    const failed = new Promise<never>((_, reject) => redis.once('error', reject));
    await Promise.race([whenReady(redis), failed]);
    return await redis.ping();
  } finally {
    redis.disconnect();
  }
}

describe('with TLS and a user of Redis', () => {
  let node: RedisNode;
  let postgres: PostgresNode;
  let redisUrl: string;
  let databaseUrl: string;
  let host: string;
  let server: TestServer;
  let worker: RunningWorker;
  let pool: Pool;

  beforeAll(async () => {
    const port = await freePort();
    host = `127.0.0.1:${port}`;
    node = await RedisNode.start(home, {
      ...tlsOf(own),
      'tls-port': String(port),
      appendfsync: 'always',
    });
    await node.call('ACL', 'SETUSER', 'laurel', 'on', '>secret', ...documentedRights().split(' '));
    redisUrl = `rediss://laurel:secret@${host}?${filesOf(own)}`;
    postgres = await PostgresNode.start(
      { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' },
      {
        'server.crt': readFileSync(own.cert, 'utf8'),
        'server.key': readFileSync(own.key, 'utf8'),
        'pg_hba.conf': HBA,
      },
      `sslmode=verify-full&sslrootcert=${own.ca}`,
    );
    await postgres.query('create database laurel');
    databaseUrl = postgres.url('laurel');
    pool = createPool(databaseUrl, silent);
    await migrate(pool, START_MS, silent);
    server = await startTestServer({
      redis: { url: redisUrl, stop: () => node.kill() },
      database: { url: databaseUrl, drop: async () => {} },
    });
    worker = await startWorker({ ...readEnv({ LAUREL_TEST_CLOCK: '1' }), redisUrl, databaseUrl }, silent);
  });
  afterAll(async () => {
    await worker?.stop();
    await pool?.end();
    await server?.stop();
    await postgres?.remove();
  });

  test('Redis is refused without the certificate of its authority, and with the one of another', async () => {
    expect(await ping(redisUrl)).toBe('PONG');
    const login = `rediss://laurel:secret@${host}`;
    await expect(ping(login)).rejects.toThrow(/certificate/);
    await expect(ping(`${login}?${filesOf(foreign)}`)).rejects.toThrow(/certificate/);
  });

  test('PostgreSQL is refused without the certificate of its authority, and with the one of another', async () => {
    const [url] = databaseUrl.split('?');
    for (const parameters of ['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${foreign.ca}`]) {
      const refused = createPool(`${url}?${parameters}`, silent);
      await expect(refused.query('select')).rejects.toThrow(/certificate/);
      await refused.end();
    }
    const several = createPool(databaseUrl.replace('@', `@127.0.0.1:${await freePort()},`), silent);
    expect((await several.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await several.end();
  });

  test('the user of Redis reads the settings, and may not empty Redis, change its settings or read keys of others', async () => {
    const redis = connectRedis(redisUrl, silent);
    await whenReady(redis);
    expect(await unsafeSettings(redis)).toEqual([]);
    await expect(redis.flushall()).rejects.toThrow('NOPERM');
    await expect(redis.config('SET', 'maxmemory', '1mb')).rejects.toThrow('NOPERM');
    await expect(redis.keys('*')).rejects.toThrow('NOPERM');
    await expect(redis.get('other')).rejects.toThrow('NOPERM');
    await expect(redis.publish('other', '')).rejects.toThrow('NOPERM');
    redis.disconnect();
  });

  test('events, changes, history, the test clock, jobs, erasures and a restore work', async () => {
    const user = { id: 'ann', tz: 'UTC', email: 'ann@example.com' };
    for (const value of [1, 2]) {
      const reply = await server.call(
        'POST',
        '/v1/metrics/words/event',
        { user, value },
        { 'Idempotency-Key': `${value}` },
      );
      expect(reply.status).toBe(201);
    }
    expect((await server.call('PATCH', '/v1/users/ann', { name: 'Ann' })).status).toBe(200);
    await server.call('POST', '/v1/metrics/words/event', { user: { id: 'bo' }, value: 5 });
    expect((await server.call('DELETE', '/admin/v1/users/bo')).status).toBeLessThan(300);
    const moved = await server.call('POST', '/admin/v1/test-clock', {
      now: new Date(START_MS + 9 * 86_400_000).toISOString(),
    });
    expect(moved.status).toBe(200);
    const path =
      '/v1/users/ann/metrics/words/event-summary?aggregation=monthly&startDate=2026-10-01&endDate=2026-12-31';
    const sum = (await server.call('GET', path)).body.reduce(
      (all: number, { change }: { change: number }) => all + change,
      0,
    );
    expect(sum).toBe(3);
    // Workers have run schedules: a failed job would be kept.
    await expect
      .poll(async () => (await server.call('GET', '/metrics')).body)
      .toMatch(/laurel_jobs\{queue="schedules",state="failed"\} 0/);
    const refused = (await node.call('ACL', 'LOG')) as unknown[][];
    const ours = refused
      .map((entry) => entry.map(String))
      .filter((entry) => !/flushall|config|keys|other/.test(entry.join(' ')));
    expect(ours).toEqual([]);

    const redis = connectRedis(redisUrl, silent);
    await whenReady(redis);
    const options = { pool, redis, progress: noProgress, now: START_MS, replace: true, testClock: true };
    expect(await restore(options)).toMatchObject({ users: 1 });
    redis.disconnect();
    await until(async () => (await server.call('GET', '/v1/users/ann/metrics/words')).body.current === 3);
  });
});

describe('Sentinels with TLS and passwords', () => {
  let nodes: RedisNode[] = [];
  afterAll(() => Promise.all(nodes.map((node) => node.kill())));

  test('name the primary', async () => {
    const [primaryPort, sentinelPort] = [await freePort(), await freePort()];
    const tls = { ...tlsOf(own), 'tls-replication': 'yes' };
    const primary = await RedisNode.start(home, {
      ...tls,
      'tls-port': String(primaryPort),
    });
    await primary.call('ACL', 'SETUSER', 'laurel', 'on', '>secret', '~*', '&*', '+@all');
    nodes = [primary];
    const lines = [
      ...Object.entries(tls).map(([name, value]) => `${name} ${value}`),
      `tls-port ${sentinelPort}`,
      'user laurel on >hidden +@all &*',
      `sentinel monitor main 127.0.0.1 ${primaryPort} 1`,
    ];
    nodes.push(await RedisNode.startSentinel(home, lines));
    const login = 'sentinel_username=laurel&sentinel_password=hidden';
    const url = `rediss+sentinel://laurel:secret@127.0.0.1:${sentinelPort}/main?${filesOf(own)}`;
    await until(async () => (await ping(`${url}&${login}`)) === 'PONG');
    await expect(ping(`${url}&${login.replace('hidden', 'wrong')}`)).rejects.toThrow();
  });
});
