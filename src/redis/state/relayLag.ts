import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../base/cells.ts';
import { ENTRY } from '../scripts/entryFormat.ts';
import { fieldOf } from '../scripts/outbox.ts';
import { keys } from './redisKeys.ts';

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
