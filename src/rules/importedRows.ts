import { ServiceError } from '../base/errors.ts';
import { hash32 } from '../base/ids.ts';
import { IMPORT_PARTS } from '../base/importLimits.ts';
import type { ImportKind, ImportRow } from '../contract/imports.ts';

/** A row of an import that names its user. */
export interface ImportedRow {
  line: number;
  userId: string;
  content: Record<string, unknown>;
}

/** The part of an import that has all rows of a user. */
export const partOf = (userId: string): number => hash32(userId) % IMPORT_PARTS;

/**
 * The part of a user in an import that is sorted by id.
 * @param ranges the first id of each range, ascending
 */
export function sortedPartOf(ranges: readonly string[], userId: string): number {
  let [first, end] = [0, ranges.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (ranges[middle]! <= userId) first = middle + 1;
    else end = middle;
  }
  return IMPORT_PARTS + first;
}

/** Lines of rows as texts by part, in the order given. */
export function linesByPart(lines: Iterable<readonly [part: number, line: string]>): Map<number, string> {
  const lists = new Map<number, string[]>();
  for (const [part, line] of lines) {
    const list = lists.get(part);
    if (list === undefined) lists.set(part, [line]);
    else list.push(line);
  }
  return new Map(Array.from(lists, ([part, list]) => [part, list.join('\n')]));
}

/** @throws ServiceError `invalid` that says why the row names no user */
export function readRow(kind: ImportKind, { line, row }: ImportRow): ImportedRow {
  const content = parseObject(row);
  const userId = kind === 'users' ? content.id : (content.user as { id?: unknown } | undefined)?.id;
  if (typeof userId !== 'string' || userId === '')
    throw new ServiceError('invalid', `${kind === 'users' ? 'id' : 'user.id'} must be the id of a user`);
  return { line, userId, content };
}

/** @throws ServiceError `invalid` unless the text is a JSON object */
export function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid', `is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new ServiceError('invalid', 'must be a JSON object');
}

/** A row as a part keeps it. JSON without line feeds between its values fits into a line. */
export const lineOf = ({ line, row }: ImportRow): string => `${line} ${row.replaceAll(/[\r\n]/g, ' ')}`;

/** The inverse of lineOf. */
export function rowOf(text: string): ImportRow {
  const space = text.indexOf(' ');
  return { line: Number(text.slice(0, space)), row: text.slice(space + 1) };
}
