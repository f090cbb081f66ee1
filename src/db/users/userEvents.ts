import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { UNDO_ORIGIN, WITH_POINTS } from '../../rules/inForce/undo.ts';
import type { RunRange } from '../../rules/runZones.ts';
import { INSTANT, raw, type Sql, sql } from '../sql.ts';
import type { UserKey } from './userMap.ts';

/** SQL that reads the events and awards of one user from the tables that hold them. */

const userNo = (tenant: number | Sql, userId: string | Sql): Sql =>
  sql`(select no from user_numbers where tenant = ${tenant} and user_id = ${userId})`;

/** The events of a user, as a table with a condition. */
export const eventsOf = ({ tenant, userId }: UserKey): Sql =>
  sql`recorded_events where user_no = ${userNo(tenant, userId)}`;

/**
 * The awards of a user, as two tables with conditions. Each is read by its own index and no further than
 * necessary, which a view over both would not allow.
 */
export const awardsOf = (tenant: number | Sql, userId: string | Sql): { others: Sql; ofEvents: Sql } => ({
  others: sql`points_awards where tenant = ${tenant} and user_id = ${userId}`,
  ofEvents: sql`event_awards where user_no = ${userNo(tenant, userId)}`,
});

const origin = (event: string): Sql => raw(`${event}.attributes ->> '${ORIGIN_ATTRIBUTE}'`);

/** The event `undo` that undoes an event (src/rules/inForce/undo.ts), as a table with a condition. */
export const undoOf = (event: string): Sql =>
  sql`recorded_events undo where undo.user_no = ${raw(event)}.user_no and undo.metric = ${raw(event)}.metric
    and undo.recorded_at = ${raw(event)}.recorded_at and ${origin('undo')} in (
      ${raw(`'${UNDO_ORIGIN}' || ${event}.event_id, '${UNDO_ORIGIN}' || ${event}.event_id || '${WITH_POINTS}'`)})`;

/** Whether an event was undone with its points, or undoes another one so. */
export const isTakenBack = (event: string): Sql =>
  sql`(coalesce(${origin(event)}, '') like ${raw(`'${UNDO_ORIGIN}%${WITH_POINTS}'`)}
    or exists (select from ${undoOf(event)} and ${origin('undo')} like ${raw(`'%${WITH_POINTS}'`)}))`;

/**
 * Whether an application sent an event that nobody has undone. Without an origin, it neither undoes another
 * one nor stands for an imported total.
 */
export const stillCounts = (event: string): Sql =>
  sql`${origin(event)} is null and not exists (select from ${undoOf(event)})`;

/** Whether an event is in a run. */
export const isInRun = ({ fromDate, toDate, from, till }: RunRange): Sql =>
  sql`(${fromDate}::date is null or local_date >= ${fromDate}::date)
    and (${toDate}::date is null or local_date <= ${toDate}::date)
    and (${from}::float8 is null or recorded_at >= ${INSTANT(from)})
    and (${till}::float8 is null or recorded_at < ${INSTANT(till)})`;
