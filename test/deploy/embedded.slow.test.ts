import { fork } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { readEnv } from '../../src/base/env.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { lockDataDir, openDataDir, socketDirectory } from '../../src/embedded/dataDir.ts';
import type { EmbeddedService } from '../../src/embedded/embeddedService.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { REDIS_SETTINGS, redisArguments, startRedis } from '../../src/embedded/redis.ts';
import { type StoreUrls, supervise } from '../../src/embedded/supervisor.ts';
import { until } from '../support/until.ts';

const log = pino({ level: 'silent' });
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function temporaryDirectory(): Promise<string> {
  const directory = realpathSync(await mkdtemp(join(tmpdir(), 'laurel-test-')));
  cleanUps.push(async () => {
    await removeSockets(join(directory, 'data'));
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

const socketsOf = (dataDir: string, service: string) =>
  readFileSync(join(dataDir, `${service}.sockets`), 'utf8');

async function removeSockets(dataDir: string): Promise<void> {
  for (const service of ['redis', 'postgres']) {
    if (!existsSync(join(dataDir, `${service}.sockets`))) continue;
    await rm(socketsOf(dataDir, service), { recursive: true, force: true });
  }
}

async function startBoth(dataDir: string): Promise<{ redis: EmbeddedService; postgres: EmbeddedService }> {
  const start = async (starter: typeof startRedis) => {
    const service = await starter({ dataDir, log });
    cleanUps.push(() => service.stop());
    return service;
  };
  const [redis, postgres] = await Promise.all([start(startRedis), start(startPostgres)]);
  return { redis, postgres };
}

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function writeTo({ redisUrl, databaseUrl }: StoreUrls): Promise<void> {
  await withRedis(redisUrl, (redis) => redis.set('word', 'laurel'));
  await query(databaseUrl, `CREATE TABLE words AS SELECT 'laurel' AS word`);
}

async function expectWritten({ redisUrl, databaseUrl }: StoreUrls): Promise<void> {
  expect(await withRedis(redisUrl, (redis) => redis.get('word'))).toBe('laurel');
  expect(await query(databaseUrl, 'SELECT word FROM words')).toEqual([{ word: 'laurel' }]);
}

function urls({ redis, postgres }: { redis: EmbeddedService; postgres: EmbeddedService }): StoreUrls {
  return { redisUrl: redis.url, databaseUrl: postgres.url };
}

test('a second start finds the data of the first, at the same URLs', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const first = await startBoth(dataDir);
  await writeTo(urls(first));
  await Promise.all([first.redis.stop(), first.postgres.stop()]);
  expect(await first.redis.exited).toBe('code 0');
  expect(await first.postgres.exited).toBe('code 0');

  const second = await startBoth(dataDir);
  expect(urls(second)).toEqual(urls(first));
  await expectWritten(urls(second));
});

test('the stores write durably, listen on their sockets only, and sort by code point', async () => {
  const { redis, postgres } = await startBoth(join(await temporaryDirectory(), 'data'));
  const settings = await withRedis(redis.url, (client) =>
    client.config('GET', 'port', 'appendonly', 'appendfsync', 'maxmemory-policy', 'save'),
  );
  expect(Object.fromEntries(pairs(settings as string[]))).toEqual({
    port: '0',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    save: '',
  });
  const [row] = await query(
    postgres.url,
    `SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS tcp, current_user AS user,
            current_setting('server_encoding') AS encoding, 'Z' < 'a' AS by_code_point, lower('Ä') AS lower`,
  );
  expect(row).toEqual({
    fsync: 'on',
    tcp: '',
    user: 'laurel',
    encoding: 'UTF8',
    by_code_point: true,
    lower: 'ä',
  });
});

test('docker-compose.yml gives its Redis the same settings', () => {
  const { services } = parse(readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8'));
  const command: string[] = services.redis.command
    .split(/\s+/)
    .map((word: string) => (word === '""' ? '' : word));
  // The embedded Redis needs neither: only this machine reaches it, and it uses what memory there is.
  const {
    '--maxmemory': memory,
    '--requirepass': password,
    ...settings
  } = Object.fromEntries(pairs(command.slice(1)));
  expect(memory).toContain('REDIS_MAXMEMORY');
  expect(password).toContain('REDIS_PASSWORD');
  expect(settings).toEqual(Object.fromEntries(pairs(redisArguments(REDIS_SETTINGS))));
});

function pairs(flat: string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}

test('everything that was answered survives kill -9 of both', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const first = await startBoth(dataDir);
  await writeTo(urls(first));
  process.kill(first.redis.pid, 'SIGKILL');
  process.kill(first.postgres.pid, 'SIGKILL');
  // At once: PostgreSQL's children may still be there.
  await expectWritten(urls(await startBoth(dataDir)));
  expect(await first.redis.exited).toBe('SIGKILL');
  expect(await first.postgres.exited).toBe('SIGKILL');
});

test('processes that an earlier run left are stopped in order and replaced', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const first = await startBoth(dataDir);
  await writeTo(urls(first));
  // A client that stays connected does not hold up the takeover.
  const client = new pg.Client({ connectionString: first.postgres.url });
  client.on('error', () => {});
  await client.connect();

  const second = await startBoth(dataDir);
  expect(await first.redis.exited).toBe('code 0');
  expect(await first.postgres.exited).toBe('code 0');
  expect(second.redis.pid).not.toBe(first.redis.pid);
  expect(second.postgres.pid).not.toBe(first.postgres.pid);
  await expectWritten(urls(second));
});

test('an incomplete database is created again, and a pid file of another process is removed', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const draft = join(dataDir, 'postgres.initdb-x1y2z3');
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'PG_VERSION'), '18\n');
  const first = await startBoth(dataDir);
  expect(existsSync(draft)).toBe(false);
  await writeTo(urls(first));
  process.kill(first.postgres.pid, 'SIGKILL');
  await first.postgres.exited;
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(process.pid)));
  await expectWritten(urls(await startBoth(dataDir)));
});

test('a data directory may have a long path, with spaces and quotes', async () => {
  const deep = Array.from({ length: 8 }, (_, i) => `level ${i} of "several" that isn't short`);
  const dataDir = join(await temporaryDirectory(), 'data', ...deep);
  expect(dataDir.length).toBeGreaterThan(250);
  cleanUps.push(() => removeSockets(dataDir));
  const first = await startBoth(dataDir);
  await writeTo(urls(first));
  process.kill(first.redis.pid, 'SIGKILL');
  await expectWritten(urls(await startBoth(dataDir)));
});

test('a socket directory of another user is left alone', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const first = await startBoth(dataDir);
  await Promise.all([first.redis.stop(), first.postgres.stop()]);
  const taken = socketsOf(dataDir, 'redis');
  chmodSync(taken, 0o777);
  const second = await startBoth(dataDir);
  expect(socketsOf(dataDir, 'redis')).not.toBe(taken);
  expect(second.redis.url.startsWith(taken)).toBe(false);
  await rm(taken, { recursive: true });
});

test('a copy of a data directory does not take the sockets of its original', async () => {
  const directory = await temporaryDirectory();
  const original = await openDataDir(join(directory, 'data'));
  const copy = await openDataDir(join(directory, 'copy'));
  const owner = { uid: process.geteuid!(), gid: process.getegid!() };
  const sockets = await socketDirectory(original, 'redis', owner);
  writeFileSync(join(copy.path, 'redis.sockets'), sockets);
  const ofCopy = await socketDirectory(copy, 'redis', owner);
  cleanUps.push(() => rm(ofCopy, { recursive: true }));
  expect(ofCopy).not.toBe(sockets);
  expect(await socketDirectory(original, 'redis', owner)).toBe(sockets);
});

/** The file that Redis appends to. */
function appendOnlyFile(dataDir: string): string {
  const directory = join(dataDir, 'redis', 'appendonlydir');
  return join(directory, readdirSync(directory).find((name) => name.endsWith('.incr.aof'))!);
}

async function startAndKillRedis(dataDir: string): Promise<void> {
  const redis = await startRedis({ dataDir, log });
  await withRedis(redis.url, (client) => client.set('word', 'laurel'));
  process.kill(redis.pid, 'SIGKILL');
  await redis.exited;
}

test('an append-only file with zeros at its end, as a crash of the machine leaves it, is repaired beside a copy', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  await startAndKillRedis(dataDir);
  const file = appendOnlyFile(dataDir);
  const [sound, damaged] = [readFileSync(file), Buffer.concat([readFileSync(file), Buffer.alloc(100_000)])];
  writeFileSync(file, damaged);
  const warn = vi.fn();
  const redis = await startRedis({ dataDir, log: Object.assign(Object.create(log), { warn }) });
  cleanUps.push(() => redis.stop());
  expect(await withRedis(redis.url, (client) => client.get('word'))).toBe('laurel');
  expect(readFileSync(file).subarray(0, sound.length)).toEqual(sound);
  expect(warn.mock.calls.at(-1)![1]).toMatch(/removed 100000 zero bytes/);
  const copy = readdirSync(join(dataDir, 'redis')).find((name) => name.includes('damaged'))!;
  expect(readFileSync(join(dataDir, 'redis', copy))).toEqual(damaged);
});

test('an append-only file that is damaged in its middle refuses the start and says what to do', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  await startAndKillRedis(dataDir);
  const file = appendOnlyFile(dataDir);
  writeFileSync(file, readFileSync(file).fill('x', 10, 40));
  await expect(startRedis({ dataDir, log })).rejects.toThrow(/redis-check-aof.*laurel restore/s);
});

test('a start that is cancelled stops what it started', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  await Promise.all(
    [startRedis, startPostgres].map((start) =>
      expect(start({ dataDir, log, signal: AbortSignal.abort() })).rejects.toThrow(),
    ),
  );
  await startBoth(dataDir);
});

test('only one supervisor at a time', async () => {
  const dataDir = await openDataDir(join(await temporaryDirectory(), 'data'));
  const unlock = await lockDataDir(dataDir);
  const refusal = `another laurel (pid ${process.pid}) runs on ${dataDir.path}`;
  await expect(lockDataDir(dataDir)).rejects.toThrow(refusal);
  await unlock();
  const unlockAgain = await lockDataDir(dataDir);
  await unlockAgain();
});

/** A role: tells when it started and stopped, and fails where it is told to. */
const ROLE = `
import { appendFileSync, existsSync } from 'node:fs';
const [role] = process.argv.slice(2);
const tell = (what) => appendFileSync(process.env.DIARY, role + ' ' + what + ' ' + process.pid + '\\n');
if (existsSync(process.env.DIARY + '.fail-' + role)) process.exit(3);
process.on('SIGTERM', () => { tell('stopped'); process.exit(0); });
process.on('disconnect', () => process.exit(0));
tell('started');
process.send({ ready: true, url: 'http://' + role });
`;

async function supervised(directory: string) {
  const diary = join(directory, 'diary');
  const script = join(directory, 'role.mjs');
  writeFileSync(diary, '');
  writeFileSync(script, ROLE);
  vi.stubEnv('DIARY', diary);
  const argv = process.argv;
  process.argv = [argv[0]!, script];
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  cleanUps.push(async () => {
    process.argv = argv;
    exit.mockRestore();
    vi.unstubAllEnvs();
  });
  const told = () => readFileSync(diary, 'utf8').split('\n').filter(Boolean);
  return { diary, exit, told, env: readEnv({ LAUREL_DATA_DIR: join(directory, 'data') }) };
}

test('the supervisor runs all four parts, restarts a part that ends, and stops them in order', async () => {
  const { env, exit, told } = await supervised(await temporaryDirectory());
  const prepare = vi.fn(writeTo);
  const onReady = vi.fn();
  const end = supervise({ env, log, prepare, onReady });
  await until(() => onReady.mock.calls.length === 1 || Promise.race([end, false]));
  expect(onReady.mock.calls[0]![0]).toMatchObject({ url: 'http://server' });
  const stores = prepare.mock.calls[0]![0];

  const pidOf = (line: string) => Number(line.split(' ')[2]);
  for (const role of ['server', 'worker']) {
    process.kill(pidOf(told().find((line) => line.startsWith(role))!), 'SIGKILL');
    await until(() => told().filter((line) => line.startsWith(`${role} started`)).length === 2);
  }
  const redisPid = await withRedis(stores.redisUrl, (redis) => redis.info('server'));
  process.kill(Number(/process_id:(\d+)/.exec(redisPid)![1]), 'SIGKILL');
  process.kill(
    Number.parseInt(readFileSync(join(env.dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
    'SIGKILL',
  );
  await until(() => expectWritten(stores).then(() => true));

  process.emit('SIGTERM');
  // The same keypress, delivered twice.
  process.emit('SIGINT');
  await end;
  expect(exit.mock.calls).toEqual([[0]]);
  expect(
    told()
      .slice(-2)
      .map((line) => line.replace(/ \d+$/, '')),
  ).toEqual(['server stopped', 'worker stopped']);
  await expect(expectWritten(stores)).rejects.toThrow();
});

test('roles that outlive their supervisor are stopped before the next run starts new ones', async () => {
  const { env, told } = await supervised(await temporaryDirectory());
  const { tag } = await openDataDir(env.dataDir);
  // As after kill -9 of the supervisor, of a role that is slow to notice.
  const orphan = fork(process.argv[1]!, ['server'], { execArgv: [`--title=${tag} server`] });
  await until(() => told().length === 1);
  const onReady = vi.fn();
  const end = supervise({ env, log, prepare: async () => {}, onReady });
  await until(() => onReady.mock.calls.length === 1);
  process.emit('SIGTERM');
  await end;
  expect(told().slice(0, 2)).toEqual([`server started ${orphan.pid}`, `server stopped ${orphan.pid}`]);
});

test('a supervisor whose first start fails stops all parts and says why', async () => {
  const { env, diary } = await supervised(await temporaryDirectory());
  writeFileSync(`${diary}.fail-server`, '');
  let stores: StoreUrls | undefined;
  const prepare = async (urls: StoreUrls) => {
    stores = urls;
    await writeTo(urls);
  };
  await expect(supervise({ env, log, prepare, onReady: () => {} })).rejects.toThrow('server ended (code 3)');
  await expect(expectWritten(stores!)).rejects.toThrow();
  const unlock = await lockDataDir(await openDataDir(env.dataDir));
  await unlock();
});
