import { allCells } from '../../src/base/cells.ts';
import { keys } from '../../src/redis/state/redisKeys.ts';
import type { Bench, Child } from '../bench.ts';
import { CELLS, type Recorder } from './recorder.ts';

const USERS_AT_ONCE = 50_000;

/** Records an event of each of `count` users, without their history. */
export async function recordUsers(
  bench: Bench,
  { record }: Recorder,
  first: number,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += USERS_AT_ONCE) {
    await record(Math.min(USERS_AT_ONCE, count - from), (i) => ({ user: first + from + i, key: null }));
    await bench.dropOutbox();
  }
}

/** Starts a worker that sees no due user until these are moved back, so that its start is not measured. */
export async function startBeforeDue(bench: Bench, settings: NodeJS.ProcessEnv = {}): Promise<Child> {
  await moveDue(bench, 'aside');
  return bench.start('worker', [], settings);
}

export async function moveDue({ redis }: Bench, direction: 'aside' | 'back'): Promise<void> {
  for (const cell of allCells(CELLS)) {
    const names = [keys.due(cell), `${keys.due(cell)}:aside`];
    const [from, to] = direction === 'aside' ? names : names.reverse();
    if (await redis.exists(from!)) await redis.rename(from!, to!);
  }
}
