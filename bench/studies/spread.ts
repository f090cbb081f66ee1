import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { MergedReads } from '../../src/engine/ranks/mergedReads.ts';
import { keysOfRanking } from '../../src/engine/ranks/readRanking.ts';
import { localTime, runOf } from '../../src/rules/calendar.ts';
import type { Bench } from '../bench.ts';
import { dueAfter_ms } from '../load/openLoop.ts';
import { percentile } from '../load/percentile.ts';
import { median } from '../median.ts';
import { startRedisCluster } from '../redisCluster.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { ROUNDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { createRandom, WORKLOAD } from '../workload.ts';
import {
  type EventStore,
  openEventStore,
  type RedisCost,
  readCpu,
  recordEvent,
  recordRound,
} from './eventStores.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
/** Events of a round, of users drawn at random. */
const EVENTS = 100_000;
const CELLS = 64;
const SPREAD = Number(process.env.BENCH_SPREAD ?? 12);
const TENANT = 1;
const PAGE_ROWS = 100;
const PAGES = 500;
/** Events whose latency is measured at a rate, and events that are always under way at once. */
const TIMED_EVENTS = 10_000;
const RATE = 1_000;
const TIMED_AT_ONCE = 20;

export const spread: Study = {
  name: 'spread',
  measures: `one tenant of a million users on one Redis in one cell, and spread over ${SPREAD} cells of a cluster of three primaries`,
  isDefault: false,
  measure: measureSpread,
};

/** A page of a leaderboard. */
interface PageCost {
  redis_us: number;
  process_us: number;
}

interface StoreCosts {
  event: RedisCost;
  latency_ms_p99: { atRate: number; atOnce: number };
  page: PageCost;
}

async function measureSpread(bench: Bench, print: Print): Promise<Measurements> {
  const started = await startRedisCluster(bench.directory, createLog('bench', 'warn'));
  const stores = [
    await openEventStore(bench.redisUrl, [bench.redis], { count: CELLS, spread: 1 }, TENANT),
    await openEventStore(started.url, started.nodes, { count: CELLS, spread: SPREAD }, TENANT),
  ];
  for (const store of stores) await recordRound(store, USERS, (i) => i);
  const [one, three] = (await measureInTurn(stores)) as [StoreCosts, StoreCosts];
  for (const { redis } of stores) redis.disconnect();
  await started.stop();
  print(
    `One tenant of ${USERS} users, without a server. Events per second are what the busiest node allows; the latencies are those of ${RATE} events/s and of ${TIMED_AT_ONCE} events at once; a page has the first ${PAGE_ROWS} users of an all-time leaderboard.\n`,
  );
  print(
    '| Redis | CPU µs an event, all nodes | busiest node | events/s | p99 ms at the rate | at once | page, µs of Redis | page, µs of the process |',
  );
  print('|---|---:|---:|---:|---:|---:|---:|---:|');
  printRow(print, 'one, one cell', one);
  printRow(print, `cluster of three, ${SPREAD} cells`, three);
  const times = one.event.busiest_us / three.event.busiest_us;
  const uneven = (3 * three.event.busiest_us) / three.event.all_us - 1;
  print(
    `\nThe cluster takes ${times.toFixed(2)} times as many events. Its busiest node has ${(100 * uneven).toFixed(0)} % more to do than the average.`,
  );
  return {
    one_us: one.event.all_us,
    spread_us: three.event.all_us,
    times,
    pageTimes: three.page.redis_us / one.page.redis_us,
    latencyTimes: three.latency_ms_p99.atRate / one.latency_ms_p99.atRate,
  };
}

function printRow(print: Print, name: string, { event, latency_ms_p99, page }: StoreCosts): void {
  const cells = [
    name,
    event.all_us.toFixed(1),
    event.busiest_us.toFixed(1),
    Math.round(1e6 / event.busiest_us),
    latency_ms_p99.atRate.toFixed(1),
    latency_ms_p99.atOnce.toFixed(1),
    page.redis_us.toFixed(0),
    page.process_us.toFixed(0),
  ];
  print(`| ${cells.join(' | ')} |`);
}

/** The stores take turns; the medians of all rounds count. */
async function measureInTurn(stores: EventStore[]): Promise<StoreCosts[]> {
  const random = createRandom(WORKLOAD.seed);
  const draw = (): number => Math.floor(random() * USERS);
  const rounds: StoreCosts[][] = stores.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, store] of stores.entries()) {
      rounds[i]!.push({
        event: await recordRound(store, EVENTS, draw),
        latency_ms_p99: {
          atRate: await measureAtRate(store, draw),
          atOnce: await measureAtOnce(store, draw),
        },
        page: await measurePages(store),
      });
    }
  }
  return rounds.map((ofStore) => ({
    event: median(ofStore, ({ event }) => event.busiest_us).event,
    latency_ms_p99: {
      atRate: median(ofStore, atRate).latency_ms_p99.atRate,
      atOnce: median(ofStore, atOnce).latency_ms_p99.atOnce,
    },
    page: median(ofStore, ({ page }) => page.redis_us).page,
  }));
}

const atRate = ({ latency_ms_p99 }: StoreCosts): number => latency_ms_p99.atRate;
const atOnce = ({ latency_ms_p99 }: StoreCosts): number => latency_ms_p99.atOnce;

/** Each event counts from the instant at which it was due, so it is charged with what delays its start. */
async function measureAtRate(store: EventStore, draw: () => number): Promise<number> {
  const taken: number[] = [];
  const recording: Promise<unknown>[] = [];
  const startMs = monotonicMs();
  for (let i = 0; i < TIMED_EVENTS; i++) {
    const dueMs = startMs + dueAfter_ms(i, RATE);
    while (monotonicMs() < dueMs) await sleep(1);
    recording.push(recordEvent(store, 0, draw()).then(() => taken.push(monotonicMs() - dueMs)));
  }
  await Promise.all(recording);
  return p99(taken);
}

async function measureAtOnce(store: EventStore, draw: () => number): Promise<number> {
  const taken: number[] = [];
  const client = async (): Promise<void> => {
    for (let i = 0; i < TIMED_EVENTS / TIMED_AT_ONCE; i++) {
      const startMs = monotonicMs();
      await recordEvent(store, 0, draw());
      taken.push(monotonicMs() - startMs);
    }
  };
  await Promise.all(Array.from({ length: TIMED_AT_ONCE }, client));
  return p99(taken);
}

const p99 = (taken_ms: number[]): number =>
  percentile(
    taken_ms.sort((a, b) => a - b),
    0.99,
  );

async function measurePages({ redis, nodes, cells, rules }: EventStore): Promise<PageCost> {
  const board = rules[0]!.config.leaderboards.find(({ key }) => key === 'all-time')!;
  const { start } = runOf(board, localTime('UTC', systemClock.now()).day)!;
  const rankings = keysOfRanking(cells, TENANT, { board, start, group: '', isOver: false });
  const reads = new MergedReads(redis);
  const before = await readCpu(nodes);
  const cpu = process.cpuUsage();
  for (let i = 0; i < PAGES; i++) {
    const members = await reads.read(rankings, PAGE_ROWS);
    if (members.length !== 2 * PAGE_ROWS) throw new Error(`a page has ${members.length / 2} users`);
  }
  const { user, system } = process.cpuUsage(cpu);
  const after = await readCpu(nodes);
  const all = after.reduce((sum, us, i) => sum + us - before[i]!, 0);
  return { redis_us: all / PAGES, process_us: (user + system) / PAGES };
}
