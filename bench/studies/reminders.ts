import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { allCells } from '../../src/base/cells.ts';
import { monotonicMs } from '../../src/base/clock.ts';
import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import { keys } from '../../src/redis/state/keys.ts';
import type { Bench, Child } from '../bench.ts';
import { startMailSink } from '../load/mailSink.ts';
import type { Print } from '../report/report.ts';
import type { Figures } from '../report/results.ts';
import type { Study } from '../study.ts';
import { cpuOf, readProcesses } from '../usage/processes.ts';
import { userBody } from '../workload.ts';
import { CELLS } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
/** The users' events, and half a minute after all their daily reminders became due. In January, London keeps UTC. */
const RECORDED_AT = '2026-01-14T12:00:00Z';
const DUE_AT = '2026-01-15T20:00:30Z';
const POLL_MS = 200;
const TEMPLATE = { name: 'Reminder', type: 'streak_reminder', channel: 'email', status: 'active' };
const PARTS = ['worker', 'redis', 'postgres'] as const;

export const reminders: Study = {
  name: 'reminders',
  measures: 'a worker that sends a reminder of the streak by e-mail to a million users, all due at the same instant',
  isDefault: false,
  measure: measureReminders,
};

/** CPU time so far, µs. */
type Cpu = Record<(typeof PARTS)[number], number>;

/** What has been done some time after the reminders became due. */
interface Progress {
  cpu: Cpu;
  seconds: number;
  emails: number;
}

async function measureReminders(bench: Bench, print: Print): Promise<Figures> {
  const sink = await startMailSink();
  const mail = { SMTP_URL: sink.url, LAUREL_MAIL_FROM: 'laurel@example.com' };
  // The test clock is refused in production.
  const settings = { LAUREL_TEST_CLOCK: RECORDED_AT, NODE_ENV: 'development', ...mail };
  const server = await bench.start('server', [], settings);
  const worker = await bench.start('worker', [], settings);
  await post(bench, server, 'notifications/templates', [TEMPLATE]);
  await recordUsers(bench, server);
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();

  const before = cpuSoFar(bench, worker);
  const startMs = monotonicMs();
  const progress = (): Progress => ({
    cpu: cpuSoFar(bench, worker),
    seconds: (monotonicMs() - startMs) / 1_000,
    emails: sink.accepted(),
  });
  // The answer comes when everything due is done, or when the server waits no longer.
  const moved = post(bench, server, 'test-clock', { now: DUE_AT, stopped: true }).catch(() => {});
  await until(async () => (await countDue(bench)) === 0 && (await bench.lag()).entries === 0);
  const settled = progress();
  await until(async () => {
    const { rows } = await database.query(`select from notification_deliveries where status = 'pending' limit 1`);
    return rows.length === 0;
  });
  const sent = progress();
  await moved;
  await Promise.all([worker.stop(), server.stop(), database.end()]);
  sink.close();
  if (sent.emails !== USERS) throw new Error(`${sent.emails} e-mails were sent to ${USERS} users`);
  const cpu_us = perUser(before, sent.cpu);
  report(perUser(before, settled.cpu), cpu_us, settled, sent, print);
  return { users: USERS, seconds: sent.seconds, worker_cpu_us: cpu_us.worker, postgres_cpu_us: cpu_us.postgres };
}

async function recordUsers(bench: Bench, server: Child): Promise<void> {
  for (let from = 0; from < USERS; from += BATCH_EVENTS_MAX) {
    const length = Math.min(BATCH_EVENTS_MAX, USERS - from);
    const events = Array.from({ length }, (_, i) => ({ key: 'lessons', user: userBody(from + i), value: 1 }));
    await post(bench, server, 'metrics/events', events);
  }
  await until(async () => (await bench.lag()).entries === 0);
}

function report(settling: Cpu, all: Cpu, settled: Progress, sent: Progress, print: Print): void {
  print(
    `A worker sends a reminder of the streak by e-mail to ${USERS} users, all due at the same instant. CPU µs a user:\n`,
  );
  print('| until | s | e-mails | worker | Redis | PostgreSQL |\n|---|---:|---:|---:|---:|---:|');
  const row = (what: string, { seconds, emails }: Progress, cpu: Cpu): void => {
    const cells = PARTS.map((part) => cpu[part].toFixed(0));
    print(`| ${what} | ${seconds.toFixed(0)} | ${emails} | ${cells.join(' | ')} |`);
  };
  row('all users are settled and all reminders are written', settled, settling);
  row('all e-mails are sent', sent, all);
  print(`\nThat is ${Math.round((sent.emails / sent.seconds) * 3_600)} e-mails an hour.\n`);
}

function perUser(from: Cpu, to: Cpu): Cpu {
  const per = (part: keyof Cpu): number => (to[part] - from[part]) / USERS;
  return { worker: per('worker'), redis: per('redis'), postgres: per('postgres') };
}

function cpuSoFar({ pids }: Bench, { pid }: Child): Cpu {
  const processes = readProcesses();
  return {
    worker: cpuOf(pid, processes),
    redis: cpuOf(pids.redis, processes),
    postgres: cpuOf(pids.postgres, processes),
  };
}

async function countDue({ redis }: Bench): Promise<number> {
  const seconds = Math.floor(Date.parse(DUE_AT) / 1_000);
  const counts = await Promise.all(allCells(CELLS).map((cell) => redis.zcount(keys.due(cell), '-inf', seconds)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(POLL_MS);
}

async function post({ apiKey }: Bench, { url }: Child, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}/admin/v1/${path}`, {
    method: 'POST',
    headers: { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
