import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { beginSharedTime } from '../../src/redis/state/sharedClock.ts';
import type { Config } from '../../src/rules/config.ts';
import type { Bench } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import { type MailReceiver, startMailReceiver } from '../load/mailReceiver.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { startCpuMeter } from '../usage/cpuMeter.ts';
import { moveDue, recordUsers, startBeforeDue } from './dueUsers.ts';
import { prepareService } from './prepare.ts';
import { createRecorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const POLL_MS = 100;
/** In the evening the users are reminded of the streaks that they began the day before. */
const DAY_BEFORE_MS = Date.parse('2026-03-03T12:00:00Z');
const EVENING_MS = Date.parse('2026-03-04T20:00:10Z');

export const reminders: Study = {
  name: 'reminders',
  measures: 'a worker that settles 100,000 users at the hour of a streak reminder and sends it by e-mail',
  isDefault: false,
  measure: measureReminders,
};

/** Measures a worker from the instant of the reminders until all of them are recorded as sent. */
async function measureReminders(bench: Bench, print: Print): Promise<Measurements> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const config = await configure(bench, pool);
  const clock = { now: () => DAY_BEFORE_MS };
  const recorder = await createRecorder(bench.redisUrl, config, clock);
  await recordUsers(bench, recorder, 0, USERS);
  recorder.redis.disconnect();
  const receiver = await startMailReceiver();
  await beginSharedTime(bench.redis, EVENING_MS, systemClock.now());
  const worker = await startBeforeDue(bench, {
    NODE_ENV: 'test',
    LAUREL_TEST_CLOCK: '1',
    SMTP_URL: receiver.url,
    LAUREL_MAIL_FROM: 'laurel@example.com',
    LAUREL_PUBLIC_URL: 'https://laurel.example.com',
  });
  const cpuSince = startCpuMeter({ ...bench.pids, worker: worker.pid });
  const startMs = monotonicMs();
  await moveDue(bench, 'back');
  await whenSent(pool, receiver);
  const seconds = (monotonicMs() - startMs) / 1_000;
  const { worker: workerCpu_us, redis: redisCpu_us, postgres: postgresCpu_us } = cpuSince(USERS);
  await worker.stop();
  receiver.close();
  await pool.end();
  print(
    `A worker sent ${USERS} reminders in ${seconds.toFixed(1)} s, ${Math.round(USERS / seconds)}/s, with the settling of their users. Of CPU, a reminder cost ${workerCpu_us.toFixed(0)} µs of the worker, ${redisCpu_us.toFixed(0)} µs of Redis and ${postgresCpu_us.toFixed(0)} µs of PostgreSQL.\n`,
  );
  return { users: USERS, seconds, workerCpu_us, redisCpu_us, postgresCpu_us };
}

async function configure({ redisUrl }: Bench, pool: Pool): Promise<Config> {
  const file = await readBenchConfig();
  const templates: ConfigFile['templates'] = [
    { name: 'Reminder', type: 'streak_reminder', channel: 'email' },
  ];
  return prepareService(pool, redisUrl, { ...file, templates }, DAY_BEFORE_MS);
}

/** Resolves when all reminders have arrived and are recorded as sent. */
async function whenSent(pool: Pool, receiver: MailReceiver): Promise<void> {
  while (receiver.count < USERS) await sleep(POLL_MS);
  for (;;) {
    const { rows } = await pool.query<{ sent: number }>(
      `select count(*)::integer as sent from notification_deliveries where status = 'sent'`,
    );
    if (rows[0]!.sent === USERS) return;
    await sleep(POLL_MS);
  }
}
