import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import { BATCH_EVENTS_MAX } from '../src/base/limits.ts';
import { type Bench, type Child, median, ROUNDS, SECONDS } from './bench.ts';
import { type LoadResult, runLoad } from './load.ts';
import type { Print } from './report.ts';

/** The measurement that all others are compared with. */
const FLOOR = 'floor';

interface Servers {
  floor: Child;
  server: Child;
}

/** Outbox entries that wait while events are recorded. */
interface Backlog {
  halfway_entries: number;
  end_entries: number;
  /** Age of the oldest entry at the end. */
  oldest_s: number;
}

interface Result extends LoadResult {
  backlog?: Backlog;
}

/** Measurements of requests per second, by name. */
const REQUESTS: Record<string, { what: string; run(bench: Bench, servers: Servers, round: number): Promise<Result> }> =
  {
    [FLOOR]: {
      what: 'floor: one INCR',
      run: ({ bodies, apiKey }, { floor }) => runLoad({ url: floor.url, seconds: SECONDS, bodies, apiKey }),
    },
    event: { what: 'full event', run: (bench, { server }) => recordEvents(bench, server) },
    'keyed-event': {
      what: 'full event with an idempotency key',
      run: (bench, { server }, round) => recordEvents(bench, server, `round-${round}-`),
    },
    batch: { what: `batches of ${BATCH_EVENTS_MAX} events, in events/s`, run: recordBatches },
    'relayed-event': { what: 'full event with relay and workers', run: recordAndRelay },
    leaderboard: {
      what: 'leaderboard page of 10',
      run: ({ apiKey }, { server }) =>
        runLoad({ url: `${server.url}/v1/leaderboards/weekly`, seconds: SECONDS, apiKey }),
    },
  };

export const REQUEST_NAMES = Object.keys(REQUESTS);

export function recordEvents(
  { bodies, apiKey }: Bench,
  { url }: Child,
  idempotencyPrefix?: string,
): Promise<LoadResult> {
  const events = `${url}/v1/metrics/lessons/event`;
  return runLoad({ url: events, seconds: SECONDS, bodies, apiKey, ...(idempotencyPrefix && { idempotencyPrefix }) });
}

/** Each connection sends one batch at a time. A few connections suffice, because a batch has many events. */
const BATCH_CONNECTIONS = 8;

async function recordBatches({ batches, apiKey }: Bench, { server }: Servers): Promise<Result> {
  const url = `${server.url}/admin/v1/metrics/events`;
  const load = { url, seconds: SECONDS, bodies: batches, apiKey, connections: BATCH_CONNECTIONS };
  const result = await runLoad(load);
  return { ...result, requestsPerSecond: result.requestsPerSecond * BATCH_EVENTS_MAX };
}

async function recordAndRelay(bench: Bench, { server }: Servers): Promise<Result> {
  const worker = await bench.start('worker');
  const [result, backlog] = await Promise.all([recordEvents(bench, server), watchBacklog(bench, SECONDS * 1000)]);
  await worker.stop();
  return { ...result, backlog };
}

async function watchBacklog(bench: Bench, ms: number): Promise<Backlog> {
  await sleep(ms / 2);
  const halfway = await bench.lag();
  await sleep(ms / 2);
  const end = await bench.lag();
  return {
    halfway_entries: halfway.entries,
    end_entries: end.entries,
    oldest_s: end.oldestMs === null ? 0 : (systemClock.now() - end.oldestMs) / 1000,
  };
}

/** The measurements take turns, so that other load on the machine affects all of them. The median counts. */
export async function measureRequests(
  bench: Bench,
  names: readonly string[],
  print: Print,
  printBacklog: Print,
): Promise<void> {
  const servers: Servers = { floor: await bench.startFloor(), server: await bench.start('server') };
  const measured = REQUEST_NAMES.filter((name) => name === FLOOR || names.includes(name));
  const results = new Map<string, Result[]>(measured.map((name) => [name, []]));
  // Round 0 is the warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of measured) {
      const result = await REQUESTS[name]!.run(bench, servers, round);
      await bench.dropOutbox();
      if (round > 0) results.get(name)!.push(result);
    }
  }
  await Promise.all([servers.floor.stop(), servers.server.stop()]);
  const rows = measured.map((name) => ({ name, result: median(results.get(name)!, (one) => one.requestsPerSecond) }));
  report(rows, print);
  for (const { result } of rows) if (result.backlog !== undefined) reportBacklog(result.backlog, printBacklog);
}

function report(rows: { name: string; result: Result }[], print: Print): void {
  const floor = rows.find(({ name }) => name === FLOOR)!.result.requestsPerSecond;
  print('| what | requests/s | of the floor | p50 ms | p99 ms |\n|---|---:|---:|---:|---:|');
  for (const { name, result } of rows) {
    const { requestsPerSecond, latency_ms_p50: p50, latency_ms_p99: p99 } = result;
    const ratio = (requestsPerSecond / floor).toFixed(2);
    print(
      `| ${REQUESTS[name]!.what} | ${Math.round(requestsPerSecond)} | ${ratio} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
    );
  }
}

function reportBacklog({ halfway_entries, end_entries, oldest_s }: Backlog, print: Print): void {
  print(
    `\nOutbox entries that waited for the relay beside full events: ${halfway_entries} halfway, ${end_entries} at the end, the oldest ${oldest_s.toFixed(1)} s old\n`,
  );
}
