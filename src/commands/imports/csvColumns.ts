import { didYouMean } from '../../base/closest.ts';
import { EVENT_COLUMN_GROUPS, FIXED_USER_COLUMNS, USER_COLUMN_GROUPS } from '../../contract/importColumns.ts';
import type { ImportKind } from '../../contract/imports.ts';

/** Columns of CSV: those that a file must have, further ones, and groups whose names follow a dot. */
interface Columns {
  required: readonly string[];
  optional: readonly string[];
  groups: readonly string[];
}
const USERS: Columns = { required: ['id'], optional: FIXED_USER_COLUMNS, groups: USER_COLUMN_GROUPS };
const EVENTS: Columns = {
  required: ['timestamp', 'metric', 'value', 'user.id'],
  optional: ['idempotencyKey', 'user.name', 'user.email', 'user.tz'],
  groups: EVENT_COLUMN_GROUPS,
};
/** Group of the columns whose values are those of several metrics, in place of `metric` and `value`. */
const METRICS = 'metrics';
const METRICS_EVENTS: Columns = {
  ...EVENTS,
  required: ['timestamp', 'user.id'],
  groups: [METRICS, ...EVENT_COLUMN_GROUPS],
};

function columnsOf(kind: ImportKind, names: readonly string[]): Columns {
  if (kind === 'users') return USERS;
  return names.some((name) => isIn(METRICS, name)) ? METRICS_EVENTS : EVENTS;
}

/**
 * The columns that the header of a CSV file names.
 * @throws Error that says what is wrong with the header, because it is wrong for all rows
 */
export function checkHeader(kind: ImportKind, names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim());
  const { required, optional, groups } = columnsOf(kind, columns);
  const [only = ''] = columns;
  if (columns.length === 1 && /[;\t|]/.test(only))
    throw new Error(`line 1: columns must be separated by commas: "${only}"`);
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

/** Columns whose part after the dot is a field of a user, or the key of an attribute or a metric. */
const NESTED = /^(user\.attributes|user|attributes|metrics)\.(.+)$/;

/** Where a column belongs: in the event, its metrics, its user, or the attributes of either. */
interface Place {
  group: string | undefined;
  field: string;
}

/**
 * Makes the events of a file of CSV, as lines of NDJSON have them: the column `user.tz` is the field `tz` of
 * the user. An empty column is no field. The service checks the fields.
 */
export function eventMaker(columns: readonly string[]): (texts: readonly string[]) => object {
  const places = columns.map((column): Place => {
    const [, group, field = column] = NESTED.exec(column) ?? [];
    return { group, field };
  });
  return (texts) => eventOf(places, texts);
}

function eventOf(places: readonly Place[], texts: readonly string[]): object {
  const user: Record<string, unknown> = {};
  const event: Record<string, unknown> = { user };
  for (const [i, text] of texts.entries()) {
    if (text === '') continue;
    const { group, field } = places[i]!;
    if (group === 'user.attributes') place(user, 'attributes', field, text);
    else if (group === 'user') user[field] = text;
    else if (group === 'attributes') place(event, 'attributes', field, text);
    else if (group === METRICS) place(event, METRICS, field, numberIn(text));
    else event[field] = field === 'value' ? numberIn(text) : text;
  }
  return event;
}

function place(of: Record<string, unknown>, group: string, field: string, value: string | number): void {
  of[group] ??= {};
  (of[group] as Record<string, unknown>)[field] = value;
}

/** Anything else stays a text, which the service refuses. */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}
