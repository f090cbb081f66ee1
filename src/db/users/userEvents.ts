import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import type { RunRange } from '../../rules/runZones.ts';
import { UNDO_ORIGIN, WITH_POINTS } from '../../rules/undo.ts';
import { INSTANT } from '../sql.ts';

/**
 * SQL that reads the events and awards of one user from the tables that hold them; by default $1 is the
 * tenant and $2 the user.
 */

const userNo = (tenant: string, userId: string): string =>
  `(select no from user_numbers where tenant = ${tenant} and user_id = ${userId})`;

/** Each is a table with a condition. */
export const EVENTS_OF_USER = `recorded_events where user_no = ${userNo('$1', '$2')}`;
export const AWARDS_OF_USER = awardsOf('$1', '$2');

/**
 * The first rows in an order, of several tables. Each table is read by its own index and no further than
 * necessary, which a view over the tables would not allow.
 */
export function firstOf(
  tables: readonly string[],
  { columns, condition, order, limit }: { columns: string; condition: string; order: string; limit: string },
): string {
  const parts = tables.map(
    (table) => `(select ${columns} from ${table} and ${condition} order by ${order} limit ${limit})`,
  );
  return `select * from (${parts.join(' union all ')}) as row order by ${order} limit ${limit}`;
}

/** All rows of several tables that meet a condition. */
export function allOf(
  tables: readonly string[],
  { columns, condition }: { columns: string; condition: string },
): string {
  return tables.map((table) => `select ${columns} from ${table} and ${condition}`).join(' union all ');
}

/** The tables of awards, for a user that SQL gives. */
export function awardsOf(tenant: string, userId: string): readonly string[] {
  return [
    `points_awards where tenant = ${tenant} and user_id = ${userId}`,
    `event_awards where user_no = ${userNo(tenant, userId)}`,
  ];
}

/** The event `undo` that undoes an event (src/rules/undo.ts), as a table with a condition. */
export const undoOf = (event: string): string =>
  `recorded_events undo where undo.user_no = ${event}.user_no and undo.metric = ${event}.metric
    and undo.recorded_at = ${event}.recorded_at
    and undo.attributes ->> '${ORIGIN_ATTRIBUTE}' in (
      '${UNDO_ORIGIN}' || ${event}.event_id, '${UNDO_ORIGIN}' || ${event}.event_id || '${WITH_POINTS}')`;

/** Whether an event was undone with its points, or undoes another one so. */
export const isTakenBack = (event: string): string =>
  `(coalesce(${event}.attributes ->> '${ORIGIN_ATTRIBUTE}', '') like '${UNDO_ORIGIN}%${WITH_POINTS}'
    or exists (select from ${undoOf(event)} and undo.attributes ->> '${ORIGIN_ATTRIBUTE}' like '%${WITH_POINTS}'))`;

/** Whether an application sent an event: it neither undoes another one nor stands for an imported total. */
const isSent = (event: string): string => `${event}.attributes ->> '${ORIGIN_ATTRIBUTE}' is null`;

/** Whether an application sent an event that nobody has undone. */
export const stillCounts = (event: string): string =>
  `${isSent(event)} and not exists (select from ${undoOf(event)})`;

/** Whether an event is in a run; `first`: number of the first of four parameters (`rangeValues`). */
export const isInRun = (first: number): string => {
  const [fromDate, toDate] = [`$${first}::date`, `$${first + 1}::date`];
  const [from, till] = [`$${first + 2}::float8`, `$${first + 3}::float8`];
  return `(${fromDate} is null or local_date >= ${fromDate}) and (${toDate} is null or local_date <= ${toDate})
    and (${from} is null or recorded_at >= ${INSTANT(from)}) and (${till} is null or recorded_at < ${INSTANT(till)})`;
};

export const rangeValues = ({ fromDate, toDate, from, till }: RunRange): unknown[] => [
  fromDate,
  toDate,
  from,
  till,
];
