import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { FORMAT_CONSUMER, RELAY_GROUP } from '../scripts/outbox.ts';
import type { Scripts } from '../scripts/scripts.ts';
import { keys } from './redisKeys.ts';

/** Pauses between two checks: short at first, because the relay is rarely far behind, then longer. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 200;

/**
 * Resolves when all entries that are in the outboxes of these cells at the call have been written to
 * PostgreSQL. Asks the relays to end their pauses (workers/relay/relayPause.ts), with every check, because a
 * message of Redis may be lost.
 *
 * @throws ServiceError `unavailable` if this takes longer than `waitMsMax`
 */
export async function waitForRelay(
  scripts: Scripts,
  cells: readonly number[],
  waitMsMax: number,
): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  const read = (of: readonly number[]) => Promise.all(of.map((cell, i) => scripts.readOutbox(cell, i === 0)));
  const ranges = await read(cells);
  let awaited = ranges.flatMap((range, i) => (range === null ? [] : [{ cell: cells[i]!, last: range.last }]));
  for (let pauseMs = PAUSE_MS_MIN; awaited.length > 0; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    if (monotonicMs() + pauseMs > giveUpMs) {
      throw new ServiceError('unavailable', 'What happened just now is not in the history yet; try again');
    }
    await sleep(pauseMs);
    const now = await read(awaited.map(({ cell }) => cell));
    awaited = awaited.filter(({ last }, i) => now[i] != null && !isAfter(now[i].first, last));
  }
}

/** Whether the outboxes are empty or a relay reads them. */
export async function isRelayed(redis: Redis, cells: Cells): Promise<boolean> {
  const outboxes = allCells(cells).map((cell) => keys.outbox(cell));
  const [lengths, groups] = await Promise.all([
    Promise.all(outboxes.map((outbox) => redis.xlen(outbox))),
    Promise.all(outboxes.map((outbox) => redis.xinfo('GROUPS', outbox).catch(() => []))),
  ]);
  if (lengths.every((length) => length === 0)) return true;
  return groups.some((ofStream) =>
    (ofStream as unknown[][]).some((group) => Number(group[group.indexOf('consumers') + 1]) > 0),
  );
}

/**
 * How long ago a relay last asked for entries, ms; null if none ever did. Consumers named after formats are
 * no relays.
 */
export async function readRelaySilence(redis: Redis, cells: Cells): Promise<number | null> {
  const perCell = await Promise.all(
    allCells(cells).map((cell) => redis.xinfo('CONSUMERS', keys.outbox(cell), RELAY_GROUP).catch(() => [])),
  );
  const idle = (perCell as unknown[][][]).flat().flatMap((consumer) => {
    const field = (name: string): unknown => consumer[consumer.indexOf(name) + 1];
    return String(field('name')).startsWith(FORMAT_CONSUMER) ? [] : [Number(field('idle'))];
  });
  return idle.length === 0 ? null : Math.min(...idle);
}

/** Number of outbox entries, by format, that relays have left because they do not know the format. */
export async function countLeftEntries(redis: Redis, cells: Cells): Promise<Map<string, number>> {
  const pending = await Promise.all(
    allCells(cells).map((cell) => redis.xpending(keys.outbox(cell), RELAY_GROUP).catch(() => [])),
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
