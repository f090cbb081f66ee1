import { KEPT_CHANGE } from '../layouts/keptLayout.ts';
import type { RecordOf } from '../layouts/recordLayout.ts';
import { pack, unpackAll } from './codec.ts';
import { readEffects } from './decodeOutcomes.ts';
import type { BoardChange, PointsChange } from './outcome.ts';
import { type FlatReply, Reader } from './reader.ts';

/** A change that a script has added to a kept history. */
export interface KeptChange extends RecordOf<typeof KEPT_CHANGE> {
  points: PointsChange[];
  boards: BoardChange[];
}

/** What Redis keeps of a user's history. */
export interface LatestHistory {
  /** When the oldest of the parts was read from PostgreSQL, ms. */
  readAt: number;
  /** Parts of the history, by name, as they were when the header was written: msgpack. */
  parts: Readonly<Record<string, Buffer>>;
  /** All changes since, in order. */
  changes: KeptChange[];
}

/** Header of a kept history: sequence number of the user, and as in LatestHistory. */
type Header = [sequence: number, readAt: number, parts: Record<string, Buffer>];

export const packHeader = (...header: Header): Buffer => pack(header);

/**
 * Reads the list of lua/includes/keptHistory.lua as of the change `sequence` of the user; later changes are
 * left out.
 * @returns null if a change is missing
 */
export function readKeptHistory(list: readonly Buffer[], sequence: number): LatestHistory | null {
  const [first, ...later] = list;
  if (first === undefined) return null;
  const [[begins, readAt, parts]] = unpackAll(first) as [Header];
  const changes: KeptChange[] = [];
  for (const item of later) {
    const change = readChange(item);
    if (change.sequence > sequence) break;
    if (change.sequence !== begins + changes.length + 1) return null;
    changes.push(change);
  }
  if (begins + changes.length !== sequence) return null;
  return { readAt, parts, changes };
}

function readChange(packed: Buffer): KeptChange {
  const reader = new Reader(unpackAll(packed) as FlatReply);
  return { ...reader.named(KEPT_CHANGE), ...readEffects(reader) };
}
