import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { readEnv } from '../../src/base/env.ts';
import { readFence } from '../../src/db/history/relayFence.ts';
import { fixCells } from '../../src/db/installation.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { createPool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { readEntry } from '../../workers/relay/entryWriter.ts';
import { startWorker } from '../../workers/start/startWorker.ts';
import { createWriter, DEAD, type RelayStores, takeAndDie, writeAndDie } from '../support/deadRelay.ts';
import { isCluster } from '../support/redisKind.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

/** That nothing is lost and nothing is written twice, whatever happens to the relay and its stores. */
const relaying = useRelaying();
const { createRelay, drain, isDrained, record, rowsOf, history } = relaying;

const EVENTS = 60;

async function recordMany(): Promise<void> {
  for (let i = 0; i < EVENTS; i++) await record(`user-${i % 7}`, 1, `key-${i}`);
}

const countEvents = async (): Promise<number> => (await rowsOf('event_history')).length;

const stores = (): RelayStores => ({ ...relaying.engine, pool: relaying.pool });

async function pendingOf(consumer: string): Promise<number> {
  const { redis, cells } = relaying.engine;
  let pending = 0;
  for (let cell = 0; cell < cells.count; cell++) {
    pending += (await redis.xpending(keys.outbox(cell), 'relay', '-', '+', 1_000, consumer)).length;
  }
  return pending;
}

describe('several relays', () => {
  test('share the work', async () => {
    const [one, other] = [createRelay(), createRelay()];
    one.start();
    other.start();
    let events = 0;
    await until(async () => {
      await record('ann', 1, `key-${events++}`);
      return one.counts.entries > 0 && other.counts.entries > 0;
    });
    await until(isDrained);
    expect(await countEvents()).toBe(events);
    expect(one.counts.changes + other.counts.changes).toBe(events);
  });

  test('one takes over entries that another received and did not write', async () => {
    await recordMany();
    expect(await takeAndDie(relaying.engine)).toHaveLength(EVENTS);
    expect(await countEvents()).toBe(0);
    createRelay({ takeOverIdleMs: 1 }).start();
    await until(isDrained);
    expect(await countEvents()).toBe(EVENTS);
    expect(await pendingOf(DEAD)).toBe(0);
  });

  test('one leaves entries alone that another received just now', async () => {
    await recordMany();
    await takeAndDie(relaying.engine);
    await drain(createRelay({ takeOverIdleMs: 3_600_000 }));
    expect(await countEvents()).toBe(0);
    expect(await pendingOf(DEAD)).toBe(EVENTS);
  });

  test('one that dies between commit and acknowledgement leaves no duplicates', async () => {
    await recordMany();
    await writeAndDie(stores());
    const before = await history();
    expect(before.recorded_events).toHaveLength(EVENTS);

    const relay = createRelay({ takeOverIdleMs: 1 });
    await drain(relay);
    expect(relay.counts).toEqual({ entries: EVENTS, changes: EVENTS, deadEntries: 0, leftEntries: 0 });
    expect(await isDrained()).toBe(true);
    expect(await history()).toEqual(before);
  });

  test('the later change of a day wins in any order', async () => {
    await recordMany();
    const entries = (await takeAndDie(relaying.engine)).map(readEntry);
    const { pool, engine } = relaying;
    const writer = createWriter(stores());
    const fence = await readFence(pool);
    for (const entry of entries.toReversed()) await writer.write([entry], fence);
    const backwards = await rowsOf('leaderboard_changes', 'user_id');
    await pool.query('delete from leaderboard_changes where tenant = $1', [engine.tenant]);
    await writer.write(entries, fence);
    expect(await rowsOf('leaderboard_changes', 'user_id')).toEqual(backwards);
    expect(backwards).toHaveLength(7);
    expect(backwards).toContainEqual(
      expect.objectContaining({ user_id: 'user-0', value: 9, previous_rank: null }),
    );
  });

  test('one that stops writes its entries and leaves the consumer group', async () => {
    await recordMany();
    const relay = createRelay();
    relay.start();
    await until(() => relay.counts.entries > 0);
    await relay.stop();
    const consumers = await relaying.engine.redis.xinfo('CONSUMERS', keys.outbox(0), 'relay');
    expect(consumers).toEqual([]);
    await drain();
    expect(await countEvents()).toBe(EVENTS);
  });
});

test('entries that a read took after it was given up are written', async () => {
  const relay = createRelay({ takeOverIdleMs: 3_600_000 });
  await record('ann', 1, 'key');
  await drain(relay);
  const { redis, cells } = relaying.engine;
  const ofCells = allCells(cells).map((cell) => redis.xinfo('CONSUMERS', keys.outbox(cell), 'relay'));
  const [[, consumer]] = (await Promise.all(ofCells)).flat() as [[string, string]];
  await recordMany();
  // As a node hands on what it was sent while it hung.
  expect(await takeAndDie(relaying.engine, consumer)).toHaveLength(EVENTS);
  relay.start();
  await until(isDrained);
  expect(await countEvents()).toBe(1 + EVENTS);
});

describe('outages', () => {
  test('PostgreSQL refuses for a while: one log line, and nothing is lost', async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const pool = createPool(relaying.database.url, silent);
    const admin = new Client({ connectionString: process.env.LAUREL_TEST_DATABASE_URL! });
    await admin.connect();
    const name = new URL(relaying.database.url).pathname.slice(1);
    const relay = createRelay({ pool, log });
    try {
      await record('ann');
      relay.start();
      await until(isDrained);

      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await recordMany();
      await until(() => lines.length > 0);
      const { redis, cells } = relaying.engine;
      expect(await readRelayLag(redis, cells)).toEqual({ entries: EVENTS, oldestMs: NOON });

      await admin.query(`alter database ${name} allow_connections true`);
      await until(isDrained);
      expect(await countEvents()).toBe(EVENTS + 1);
      expect(lines.map(({ level }) => level)).toEqual([50, 30]);
    } finally {
      await admin.query(`alter database ${name} allow_connections true`);
      await admin.end();
      await relay.stop();
      await pool.end();
    }
  });

  // Reads of a cluster do not block.
  test.skipIf(isCluster)(
    'the reply is lost with the connection: its entries are read again at once',
    async () => {
      const { redis, redisUrl, tenant, cells } = relaying.engine;
      const connectionName = `relay-of-${tenant}`;
      const own = connectRedis(redisUrl, silent);
      // The connection on which the relay reads is a duplicate of this one, and so gets this name.
      own.options.connectionName = connectionName;
      await whenReady(own);
      // Nobody takes over what lies for less than an hour.
      const relay = createRelay({ redis: own, takeOverIdleMs: 3_600_000 });
      try {
        await record('ann');
        relay.start();
        await until(isDrained);
        const streams = allCells(cells).map((cell) => keys.outbox(cell));
        const consumers = await Promise.all(
          streams.map((stream) => redis.xinfo('CONSUMERS', stream, 'relay')),
        );
        const [[, consumer]] = consumers.flat() as [string, string][] as [[string, string]];

        // As if a read of the relay had been answered just when its connection broke.
        const entries = Array.from({ length: EVENTS }, (_, i) => [
          'xadd',
          streams[i % cells.count]!,
          '*',
          'some',
          'thing',
        ]);
        const read = [
          'xreadgroup',
          'GROUP',
          'relay',
          consumer,
          'STREAMS',
          ...streams,
          ...streams.map(() => '>'),
        ];
        await redis.multi([...entries, read]).exec();
        await until(async () => {
          const reading = String(await redis.client('LIST'))
            .split('\n')
            .find(
              (client) => client.includes(`name=${connectionName} `) && client.includes('cmd=xreadgroup'),
            );
          return (await redis.client('UNBLOCK', /id=(\d+)/.exec(reading!)![1]!, 'ERROR')) === 1;
        });
        // An entry is counted after it was acknowledged.
        await until(() => relay.counts.entries === EVENTS + 1);
        expect(await isDrained()).toBe(true);
        expect(relay.counts).toMatchObject({ entries: EVENTS + 1, deadEntries: EVENTS });
      } finally {
        await relay.stop();
        own.disconnect();
      }
    },
  );

  test('Redis is emptied: the relay starts again', async () => {
    createRelay().start();
    await record('ann');
    await until(isDrained);
    const { redis, cells } = relaying.engine;
    const streams = allCells(cells).map((cell) => keys.outbox(cell));
    await Promise.all(streams.map((stream) => redis.del(stream)));
    await record('bo');
    await until(async () => (await countEvents()) === 2);
    await until(isDrained);
  });
});

describe('entries that cannot be stored', () => {
  test('are stored as dead entries, and the others go on', async () => {
    const { redis, tenant, cells } = relaying.engine;
    const stream = keys.outbox(relaying.engine.cell);
    await redis.xadd(
      stream,
      '*',
      'fn',
      'recordEvents/1',
      'tenant',
      tenant,
      'now',
      NOON,
      'in',
      'nonsense',
      'out',
      'nonsense',
    );
    await redis.xadd(stream, '*', 'some', 'thing');
    await record('ann');
    // Readable, but the metric is no number that PostgreSQL has room for.
    const event = ['bo', 1e12, 1, false, false, 0, false, false, false];
    const details = ['00000000-0000-8000-8000-000000000000', false];
    const outcome = [1, 1, true, 20_775, 1, 0, 0, 0, false, 0, 0, 0];
    const fields = {
      fn: 'recordEvents/1',
      tenant,
      now: NOON,
      in: pack(event),
      details: pack(details),
      out: pack(outcome),
    };
    await redis.xadd(stream, '*', ...Object.entries(fields).flat());
    await record('cy');

    const relay = createRelay();
    await drain(relay);
    expect(await readRelayLag(redis, cells)).toEqual({ entries: 0, oldestMs: null });
    expect((await rowsOf('event_history', 'user_id')).map(({ user_id }) => user_id)).toEqual(['ann', 'cy']);
    expect(relay.counts).toEqual({ entries: 5, changes: 3, deadEntries: 3, leftEntries: 0 });
    const { rows: dead } = await relaying.pool.query('select * from dead_entries order by entry_id');
    expect(dead.map((entry) => entry.tenant)).toEqual([tenant, null, tenant]);
    expect(dead[1]).toMatchObject({
      cell: relaying.engine.cell,
      reason: 'the entry has no field fn',
      fields: [Buffer.from('some'), Buffer.from('thing')],
      died_at: new Date(NOON),
    });
    expect(dead[2]).toMatchObject({ reason: expect.stringContaining('out of range') });
  });
});

describe('partitions', () => {
  const partitions = async (): Promise<string[]> => {
    const { rows } = await relaying.pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'recorded_events'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  test('are created ahead of time', async () => {
    await record('ann');
    await drain();
    relaying.engine.clock.set('2049-12-31T23:59:59.999Z');
    await record('ann');
    relaying.engine.clock.set('2050-01-01T00:00:00Z');
    await record('ann');
    await drain();
    expect(await countEvents()).toBe(3);
    const months = ['2026_11', '2026_12', '2027_01', '2049_12', '2050_01', '2050_02', '2050_03'];
    expect(await partitions()).toEqual(
      expect.arrayContaining(months.map((month) => `recorded_events_${month}`)),
    );
  });

  test('are created once by several workers', async () => {
    const far = Date.UTC(2031, 4, 5);
    const workers = Array.from({ length: 4 }, () => new Partitions(relaying.pool));
    await Promise.all(workers.map((worker) => worker.ensure('month', [far])));
    expect(await partitions()).toEqual(
      expect.arrayContaining(['recorded_events_2031_05', 'recorded_events_2031_07']),
    );
  });

  test('that were dropped are created again when they are needed', async () => {
    const relay = createRelay();
    relaying.engine.clock.set('2033-03-03T00:00:00Z');
    await record('ann');
    await drain(relay);
    await relaying.pool.query('drop table recorded_events_2033_03');
    await record('ann');
    await drain(relay);
    expect(await countEvents()).toBe(1);
  });
});

test('a worker relays from start to stop', async () => {
  const { engine, pool, database } = relaying;
  await fixCells(pool, { cells: engine.cells.count, spread: engine.cells.spread });
  const urls = { redisUrl: engine.redisUrl, databaseUrl: database.url };
  const worker = await startWorker({ ...readEnv({}), ...urls }, silent);
  try {
    await record('ann');
    await until(isDrained);
    expect(await countEvents()).toBe(1);
  } finally {
    await worker.stop();
  }
});
