import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWorld } from './runWorld.ts';
import type { Failure } from './shrink.ts';
import { drawWorld } from './world.ts';

const TIMEOUT_MS = 300_000;
/** Worlds that once showed a difference, made small. */
const WORLDS = join(import.meta.dirname, 'worlds');
/** Worlds of which that is not kept: their operations are drawn anew. */
const SEEDS = [5, 7, 24, 28];
const STEPS = 150;

test.each(readdirSync(WORLDS))(
  'the service answers what the model says: %s',
  { timeout: TIMEOUT_MS },
  async (name) => {
    const { world, steps } = JSON.parse(readFileSync(join(WORLDS, name), 'utf8')) as Failure;
    expect((await runWorld(world, { steps })).finding).toBeNull();
  },
);

test.each(SEEDS)(
  'the service answers what the model says: seed %i',
  { timeout: TIMEOUT_MS },
  async (seed) => {
    expect((await runWorld(drawWorld(seed), { count: STEPS })).finding).toBeNull();
  },
);
