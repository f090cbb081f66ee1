import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import type { Target } from '../target.ts';
import { createRandom, WORKLOAD } from '../workload.ts';
import { BATCHES_PATH, batchBody, userId, zipfUsers } from './traffic.ts';

const READERS = 2 * BATCH_EVENTS_MAX;
const EVENTS_EACH = 12;
const READS_AT_ONCE = 16;
const POLL_MS = 100;

/** Draws one of the readers. */
export function nextReader(): () => number {
  const next = zipfUsers(READERS);
  return () => WORKLOAD.users + next();
}

/** Draws one of the readers, who are all equally active. */
export function nextEqualReader(): () => number {
  const random = createRandom(WORKLOAD.seed);
  return () => WORKLOAD.users + Math.floor(random() * READERS);
}

const created = new WeakMap<Target, Promise<void>>();

/**
 * Creates users with a history in PostgreSQL, whom no load of events changes, and reads each of the paths of
 * each of them once.
 */
export async function createReaders(target: Target, paths: readonly string[]): Promise<void> {
  const readers = Array.from({ length: READERS }, (_, i) => WORKLOAD.users + i);
  const creating = created.get(target) ?? recordEvents(target, readers);
  created.set(target, creating);
  await creating;
  const left = readers.flatMap((user) =>
    paths.map((path) => `/v1/users/${userId(target.prefix, user)}${path}`),
  );
  const readNext = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await target.call('GET', path);
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
}

async function recordEvents(target: Target, users: readonly number[]): Promise<void> {
  const { bench, ledger, prefix } = target;
  const worker = await bench.start('worker');
  for (let event = 0; event < EVENTS_EACH; event++) {
    for (let from = 0; from < users.length; from += BATCH_EVENTS_MAX) {
      const some = users.slice(from, from + BATCH_EVENTS_MAX);
      await target.call('POST', BATCHES_PATH, batchBody(prefix, some));
      for (const user of some) ledger.addEvent(user);
    }
  }
  while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
  await worker.stop();
}
