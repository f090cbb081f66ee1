import { IMPORT_PARTS } from '../../base/importLimits.ts';
import { insertParts, lockRanges, setRanges, takeUnsorted } from '../../db/imports/importParts.ts';
import type { ImportRecord } from '../../db/imports/importRows.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { linesByPart, readRow, rowOf, sortedPartOf } from '../../rules/importedRows.ts';

/** Users of an import from which on they are applied in the order of their ids. */
export const IMPORT_SORTED_ROWS_MIN = 10_000;
/** Chunks whose rows a worker sorts at once: some ten megabytes. */
export const IMPORT_SORTED_CHUNKS = 8;

/**
 * Sorts some users of an import by range of ids. Users with similar ids then reach PostgreSQL together, where
 * they are on the same pages of the indexes: in the order of a hash, each batch of a large import changes
 * nearly all pages. A part by hash is a sample of all users, so the first ones tell the ranges.
 * @returns false if all users are sorted, or the import needs no order
 */
export function sortSomeUsers(pool: Pool, record: ImportRecord): Promise<boolean> {
  const { id, kind, chunks, received } = record;
  if (kind !== 'users' || received < IMPORT_SORTED_ROWS_MIN) return Promise.resolve(false);
  return transaction(pool, async (client) => {
    const known = await lockRanges(client, id);
    const count = Math.max(1, Math.floor((IMPORT_PARTS * IMPORT_SORTED_CHUNKS) / Math.max(1, chunks)));
    const taken = await takeUnsorted(client, id, Math.min(IMPORT_PARTS, count));
    if (taken === null) return false;
    const lines = taken.lines.filter((line) => line !== '');
    const userIds = lines.map((line) => readRow(kind, rowOf(line)).userId);
    const ranges = known ?? rangesOf(userIds);
    if (known === null) await setRanges(client, id, ranges);
    const parts = linesByPart(lines.map((line, i) => [sortedPartOf(ranges, userIds[i]!), line]));
    await insertParts(client, id, taken.first, parts);
    return true;
  });
}

/** The first ids of ranges that have equally many of these users. The first range has no first id. */
function rangesOf(userIds: readonly string[]): string[] {
  const sorted = userIds.toSorted();
  const ranges = Array.from(
    { length: IMPORT_PARTS - 1 },
    (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / IMPORT_PARTS)]!,
  );
  return [...new Set(ranges)];
}
