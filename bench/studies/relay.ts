import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../../src/base/clock.ts';
import type { Bench } from '../bench.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { ROUNDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { loadEvents } from './loadEvents.ts';

const POLL_MS = 50;

export const relay: Study = {
  name: 'relay',
  measures: 'the relay alone on a backlog',
  isDefault: false,
  measure: measureRelay,
};

interface Drain {
  events: number;
  eventsPerSecond: number;
  /** Memory of Redis with the whole backlog, its maximum during the drain, and afterwards. */
  memory_bytes: { before: number; max: number; after: number };
}

/** Measures the relay alone: a server records a backlog before the worker starts. */
async function measureRelay(bench: Bench, print: Print): Promise<Measurements> {
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();
  const drains: Drain[] = [];
  // Round 0 is the warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    const server = await bench.start('server');
    const { sent } = await loadEvents(bench, server);
    await server.stop();
    const drain = await drainBacklog(bench, database);
    if (drain.events !== sent[0])
      throw new Error(`${sent[0]} events were sent, ${drain.events} are in PostgreSQL`);
    if (round > 0) drains.push(drain);
  }
  await database.end();

  const { events, eventsPerSecond, memory_bytes: memory } = median(drains, (drain) => drain.eventsPerSecond);
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  print(
    `Relay alone: ${Math.round(eventsPerSecond)} events/s from a backlog of ${events} into PostgreSQL. Memory of Redis: ${megabytes(memory.before)} MiB before, at most ${megabytes(memory.max)} MiB, ${megabytes(memory.after)} MiB after\n`,
  );
  return { events, eventsPerSecond, memoryMax_bytes: memory.max };
}

async function drainBacklog(bench: Bench, database: pg.Client): Promise<Drain> {
  const eventsBefore = await countEvents(database);
  const before = await usedMemory(bench);
  let max = before;
  const worker = await bench.start('worker');
  const startMs = monotonicMs();
  while ((await bench.lag()).entries > 0) {
    await sleep(POLL_MS);
    max = Math.max(max, await usedMemory(bench));
  }
  const seconds = (monotonicMs() - startMs) / 1000;
  await worker.stop();
  const events = (await countEvents(database)) - eventsBefore;
  return {
    events,
    eventsPerSecond: events / seconds,
    memory_bytes: { before, max, after: await usedMemory(bench) },
  };
}

async function countEvents(database: pg.Client): Promise<number> {
  const { rows } = await database.query('select count(*)::int as events from event_history');
  return rows[0].events;
}

async function usedMemory({ redis }: Bench): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]);
}
