import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from './support/installation.ts';
import { callApi } from './support/server.ts';
import { until } from './support/until.ts';

const USERS = 20;
const CLIENTS = 64;
const ANSWERS_BEFORE_CRASH = 2_000;

let dataDir: string;
let installation: Installation | undefined;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'laurel-crash-'));
});
afterAll(async () => {
  await installation?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends the n-th event; its idempotency key makes it the same event however often it is sent. */
async function send(url: string, n: number): Promise<number> {
  const body = { user: { id: `user-${n % USERS}` }, value: 1 };
  const reply = await callApi(`${url}/v1/metrics/lessons/event`, 'POST', body, { 'Idempotency-Key': `event-${n}` });
  return reply.status;
}

test('kill -9 of everything under load loses no answered event, and counts none twice', async () => {
  installation = await startInstallation(dataDir);
  const { url } = installation;
  let sent = 0;
  const answered: number[] = [];
  const client = async (): Promise<void> => {
    for (;;) {
      const n = sent++;
      try {
        if ((await send(url, n)) !== 201) throw new Error(`event ${n} was not recorded`);
        answered.push(n);
      } catch {
        return; // The service has been killed.
      }
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await until(() => answered.length >= ANSWERS_BEFORE_CRASH);
  await installation.killTree();
  await clients;
  expect(answered.length).toBeGreaterThanOrEqual(ANSWERS_BEFORE_CRASH);
  expect(sent).toBeGreaterThan(answered.length);

  installation = await startInstallation(dataDir);
  const restarted = installation.url;
  // An answered event is known; one whose answer was lost may be or not. Sent again, each counts exactly once.
  const statuses = new Map<number, number>();
  for (let from = 0; from < sent; from += CLIENTS) {
    const part = Array.from({ length: Math.min(CLIENTS, sent - from) }, (_, i) => from + i);
    await Promise.all(part.map(async (n) => statuses.set(n, await send(restarted, n))));
  }
  expect(answered.filter((n) => statuses.get(n) !== 202)).toEqual([]);
  const { body } = await callApi(`${restarted}/v1/leaderboards/weekly?limit=${USERS}`, 'GET');
  const expected = Array.from({ length: USERS }, (_, user) => Math.floor((sent - 1 - user) / USERS) + 1);
  const total = body.rankings.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
  expect(total).toBe(sent);
  expect(body.rankings.map(({ value }: { value: number }) => value)).toEqual(expected.sort((a, b) => b - a));
});

test('SIGTERM stops everything, and leaves nothing behind', async () => {
  const before = installation!.processes();
  expect(before.length).toBeGreaterThanOrEqual(5);
  expect(await installation!.stop()).toBe(0);
  installation = undefined;
  await until(() => before.every((pid) => !isRunning(pid)));
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
