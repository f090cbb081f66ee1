import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { backUp, restoreBackup, verifyBackup } from '../../src/commands/backup/backup.ts';
import { check } from '../../src/commands/check/check.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import { listTables, readRows } from '../../src/db/wholeTables.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readRelayLag, waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { EVERY_KIND } from '../support/everyKind.ts';
import { emptyRedis } from '../support/redisData.ts';
import { until, WAIT_MS } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

const CELLS = { count: 4, spread: 1 };
const USERS = 20;
const NOW = Date.parse('2099-01-01');

const server = useServer({ config: EVERY_KIND, env: { LAUREL_CELLS: String(CELLS.count) }, relay: true });
let pool: Pool;
let redis: Redis;
const home = useDirectory();
let file: string;

beforeAll(async () => {
  ({ pool, redis } = server);
  for (let i = 0; i < USERS; i++) await record(`user-${i}`, `first-${i}`);
  await isRelayed();
});

beforeEach(() => {
  file = join(home, randomBytes(6).toString('hex'));
});

const isRelayed = () => until(async () => (await readRelayLag(redis, CELLS)).entries === 0);

async function record(id: string, key: string): Promise<number> {
  const user = { id, name: `Ñ "${id}",\n(x)\\`, attributes: { city: 'são paulo' } };
  const body = { user, value: 0.1, attributes: { device: 'tv' } };
  const { status } = await server.call('POST', '/v1/metrics/lessons/event', body, { 'Idempotency-Key': key });
  return status;
}

/** All rows of all tables, in any order, but those that a restore of Redis itself writes. */
const contents = (): Promise<Record<string, string[]>> =>
  transaction(pool, async (client) => {
    const found: Record<string, string[]> = {};
    for (const table of await listTables(client)) {
      found[table] = [];
      for await (const rows of readRows(client, table)) found[table].push(...rows);
      found[table].sort();
    }
    return found;
  });

/** The database, in sessions that can change nothing. */
function onlyReading(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  return url.href;
}

async function restoreAll(): Promise<void> {
  await verifyBackup(pool, file);
  await restoreBackup(pool, file, noProgress);
  await restore({ pool, redis, progress: noProgress, now: NOW, replace: true, testClock: true });
}

test('a restored backup has the same rows in all tables', async () => {
  await isRelayed();
  await foldRelayedStates(pool, { wait: true });
  const compared = await check({ pool, redis, progress: noProgress, all: true });
  const before = await contents();
  for (const table of [
    'users',
    'recorded_events',
    'user_activity',
    'leaderboard_changes',
    'challenge_steps',
    'api_keys',
  ])
    expect([table, before[table]!.length]).not.toEqual([table, 0]);
  expect(await backUp(pool, file, noProgress)).toBe(Object.values(before).flat().length);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await record('later', 'later')).toBe(201);
  await isRelayed();

  await verifyBackup(pool, file);
  await restoreBackup(pool, file, noProgress);
  expect(await contents()).toEqual(before);
  await restore({ pool, redis, progress: noProgress, now: NOW, replace: true, testClock: true });
  expect(await check({ pool, redis, progress: noProgress, all: true })).toEqual(compared);
});

test('a backup under load restores both stores as of one moment, after a loss of all data', async () => {
  const counted: string[] = [];
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; !isOver; i++) {
        const key = `${client}-${i}`;
        if ((await record(`user-${(client + i) % USERS}`, key)) === 201) counted.push(key);
      }
    }),
  );
  await until(() => counted.length > 50);
  const beforehand = [...counted];
  await waitForRelay(new Scripts(redis, CELLS), allCells(CELLS), WAIT_MS);
  await backUp(pool, file, noProgress);
  isOver = true;
  await load;
  await isRelayed();

  await transaction(pool, async (client) => {
    await client.query(`truncate ${(await listTables(client)).join(', ')}`);
  });
  await emptyRedis(redis);
  await restoreAll();
  await until(async () => (await server.call('GET', '/readyz')).status === 200);
  await isRelayed();
  // A state may contain an event whose history was still on its way at the moment of the backup, nothing else.
  const { users, counts } = await check({ pool, redis, progress: noProgress, all: true });
  expect(users).toBe(USERS);
  const sums = ['totals', 'points', 'rankings', 'achievements', 'counts'];
  expect(Object.keys(counts).filter((kind) => !sums.includes(kind))).toEqual([]);
  const { rows } = await pool.query(
    'select count(*)::int as count from recorded_events where fingerprint is not null',
  );
  expect(rows[0].count).toBeGreaterThanOrEqual(USERS + beforehand.length);
  // Events that were answered before the backup began are in it, and count once.
  for (const key of beforehand.slice(-5)) {
    const [client, i] = key.split('-').map(Number);
    expect(await record(`user-${(client! + i!) % USERS}`, key)).toBe(202);
  }
  expect(await record('user-1', 'new')).toBe(201);
});

test('a file that is no complete backup of this version is refused, and nothing changes', async () => {
  await backUp(pool, file, noProgress);
  const whole = await readFile(file);
  const lines = gunzipSync(whole).toString().trimEnd().split('\n');
  const [header, ...others] = lines;
  const files: [content: Buffer, error: RegExp][] = [
    [Buffer.from('not compressed'), /cannot be read/],
    [whole.subarray(0, whole.length - 100), /cannot be read/],
    [gzipSync(`${lines.slice(0, -1).join('\n')}\n`), /is incomplete/],
    [gzipSync(`${[header, ...others.slice(1)].join('\n')}\n`), /is incomplete/],
    [gzipSync('{}\n'), /is not a backup of laurel/],
    [gzipSync(''), /is incomplete/],
    [
      gzipSync(`${lines.join('\n').replace('001_schema.sql', '009_later.sql')}\n`),
      /has the schema 009_later.sql, not 001_schema.sql/,
    ],
  ];
  const readOnly = createPool(onlyReading(server.databaseUrl), createLog('test', 'silent'));
  onTestFinished(() => readOnly.end());
  await expect(readOnly.query('truncate users')).rejects.toThrow('read-only transaction');
  for (const [content, error] of files) {
    await writeFile(file, content);
    await expect(verifyBackup(readOnly, file)).rejects.toThrow(error);
  }
});

test('a file that exists is not overwritten, and a failed backup leaves none', async () => {
  await writeFile(file, 'theirs');
  await expect(backUp(pool, file, noProgress)).rejects.toThrow('EEXIST');
  expect(await readFile(file, 'utf8')).toBe('theirs');
  const failing = {
    ...noProgress,
    advance: () => {
      throw new Error('stopped');
    },
  };
  const other = `${file}-other`;
  await expect(backUp(pool, other, failing)).rejects.toThrow('stopped');
  await expect(stat(other)).rejects.toThrow('ENOENT');
  await expect(stat(`${other}.partial`)).rejects.toThrow('ENOENT');
});
