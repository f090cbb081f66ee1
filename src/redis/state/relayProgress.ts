import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { FORMAT_CONSUMER, fieldOf, RELAY_GROUP } from '../decoding/outbox.ts';
import { keys } from '../keys/redisKeys.ts';
import { ENTRY } from '../lua/entryFormat.ts';
import type { OutboxRange, Scripts } from '../scripts/scripts.ts';

/** Pauses between two checks: short at first, because the relay is rarely far behind, then longer. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 200;

/** An entry, by its id, for which a reader waits. */
interface AwaitedEntry {
  cell: number;
  last: string;
}

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
  const ranges = await readOutboxes(scripts, cells);
  const awaited = ranges.flatMap((range, i) =>
    range === null ? [] : [{ cell: cells[i]!, last: range.last }],
  );
  await waitWhileHeld(scripts, awaited, giveUpMs);
}

/**
 * The same for one entry: resolves when it and all earlier entries of its outbox have been written.
 *
 * @throws ServiceError `unavailable` if this takes longer than `waitMsMax`
 */
export async function waitForEntry(scripts: Scripts, entry: AwaitedEntry, waitMsMax: number): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  await waitWhileHeld(scripts, await stillHeld(scripts, [entry]), giveUpMs);
}

async function waitWhileHeld(
  scripts: Scripts,
  entries: readonly AwaitedEntry[],
  giveUpMs: number,
): Promise<void> {
  let awaited = entries;
  for (let pauseMs = PAUSE_MS_MIN; awaited.length > 0; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    if (monotonicMs() + pauseMs > giveUpMs) {
      throw new ServiceError('unavailable', 'What happened just now is not in the history yet; try again');
    }
    await sleep(pauseMs);
    awaited = await stillHeld(scripts, awaited);
  }
}

/** Those of the entries whose outbox has not passed them. */
async function stillHeld(scripts: Scripts, entries: readonly AwaitedEntry[]): Promise<AwaitedEntry[]> {
  const ranges = await readOutboxes(
    scripts,
    entries.map(({ cell }) => cell),
  );
  return entries.filter(({ last }, i) => ranges[i] != null && !isAfter(ranges[i].first, last));
}

/** Asks the relays to end their pauses, too. */
const readOutboxes = (scripts: Scripts, cells: readonly number[]): Promise<(OutboxRange | null)[]> =>
  Promise.all(cells.map((cell, i) => scripts.readOutbox(cell, i === 0)));

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
export function isAfter(id: string, other: string): boolean {
  const [ms, number] = id.split('-').map(Number);
  const [otherMs, otherNumber] = other.split('-').map(Number);
  return ms === otherMs ? number! > otherNumber! : ms! > otherMs!;
}

export interface RelayLag {
  /** Entries that are not in PostgreSQL yet. */
  entries: number;
  /** Creation of the oldest entry, milliseconds since 1970; null if there are no entries. */
  oldestMs: number | null;
}

/** Reads how far the relay is behind. Entries leave the outbox once they are in PostgreSQL. */
export async function readRelayLag(redis: Redis, cells: Cells): Promise<RelayLag> {
  const streams = allCells(cells).map((cell) => keys.outbox(cell));
  const [lengths, oldest] = await Promise.all([
    Promise.all(streams.map((stream) => redis.xlen(stream))),
    Promise.all(streams.map((stream) => redis.xrangeBuffer(stream, '-', '+', 'COUNT', 1))),
  ]);
  const instants = oldest.flat().map(([, fields]) => instantOf(fields));
  return {
    entries: lengths.reduce((sum, length) => sum + length, 0),
    oldestMs: instants.length === 0 ? null : Math.min(...instants),
  };
}

const instantOf = (fields: Buffer[]): number => Number(fieldOf(fields, ENTRY.now));
