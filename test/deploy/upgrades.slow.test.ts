import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readEnv } from '../../src/base/env.ts';
import { fixCells, readKeptMonths, writeKeptMonths } from '../../src/db/installation.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { countLeftEntries, readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { SCHEDULES_VERSION, type Schedule, Schedules } from '../../workers/jobs/schedules.ts';
import { dropOldHistory } from '../../workers/jobs/scheduleTable.ts';
import { OutboxReader, type StreamEntry } from '../../workers/relay/outboxReader.ts';
import { startWorker as startWholeWorker } from '../../workers/start/startWorker.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

/** What processes of different versions leave to each other. */
const relaying = useRelaying();
const { createRelay, drain, record, rowsOf } = relaying;

/** The schedules of SCHEDULES_VERSION. */
const SCHEDULES = [
  'activations: */2 * * * * *',
  'anomalies: 7 * * * *',
  'approvals: */10 * * * * *',
  'cohorts: */20 * * * * *',
  'deliveries: * * * * * *',
  'delivery retention: 23 3 * * *',
  'erasures: */5 * * * * *',
  'held events: 41 * * * *',
  'imports: */2 * * * * *',
  'keys: */20 * * * * *',
  'leaderboards: */2 * * * * *',
  'points counts: 41 * * * *',
  'publish: */5 * * * * *',
  'renames: */5 * * * * *',
  'retention: 17 3 * * *',
  'scheduled webhooks: */2 * * * * *',
  'snapshots: * * * * *',
  'sweep: */2 * * * * *',
];
const HOUR_MS = 3_600_000;

/** An entry that a server of a newer version has written. */
async function addNewerEntry(cell: number): Promise<void> {
  const { redis, tenant } = relaying.engine;
  const fields = { fn: 'recordEvents/999', tenant, now: NOON, in: pack('another layout') };
  await redis.xadd(keys.outbox(cell), '*', ...Object.entries(fields).flat());
}

/** Reads everything as one consumer, which then hangs or leaves it to others. */
async function readAs(
  consumer: string,
  then: (reader: OutboxReader, entries: StreamEntry[]) => Promise<void>,
) {
  const { redis, cells } = relaying.engine;
  const reader = new OutboxReader(redis, cells, consumer);
  await reader.ensureGroups();
  const { entries } = await reader.read(allCells(cells), 1_000, 0);
  await then(reader, entries);
  reader.close();
}

describe('a relay that meets entries of a newer format', () => {
  test('leaves them, writes the others and says so once', async () => {
    const { redis, cells } = relaying.engine;
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    for (let cell = 0; cell < cells.count; cell++) await addNewerEntry(cell);
    for (let i = 0; i < 20; i++) await record(`user-${i}`);
    await addNewerEntry(0);

    const relay = createRelay({ log });
    await drain(relay);
    expect(await rowsOf('event_history')).toHaveLength(20);
    expect((await relaying.pool.query('select from dead_entries')).rowCount).toBe(0);
    expect(relay.counts).toMatchObject({ deadEntries: 0, leftEntries: cells.count + 1 });
    expect((await readRelayLag(redis, cells)).entries).toBe(cells.count + 1);
    expect(await countLeftEntries(redis, cells)).toEqual(new Map([['recordEvents/999', cells.count + 1]]));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ format: 'recordEvents/999' });
  });

  test('still takes over what a relay that died has read', async () => {
    const { cells } = relaying.engine;
    for (let i = 0; i < 100; i++) await addNewerEntry(0);
    await drain();
    for (let i = 0; i < 20; i++) await record(`user-${i}`);
    await readAs('dead', async () => {});
    await drain(createRelay({ takeOverIdleMs: 1 }));
    expect(await rowsOf('event_history')).toHaveLength(20);
    expect(await countLeftEntries(relaying.engine.redis, cells)).toEqual(
      new Map([['recordEvents/999', 100]]),
    );
  });
});

test('entries that a relay of another version has left are written at once by one that knows them', async () => {
  const { redis, cells } = relaying.engine;
  for (let i = 0; i < 20; i++) await record(`user-${i}`);
  await readAs('other version', (reader, entries) => reader.leave(entries, 'recordEvents/1'));
  expect(await countLeftEntries(redis, cells)).toEqual(new Map([['recordEvents/1', 20]]));

  await drain(createRelay({ takeOverIdleMs: HOUR_MS }));
  expect(await rowsOf('event_history')).toHaveLength(20);
  expect((await readRelayLag(redis, cells)).entries).toBe(0);
  expect(await countLeftEntries(redis, cells)).toEqual(new Map());
});

describe('workers of two versions', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });

  interface StartedWorker {
    jobs: Jobs;
    schedules: Schedules;
  }

  function startWorker(prefix: string, version: number, list: Schedule[]): StartedWorker {
    const jobs = new Jobs(connectForJobs(relaying.engine.redisUrl, silent), silent, prefix);
    const schedules = new Schedules(list, { jobs, log: silent }, version);
    schedules.start();
    stops.push(async () => {
      await schedules.stop();
      await jobs.stop();
    });
    return { jobs, schedules };
  }

  const newPrefix = (): string => `{test-${randomUUID()}}`;
  const daily = (name: string, run: Schedule['run'] = async () => {}): Schedule => ({
    name,
    pattern: '0 4 * * *',
    run,
  });
  const patterns = async (jobs: Jobs): Promise<Record<string, string>> => {
    const found = await jobs.queue('schedules').getJobSchedulers();
    return Object.fromEntries(found.map(({ key, pattern }) => [key, pattern!]));
  };

  test('keep the schedules of the newer one, in any order of starts', async () => {
    const prefix = newPrefix();
    const older = startWorker(prefix, 1, [daily('kept'), daily('dropped')]);
    await until(async () => Object.keys(await patterns(older.jobs)).length === 2);
    const newer = startWorker(prefix, 2, [{ ...daily('kept'), pattern: '0 5 * * *' }, daily('added')]);
    const wanted = { kept: '0 5 * * *', added: '0 4 * * *' };
    await until(async () => !Object.hasOwn(await patterns(newer.jobs), 'dropped'));
    for (const { schedules } of [older, newer, older]) await schedules.reconcile();
    expect(await patterns(newer.jobs)).toEqual(wanted);

    const latecomer = startWorker(prefix, 1, [daily('kept'), daily('dropped')]);
    await latecomer.schedules.reconcile();
    expect(await patterns(newer.jobs)).toEqual(wanted);
  });

  test('run a job on the one that knows it, and count that the other left it', async () => {
    const prefix = newPrefix();
    const ran: string[] = [];
    const older = startWorker(prefix, 1, [daily('kept')]);
    const queue = older.jobs.queue('schedules');
    await queue.add('added', {});
    await until(async () => (older.jobs.left.get('schedules') ?? 0) > 0);
    expect((await queue.getJobCounts('completed', 'failed')).completed).toBe(0);
    startWorker(prefix, 2, [daily('kept'), daily('added', async () => void ran.push('added'))]);
    await until(() => ran.length > 0);
    await until(async () => (await queue.getJobCounts('completed')).completed === 1);
    expect(ran).toEqual(['added']);
  });

  test('fail a job that none of them has known for long', async () => {
    const { jobs } = startWorker(newPrefix(), 1, [daily('kept')]);
    const queue = jobs.queue('schedules');
    await queue.add('removed', {}, { timestamp: systemClock.now() - 3_600_000, attempts: 5 });
    await until(async () => (await queue.getFailed()).length === 1);
    expect((await queue.getFailed())[0]!.failedReason).toBe('no worker can run the job "removed"');
  });

  test('read how long events are kept from PostgreSQL', async () => {
    const { pool, engine } = relaying;
    engine.clock.set('2026-08-15T12:00:00Z');
    await record('ann');
    await drain();
    engine.clock.set('2026-11-18T12:00:00Z');
    const { signal } = new AbortController();
    const run = () => dropOldHistory({ pool, clock: engine.clock, log: silent }, signal);
    await run();
    expect(await rowsOf('event_history')).toHaveLength(1);
    await writeKeptMonths(pool, 'events', 2);
    expect(await readKeptMonths(pool, 'events')).toBe(2);
    await run();
    expect(await rowsOf('event_history')).toHaveLength(0);
    await writeKeptMonths(pool, 'events', null);
    expect(await readKeptMonths(pool, 'events')).toBeNull();
  });
});

test('a change of the schedules raises their version', async () => {
  const { engine, pool, database } = relaying;
  await fixCells(pool, { cells: engine.cells.count, spread: engine.cells.spread });
  const worker = await startWholeWorker(
    { ...readEnv({}), redisUrl: engine.redisUrl, databaseUrl: database.url },
    silent,
  );
  const jobs = new Jobs(connectForJobs(engine.redisUrl, silent), silent);
  try {
    const find = async () =>
      (await jobs.queue('schedules').getJobSchedulers()).map(({ key, pattern }) => `${key}: ${pattern}`);
    await until(async () => (await find()).length >= SCHEDULES.length);
    // If this fails because you changed a schedule: raise SCHEDULES_VERSION, then bring both up to date here.
    expect([SCHEDULES_VERSION, (await find()).sort()]).toEqual([2, SCHEDULES]);
  } finally {
    await jobs.stop();
    await worker.stop();
  }
});
