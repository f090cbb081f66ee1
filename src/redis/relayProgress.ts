import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { allShards } from '../base/shards.ts';
import { keys } from './keys.ts';
import { FORMAT_CONSUMER, RELAY_GROUP } from './outbox.ts';
import type { Scripts } from './scripts.ts';

/** Pauses between two checks: short at first, because the relay is rarely far behind, then longer. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 200;

/**
 * Resolves when all entries that are in the outboxes at the call have been written to PostgreSQL. Checks all shards: an entry may
 * be in the outbox of another shard than its user, because one script call serves many users. Asks the relays not to gather more
 * entries (workers/gathering.ts), with every check, because a message of Redis may be lost.
 *
 * @throws ServiceError `unavailable` if this takes longer than `waitMsMax`
 */
export async function waitForRelay(scripts: Scripts, shards: number, waitMsMax: number): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  const read = (of: readonly number[]) => Promise.all(of.map((shard, i) => scripts.readOutbox(shard, i === 0)));
  const ranges = await read(allShards(shards));
  let awaited = ranges.flatMap((range, shard) => (range === null ? [] : [{ shard, last: range.last }]));
  for (let pauseMs = PAUSE_MS_MIN; awaited.length > 0; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    if (monotonicMs() + pauseMs > giveUpMs) {
      throw new ServiceError('unavailable', 'What happened just now is not in the history yet; try again');
    }
    await sleep(pauseMs);
    const now = await read(awaited.map(({ shard }) => shard));
    awaited = awaited.filter(({ last }, i) => now[i] != null && !isAfter(now[i].first, last));
  }
}

/** Whether the outboxes are empty or a relay reads them. */
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

/** Number of outbox entries, by format, that relays have left because they do not know the format. */
export async function countLeftEntries(redis: Redis, shards: number): Promise<Map<string, number>> {
  const pending = await Promise.all(
    allShards(shards).map((shard) => redis.xpending(keys.outbox(shard), RELAY_GROUP).catch(() => [])),
  );
  const counts = new Map<string, number>();
  for (const [, , , consumers] of pending as [number, string, string, [string, string][] | null][]) {
    for (const [consumer, count] of consumers ?? []) {
      if (!consumer.startsWith(FORMAT_CONSUMER)) continue;
      const format = consumer.slice(FORMAT_CONSUMER.length);
      counts.set(format, (counts.get(format) ?? 0) + Number(count));
    }
  }
  return counts;
}

/** Compares ids of stream entries, "<ms>-<number>". */
function isAfter(id: string, other: string): boolean {
  const [ms, number] = id.split('-').map(Number);
  const [otherMs, otherNumber] = other.split('-').map(Number);
  return ms === otherMs ? number! > otherNumber! : ms! > otherMs!;
}
