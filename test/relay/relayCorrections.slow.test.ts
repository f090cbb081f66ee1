import type { PoolClient } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

/** An achievement is completed, revoked and completed again, while several relays hold the changes. */
const relaying = useRelaying();
const { createRelay, isDrained, rowsOf } = relaying;

const HOUR_MS = 3_600_000;
const CONNECTIONS = 10;
const STEPS = ['complete', 'revoke', 'complete'] as const;

/** A relay that reads, and waits for PostgreSQL before it writes. */
interface Held {
  relay: Relay;
  pool: Pool;
  taken: PoolClient[];
}

let held: Held[] = [];
afterEach(async () => {
  for (const one of held) await release(one);
  held = [];
});

async function change(step: (typeof STEPS)[number]): Promise<void> {
  const { users, rules } = relaying.engine;
  if (step === 'complete') return void (await users.complete(rules(), 'ann', {}, 'profile'));
  const achievement = rules().config.achievements.find(({ key }) => key === 'profile')!;
  await users.correct(rules(), 'ann', { op: 'revoke', achievement });
}

/** Starts a relay, and lets it hang before it writes what it reads. */
async function hold(): Promise<Held> {
  const pool = createPool(relaying.database.url, silent);
  const relay = createRelay({ pool, takeOverIdleMs: HOUR_MS });
  // It reads the fence, and nothing that another relay holds.
  await relay.runOnce();
  relay.start();
  const taken = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
  const one = { relay, pool, taken };
  held.push(one);
  return one;
}

async function release({ relay, pool, taken }: Held): Promise<void> {
  for (const client of taken.splice(0)) client.release();
  await relay.stop();
  if (!pool.ended) await pool.end();
}

/** The completions of the test's user, and what the counts say of them. */
async function found(): Promise<unknown> {
  const completions = await rowsOf('completed_achievements', 'achievement');
  const counts = (await rowsOf('daily_counts')).filter(({ kind }) => kind === 'completions');
  const total = counts.reduce((sum, { count }) => sum + Number(count), 0);
  return [completions.map(({ completed_at }) => (completed_at as Date).getTime()), total];
}

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

describe('each change is held by a relay of its own', () => {
  test.each(ORDERS)('and they write in the order %d %d %d', async (...order) => {
    const relays: Held[] = [];
    for (const [i, step] of STEPS.entries()) {
      relaying.engine.clock.set(NOON + i * HOUR_MS);
      const one = await hold();
      relays.push(one);
      await change(step);
      await until(() => one.relay.isHolding);
    }
    for (const i of order) await release(relays[i]!);
    expect(await isDrained()).toBe(true);
    expect(await found()).toEqual([[NOON + 2 * HOUR_MS], 1]);
  });
});

test('a relay that another one has replaced in the middle brings no revoked completion back', async () => {
  const slow = await hold();
  await change('complete');
  relaying.engine.clock.set(NOON + HOUR_MS);
  await change('revoke');
  await until(() => slow.relay.isHolding);
  const other = createRelay({ takeOverIdleMs: 1 });
  await relaying.drain(other);
  expect(await isDrained()).toBe(true);
  expect(await found()).toEqual([[], 0]);
  await release(slow);
  expect(await found()).toEqual([[], 0]);
  relaying.engine.clock.set(NOON + 2 * HOUR_MS);
  await change('complete');
  await relaying.drain(other);
  expect(await found()).toEqual([[NOON + 2 * HOUR_MS], 1]);
});

test('a completion, its revocation and a new completion in one millisecond are all in the history', async () => {
  for (const step of STEPS) await change(step);
  await relaying.drain();
  expect(await found()).toEqual([[NOON + 1], 1]);
  await change('revoke');
  await relaying.drain();
  expect(await found()).toEqual([[], 0]);
});
