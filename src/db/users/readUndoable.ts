import type { Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import { MILLISECONDS } from '../sql.ts';
import { EVENTS_OF_USER, undoOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/** An event of the history, for the administrator who may undo it. Instants are ms. */
export interface UndoableRow {
  metric: number;
  value: number;
  at: number;
  /** By number. */
  attributes: Record<string, string>;
  /** null unless the event is undone. */
  undoneAt: number | null;
}

const EVENT: Statement = {
  name: 'event that may be undone',
  text: `select metric, value, ${MILLISECONDS('recorded_at')} as at, coalesce(attributes, '{}') as attributes,
      (select ${MILLISECONDS('coalesce(undo.used_at, undo.recorded_at)')} from ${undoOf('event')} limit 1) as "undoneAt"
    from (select * from ${EVENTS_OF_USER}) as event where event_id = $3`,
};

/** @returns null if the user has no such event, or if it is no longer kept */
export async function readUndoable(
  rows: Rows,
  { tenant, userId }: UserKey,
  eventId: string,
): Promise<UndoableRow | null> {
  const [event] = await rows<UndoableRow>(EVENT, [tenant, userId, eventId]);
  return event ?? null;
}

/** Ids of those leaderboards that were made scheduled or active after an instant (ms). */
export async function findBegunLater(
  db: Queryable,
  tenant: number,
  leaderboards: readonly string[],
  at: number,
): Promise<string[]> {
  const { rows } = await db.query<{ entity: string }>(
    `select distinct entity from audit_log
     where tenant = $1 and entity = any($2) and at > $3 and after ->> 'status' in ('scheduled', 'active')
       and coalesce(before ->> 'status', 'inactive') not in ('scheduled', 'active')`,
    [tenant, leaderboards, new Date(at)],
  );
  return rows.map(({ entity }) => entity);
}
