import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../../src/base/clock.ts';
import { PROGRAM } from '../../tools/program.ts';
import type { Bench, Child } from '../bench.ts';
import type { LoadResult } from '../load/wrk.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { cpuOf, readProcesses } from '../usage/processes.ts';
import { writeEvents, writeUsers } from './importFiles.ts';
import { loadEvents } from './loadEvents.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
/** Share of the events that are imported beside live events. */
const BESIDE_SHARE = 0.1;
/** Few enough connections that the server is not saturated. */
const CONNECTIONS = 16;
const SAMPLE_MS = 500;

export const imports: Study = {
  name: 'import',
  measures:
    '`laurel import` of a million users and ten million events from CSV: rate, CPU and memory; events of the past beside full events',
  isDefault: false,
  measure: measureImports,
};

const PROCESSES = ['command', 'server', 'worker', 'redis', 'postgres'] as const;
type PerProcess = Record<(typeof PROCESSES)[number], number>;

interface Imported {
  rows: number;
  seconds: number;
  /** Of a row. */
  cpu_us: PerProcess;
  memoryMax_bytes: PerProcess;
}

async function measureImports(bench: Bench, print: Print): Promise<Measurements> {
  const [server, worker] = [await bench.start('server'), await bench.start('worker')];
  const users = await measured(
    bench,
    [server, worker],
    'users',
    await writeUsers(bench.directory, USERS),
    USERS,
  );
  const events = await measured(
    bench,
    [server, worker],
    'events',
    await writeEvents(bench.directory, 'past', EVENTS),
    EVENTS,
  );
  await assertHistory(bench, EVENTS);
  report(users, events, print);
  const beside = await measureBeside(bench, [server, worker], print);
  await Promise.all([server.stop(), worker.stop()]);
  return {
    usersPerSecond: users.rows / users.seconds,
    eventsPerSecond: events.rows / events.seconds,
    commandMax_bytes: Math.max(users.memoryMax_bytes.command, events.memoryMax_bytes.command),
    serverMax_bytes: Math.max(users.memoryMax_bytes.server, events.memoryMax_bytes.server),
    workerMax_bytes: Math.max(users.memoryMax_bytes.worker, events.memoryMax_bytes.worker),
    ...beside,
  };
}

function startImport({ apiKey }: Bench, { url }: Child, kind: string, path: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, 'import', '--kind', kind, path, '--url', url], {
    env: { ...process.env, LAUREL_ADMIN_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Imports a file, and follows CPU and memory of all processes. */
async function measured(
  bench: Bench,
  [server, worker]: [Child, Child],
  kind: string,
  path: string,
  rows: number,
): Promise<Imported> {
  const command = startImport(bench, server, kind, path);
  const pids: PerProcess = {
    command: command.pid!,
    server: server.pid,
    worker: worker.pid,
    redis: bench.pids.redis,
    postgres: bench.pids.postgres,
  };
  const memoryMax: PerProcess = { command: 0, server: 0, worker: 0, redis: 0, postgres: 0 };
  const [before, startMs] = [cpu(pids), monotonicMs()];
  const ended = once(command, 'exit');
  let latest = before;
  while (command.exitCode === null) {
    await Promise.race([ended, sleep(SAMPLE_MS)]);
    latest = { ...cpu(pids), ...(command.exitCode !== null && { command: latest.command }) };
    for (const name of PROCESSES) memoryMax[name] = Math.max(memoryMax[name], residentBytes(pids[name]));
  }
  if (command.exitCode !== 0) throw new Error(`the import of ${path} ended with ${command.exitCode}`);
  const cost = (name: keyof PerProcess): number => (latest[name] - before[name]) / rows;
  return {
    rows,
    seconds: (monotonicMs() - startMs) / 1_000,
    cpu_us: Object.fromEntries(PROCESSES.map((name) => [name, cost(name)])) as PerProcess,
    memoryMax_bytes: memoryMax,
  };
}

function cpu(pids: PerProcess): PerProcess {
  const processes = readProcesses();
  return Object.fromEntries(PROCESSES.map((name) => [name, cpuOf(pids[name], processes)])) as PerProcess;
}

/** 0 for a process that has ended. */
function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

async function assertHistory({ databaseUrl }: Bench, expected: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as count from recorded_events join user_numbers on no = user_no
     where user_id like 'past-%'`,
  );
  await client.end();
  if (rows[0].count !== expected)
    throw new Error(`${expected} events were imported, ${rows[0].count} are in PostgreSQL`);
}

function report(users: Imported, events: Imported, print: Print): void {
  print(
    '| import | rows | seconds | rows/s | CPU of a row, µs: command, server, worker, Redis, PostgreSQL |',
  );
  print('|---|---:|---:|---:|---|');
  for (const [what, { rows, seconds, cpu_us }] of [
    ['users', users],
    ['events', events],
  ] as const) {
    const costs = PROCESSES.map((name) => cpu_us[name].toFixed(0)).join(', ');
    print(`| ${what} | ${rows} | ${seconds.toFixed(1)} | ${Math.round(rows / seconds)} | ${costs} |`);
  }
  const most = (name: keyof PerProcess): string =>
    (Math.max(users.memoryMax_bytes[name], events.memoryMax_bytes[name]) / 2 ** 20).toFixed(0);
  print(
    `\nResident memory was at most ${most('command')} MiB in the command, ${most('server')} MiB in the server and ${most('worker')} MiB in the worker.\n`,
  );
}

async function measureBeside(
  bench: Bench,
  [server, worker]: [Child, Child],
  print: Print,
): Promise<Measurements> {
  const p99 = ({ latency_ms_p99 }: LoadResult): number => latency_ms_p99;
  const path = await writeEvents(bench.directory, 'beside', Math.ceil(EVENTS * BESIDE_SHARE));
  await loadEvents(bench, server, CONNECTIONS);
  const during: LoadResult[] = [];
  let isOver = false;
  const importing = measured(bench, [server, worker], 'events', path, EVENTS * BESIDE_SHARE).finally(() => {
    isOver = true;
  });
  while (!isOver) during.push(await loadEvents(bench, server, CONNECTIONS));
  const { rows, seconds } = await importing;
  const without: LoadResult[] = [];
  for (let i = 0; i < 3; i++) without.push(await loadEvents(bench, server, CONNECTIONS));
  const [beside, alone] = [p99(median(during, p99)), p99(median(without, p99))];
  print(
    `Beside full events of ${CONNECTIONS} connections ${Math.round(rows / seconds)} events/s were imported. The p99 of the full events was ${beside.toFixed(1)} ms, and ${alone.toFixed(1)} ms without the import.\n`,
  );
  return {
    eventsPerSecondBeside: rows / seconds,
    latencyBeside_ms_p99: beside,
    latencyAlone_ms_p99: alone,
  };
}
