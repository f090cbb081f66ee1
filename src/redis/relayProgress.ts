import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { allShards } from '../base/shards.ts';
import { keys } from './keys.ts';
import type { Scripts } from './scripts.ts';

/** Waits between two looks: short at first, as the relay is seldom far behind, then longer. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 200;

/**
 * Resolves once PostgreSQL has everything that the outboxes hold at the call: entries leave them when they are there.
 * What a user did may stand in the outbox of any shard, as one script call serves many users.
 *
 * @throws ServiceError `unavailable` when that takes longer than `waitMsMax`
 */
export async function waitForRelay(scripts: Scripts, shards: number, waitMsMax: number): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  const read = (shard: number) => scripts.readOutbox(shard);
  const ranges = await Promise.all(allShards(shards).map((shard) => read(shard)));
  let awaited = ranges.flatMap((range, shard) => (range === null ? [] : [{ shard, last: range.last }]));
  for (let pauseMs = PAUSE_MS_MIN; awaited.length > 0; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    if (monotonicMs() + pauseMs > giveUpMs) {
      throw new ServiceError('unavailable', 'What happened just now is not in the history yet; try again');
    }
    await sleep(pauseMs);
    const now = await Promise.all(awaited.map(({ shard }) => read(shard)));
    awaited = awaited.filter(({ last }, i) => now[i] != null && !isAfter(now[i].first, last));
  }
}

/** Whether PostgreSQL has everything, or soon will: a relay takes entries out of the outboxes. */
export async function isRelayed(redis: Redis, shards: number): Promise<boolean> {
  const outboxes = allShards(shards).map((shard) => keys.outbox(shard));
  const [lengths, groups] = await Promise.all([
    Promise.all(outboxes.map((outbox) => redis.xlen(outbox))),
    Promise.all(outboxes.map((outbox) => redis.xinfo('GROUPS', outbox).catch(() => []))),
  ]);
  if (lengths.every((length) => length === 0)) return true;
  return groups.some((ofStream) =>
    (ofStream as unknown[][]).some((group) => Number(group[group.indexOf('consumers') + 1]) > 0),
  );
}

/** Ids of stream entries, "<ms>-<number>". */
function isAfter(id: string, other: string): boolean {
  const [ms, number] = id.split('-').map(Number);
  const [otherMs, otherNumber] = other.split('-').map(Number);
  return ms === otherMs ? number! > otherNumber! : ms! > otherMs!;
}
