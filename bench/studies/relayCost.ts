import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { NODE_FLAGS } from '../../src/base/nodeFlags.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/configuration.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/snapshots.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Figures } from '../report/results.ts';
import type { Study } from '../study.ts';
import { createRandom, createZipf, WORKLOAD } from '../workload.ts';
import { prepareStores } from './prepare.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { readStoreCost, readTableSizes, type TableSize } from './storeCost.ts';

/** Events of each measurement. */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 200_000);
/** Events a second of the measurement beside a load. */
const RATE = Number(process.env.BENCH_RATE ?? 5_000);
const PACE_MS = 10;
const POLL_MS = 50;

export const relayCost: Study = {
  name: 'relay-cost',
  measures: 'what the relay and PostgreSQL cost for each event: CPU time, write-ahead log, tables and indexes',
  isDefault: false,
  measure: measureRelayCost,
};

/** CPU time in µs and bytes of the write-ahead log, for each event. */
interface Cost {
  relay: number;
  postgres: number;
  wal: number;
}

interface Parts {
  bench: Bench;
  pool: Pool;
  recorder: Recorder;
  relay: RelayProcess;
  nextEvent: (i: number) => { user: number; key: string };
}

/** Measures what the relay costs for each event, in CPU time, so that other load on the machine does not matter. */
async function measureRelayCost(bench: Bench, print: Print): Promise<Figures> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  await prepareStores(pool, bench.redisUrl);
  const recorder = await createRecorder(bench.redisUrl, await loadConfig(pool, DEFAULT_TENANT));
  const relay = await RelayProcess.start(bench);
  const nextUser = createZipf(WORKLOAD.users, createRandom(WORKLOAD.seed));
  let events = 0;
  const parts: Parts = {
    bench,
    pool,
    recorder,
    relay,
    nextEvent: () => ({ user: nextUser(), key: `key-${events++}` }),
  };
  // The first pass warms up the relay and creates most users.
  await measureBacklog(parts);
  const before = await readTableSizes(pool);
  const backlog = await measureBacklog(parts);
  const after = await readTableSizes(pool);
  const live = await measureLive(parts);
  relay.end();
  recorder.redis.disconnect();
  await pool.end();
  reportCosts(backlog, live, print);
  const history_bytes = reportSizes(before, after, print);
  return {
    relay_cpu_us: live.relay,
    postgres_cpu_us: live.postgres,
    wal_bytes: live.wal,
    backlogRelay_cpu_us: backlog.relay,
    backlogPostgres_cpu_us: backlog.postgres,
    history_bytes,
  };
}

/** Relays events that have been recorded before. */
async function measureBacklog(parts: Parts): Promise<Cost> {
  await parts.recorder.record(EVENTS, parts.nextEvent);
  return costOf(parts, () => parts.relay.order('drain'));
}

/** Relays events while they are recorded. */
async function measureLive(parts: Parts): Promise<Cost> {
  return costOf(parts, async () => {
    await parts.relay.order('start');
    const startMs = monotonicMs();
    for (let done = 0; done < EVENTS; ) {
      const due = Math.min(EVENTS, Math.ceil(((monotonicMs() - startMs) / 1_000) * RATE));
      if (due > done) await parts.recorder.record(due - done, parts.nextEvent);
      done = due;
      await sleep(PACE_MS);
    }
    while ((await parts.bench.lag()).entries > 0) await sleep(POLL_MS);
    await parts.relay.order('stop');
  });
}

async function costOf({ bench, pool, relay }: Parts, run: () => Promise<unknown>): Promise<Cost> {
  const [store, cpu] = [await readStoreCost(bench.redis, pool), relay.cpu_us];
  await run();
  const used = (await relay.order('drain')) - cpu;
  const after = await readStoreCost(bench.redis, pool);
  // The worker does this every minute. It is not part of the cost of relaying.
  await foldRelayedStates(pool, { wait: true });
  await pool.query('vacuum relayed_states');
  return {
    relay: used / EVENTS,
    postgres: (after.postgres_cpu_us - store.postgres_cpu_us) / EVENTS,
    wal: (after.wal_bytes - store.wal_bytes) / EVENTS,
  };
}

function reportCosts(backlog: Cost, live: Cost, print: Print): void {
  print(
    [
      `Cost of relaying an event with an idempotency key, over ${EVENTS} events:`,
      '',
      '| events | relay, µs of CPU | PostgreSQL, µs of CPU | write-ahead log, bytes |',
      '|---|---:|---:|---:|',
      row('a backlog', backlog),
      row(`${RATE} a second`, live),
      '',
    ].join('\n'),
  );
}

function row(name: string, { relay, postgres, wal }: Cost): string {
  return `| ${name} | ${relay.toFixed(1)} | ${postgres.toFixed(1)} | ${wal.toFixed(0)} |`;
}

/** @returns bytes of an event in all tables */
function reportSizes(before: TableSize[], after: TableSize[], print: Print): number {
  const lines = ['| table | bytes an event | of these in indexes |', '|---|---:|---:|'];
  let [all, inIndexes] = [0, 0];
  for (const { name, table_bytes, index_bytes } of after) {
    const old = before.find((table) => table.name === name);
    const index = (index_bytes - (old?.index_bytes ?? 0)) / EVENTS;
    const total = (table_bytes - (old?.table_bytes ?? 0)) / EVENTS + index;
    all += total;
    inIndexes += index;
    if (total >= 0.5) lines.push(`| ${name} | ${total.toFixed(0)} | ${index.toFixed(0)} |`);
  }
  lines.push(`| all | ${all.toFixed(0)} | ${inIndexes.toFixed(0)} |`, '');
  print(lines.join('\n'));
  return all;
}

/** relayProcess.ts */
class RelayProcess {
  readonly #child: ChildProcess;
  cpu_us = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ redisUrl, databaseUrl }: Bench): Promise<RelayProcess> {
    const env = { ...process.env, REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, NODE_ENV: 'production' };
    const child = fork(join(import.meta.dirname, 'relayProcess.js'), [], { env, execArgv: NODE_FLAGS });
    await once(child, 'message');
    return new RelayProcess(child);
  }

  /** @returns the CPU time that the process has used, µs */
  async order(order: string): Promise<number> {
    const done = once(this.#child, 'message') as Promise<[{ cpu_us: number }]>;
    this.#child.send(order);
    const [{ cpu_us }] = await done;
    this.cpu_us = cpu_us;
    return cpu_us;
  }

  end(): void {
    this.#child.disconnect();
  }
}
