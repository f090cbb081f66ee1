import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSeed } from '../support/random.ts';
import { runWorld } from './runWorld.ts';
import type { Failure } from './shrink.ts';
import { drawWorld } from './world.ts';

const TIMEOUT_MS = 300_000;
/** Worlds that once showed a difference, made small. */
const WORLDS = join(import.meta.dirname, 'worlds');
/** Seeds of others that once did: their worlds are drawn anew. */
const SEEDS_ONCE_FAILED = [5, 7, 24, 28, 435_484_903];
const STEPS_ONCE_FAILED = 40;
/** Other worlds in each run: no seed is used again, as long as there is time. */
const FRESH_MS = 1_000 * Number(process.env.LAUREL_FRESH_SECONDS ?? 15);
const STEPS_FRESH = 150;
const SEEDS_MAX = 1_000_000_000;

test.each(readdirSync(WORLDS))(
  'the service answers what the model says: %s',
  { timeout: TIMEOUT_MS },
  async (name) => {
    const { world, steps } = JSON.parse(readFileSync(join(WORLDS, name), 'utf8')) as Failure;
    expect((await runWorld(world, { steps })).finding).toBeNull();
  },
);

test.each(SEEDS_ONCE_FAILED)(
  'the service answers what the model says: seed %i',
  { timeout: TIMEOUT_MS },
  async (seed) => {
    expect((await runWorld(drawWorld(seed), { count: STEPS_ONCE_FAILED })).finding).toBeNull();
  },
);

test('the service answers what the model says in worlds that nobody has seen', {
  timeout: TIMEOUT_MS + FRESH_MS,
}, async () => {
  const first = readSeed('simulate', randomInt(1, SEEDS_MAX));
  const end = performance.now() + FRESH_MS;
  for (let seed = first; performance.now() < end; seed++) {
    const life = { count: STEPS_FRESH, mayGoOn: () => performance.now() < end };
    const { finding, operations } = await runWorld(drawWorld(seed), life);
    console.log(`seed ${seed}: ${operations} operations`);
    const replay = `npm run simulate -- --seed ${seed} --steps ${STEPS_FRESH} --worlds 1`;
    expect(finding, `seed ${seed} differs. To repeat it: ${replay}`).toBeNull();
  }
});
