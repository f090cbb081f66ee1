import type { Counting } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, isCounted, periodSql } from '../conditions/countingSql.ts';
import type { Queryable } from '../pool.ts';
import { all, first, type Rows } from '../rows.ts';
import { ARRIVED_AT, MILLISECONDS, ORDINAL, sql } from '../sql.ts';
import { eventsOf, isTakenBack, stillCounts, undoOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/** An event of the history, for the administrator who may undo it. Instants are ms. */
export interface UndoableRow {
  metric: number;
  value: number;
  at: number;
  arrivedAt: number;
  /** Local day ordinal. */
  day: number;
  /** By number, and facts. */
  attributes: Record<string, string | null>;
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

/** @returns null if the user has no such event, or if it is no longer kept */
export async function readUndoable(rows: Rows, user: UserKey, eventId: string): Promise<UndoableRow | null> {
  const event = await first(rows)<Omit<UndoableRow, 'awards'> & { awards: string | null }>`
    select metric, value, ${MILLISECONDS('recorded_at')} as at, ${MILLISECONDS(ARRIVED_AT)} as "arrivedAt",
      ${ORDINAL('local_date')} as day, coalesce(attributes, '{}') as attributes,
      (select ${MILLISECONDS(ARRIVED_AT)} from ${undoOf('event')} limit 1) as "undoneAt", awards
    from (select * from ${eventsOf(user)}) as event where event_id = ${eventId}`;
  if (event === null) return null;
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
  const rows = await all(db)<{ entity: string; at: number }>`
    select entity, max(${MILLISECONDS('at')}) as at from audit_log
    where tenant = ${tenant} and entity = any(${leaderboards})
      and after ->> 'status' in ('scheduled', 'active')
      and coalesce(before ->> 'status', 'inactive') not in ('scheduled', 'active')
    group by entity`;
  return new Map(rows.map(({ entity, at }) => [entity, at]));
}

/** Events of a metric that a counter adds up, and one that does not count. */
interface CountedEvents {
  metric: number;
  counting: Counting;
  without: string;
  /** The value of the counter now. */
  total: number;
}

/**
 * The highest value that a user's counter would have had without an event and without those that were undone
 * with their points, in the order of arrival.
 */
export async function readPeak(
  rows: Rows,
  rules: Rules,
  user: UserKey,
  { metric, counting, without, total }: CountedEvents,
): Promise<number> {
  const of = sql`(select *, ${addendSql(rules, counting)} as addend, ${periodSql(counting)} as period
    from ${eventsOf(user)}) as event
    where metric = ${metric} and ${isCounted(rules, counting)}`;
  const isKept = sql`event_id <> ${without} and not ${isTakenBack('event')}`;
  const [found] =
    counting.aggregate === 'days'
      ? await all(rows)<Earned>`
          select sum(days)::float8 as sum, max(earned)::float8 as highest from (
            select count(distinct local_date) filter (where ${stillCounts('event')}) as days,
              count(distinct local_date) filter (where ${isKept} and ${stillCounts('event')}) as earned
            from ${of} group by period
          ) as counted`
      : await all(rows)<Earned>`
          select sum(addend)::float8 as sum, max(earned)::float8 as highest from (
            select addend, sum(addend) filter (where ${isKept})
              over (partition by period order by sequence) as earned
            from ${of}
          ) as counted`;
  const { sum, highest } = found!;
  // What the counter had before the events that are still kept.
  const before = (counting.per ?? null) === null ? total - (sum ?? 0) : 0;
  return Math.max(before, before + (highest ?? 0), 0);
}

interface Earned {
  sum: number | null;
  highest: number | null;
}
