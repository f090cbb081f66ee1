import { invalid } from './refuse.ts';

/** Where a page ends, as text that callers pass back. */
export function writeCursor(position: readonly (string | number)[] | null): string | null {
  return position === null ? null : Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * @returns null without a cursor
 * @throws ServiceError `invalid` when it is not one that `isPosition` knows
 */
export function readCursor<T extends readonly (string | number)[]>(
  cursor: string | undefined,
  isPosition: (value: unknown) => value is T,
): T | null {
  if (cursor === undefined) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isPosition(position)) return position;
  } catch {
    // Refused below.
  }
  throw invalid('cursor must be the cursor of the page before');
}
