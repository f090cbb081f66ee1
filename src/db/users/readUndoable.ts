import type { Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import { ARRIVED_AT, MILLISECONDS } from '../sql.ts';
import { EVENTS_OF_USER, undoOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/** An event of the history, for the administrator who may undo it. Instants are ms. */
export interface UndoableRow {
  metric: number;
  value: number;
  at: number;
  arrivedAt: number;
  /** By number. */
  attributes: Record<string, string>;
  /** null unless the event is undone. */
  undoneAt: number | null;
  awards: UndoableAward[];
}

/** Points that the event was awarded. */
export interface UndoableAward {
  system: number;
  trigger: number;
  awarded: number;
}

const EVENT: Statement = {
  name: 'event that may be undone',
  text: `select metric, value, ${MILLISECONDS('recorded_at')} as at, ${MILLISECONDS(ARRIVED_AT)} as "arrivedAt",
      coalesce(attributes, '{}') as attributes,
      (select ${MILLISECONDS(ARRIVED_AT)} from ${undoOf('event')} limit 1) as "undoneAt", awards
    from (select * from ${EVENTS_OF_USER}) as event where event_id = $3`,
};

/** @returns null if the user has no such event, or if it is no longer kept */
export async function readUndoable(
  rows: Rows,
  { tenant, userId }: UserKey,
  eventId: string,
): Promise<UndoableRow | null> {
  const [event] = await rows<Omit<UndoableRow, 'awards'> & { awards: string | null }>(EVENT, [
    tenant,
    userId,
    eventId,
  ]);
  if (event === undefined) return null;
  const awards = JSON.parse(event.awards ?? '[]') as [number, number, number][];
  return { ...event, awards: awards.map(([system, trigger, awarded]) => ({ system, trigger, awarded })) };
}

/**
 * When leaderboards (ids) were last made scheduled or active, ms; without those of which nothing is known.
 */
export async function readBeginnings(
  db: Queryable,
  tenant: number,
  leaderboards: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ entity: string; at: number }>(
    `select entity, max(${MILLISECONDS('at')}) as at from audit_log
     where tenant = $1 and entity = any($2) and after ->> 'status' in ('scheduled', 'active')
       and coalesce(before ->> 'status', 'inactive') not in ('scheduled', 'active')
     group by entity`,
    [tenant, leaderboards],
  );
  return new Map(rows.map(({ entity, at }) => [entity, at]));
}
