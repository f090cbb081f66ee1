import { didYouMean } from '../base/closest.ts';
import { EVENT_COLUMN_GROUPS, FIXED_USER_COLUMNS, USER_COLUMN_GROUPS } from '../contract/importColumns.ts';
import type { ImportKind } from '../contract/imports.ts';

/** Columns of CSV: those that a file must have, further ones, and groups whose names follow a dot. */
interface Columns {
  required: readonly string[];
  optional: readonly string[];
  groups: readonly string[];
}
const COLUMNS: Record<ImportKind, Columns> = {
  users: {
    required: ['id'],
    optional: FIXED_USER_COLUMNS,
    groups: USER_COLUMN_GROUPS,
  },
  events: {
    required: ['timestamp', 'metric', 'value', 'user.id'],
    optional: ['idempotencyKey', 'user.name', 'user.email', 'user.tz'],
    groups: EVENT_COLUMN_GROUPS,
  },
};

/**
 * The columns that the header of a CSV file names.
 * @throws Error that says what is wrong with the header, because it is wrong for all rows
 */
export function checkHeader(kind: ImportKind, names: readonly string[]): string[] {
  const { required, optional, groups } = COLUMNS[kind];
  const columns = names.map((name) => name.trim());
  const [only = ''] = columns;
  if (columns.length === 1 && /[;\t|]/.test(only))
    throw new Error(`line 1: columns must be separated by commas, not as in "${only}"`);
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    throw new Error(`line 1: column ${missing[0]} is missing; the header is ${columns.join(',')}`);
  const known = [...required, ...optional];
  const unknown = columns.find((name) => !known.includes(name) && !groups.some((group) => isIn(group, name)));
  if (unknown !== undefined)
    throw new Error(`line 1: column ${unknown} is unknown${didYouMean(unknown, known)}`);
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined) throw new Error(`line 1: column ${twice} occurs twice`);
  return columns;
}

const isIn = (group: string, name: string): boolean =>
  name.startsWith(`${group}.`) && name.length > group.length + 1;
