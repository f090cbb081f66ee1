import { DISTINCT_VALUES_MAX } from '../../contract/conditions/condition.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import type { Counter } from '../../rules/config.ts';
import type { Counting } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, attributeText, isCounted } from '../conditions/countingSql.ts';
import { all, type Rows, value } from '../rows.ts';
import { DATE, raw, type Sql, sql } from '../sql.ts';
import { eventsOf, stillCounts } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/* What counters of days, of the greatest or of different values, or of periods have by the history. */

/** Of an event that may count. */
export interface CountedThen {
  counter: Counter;
  /** Local days, both inclusive, whose events count together. */
  days: { start: number; end: number };
}

/** What a counter has on some days: its total, and whether the day or value of an event is part of it. */
export interface CountedPast {
  counter: number;
  total: number;
  has: boolean;
}

interface OfEvent {
  metric: number;
  /** Local day ordinal. */
  day: number;
  /** By number. */
  attributes: ReadonlyMap<number, string>;
}

/** Reads what some counters of the metric of an event have, by one statement. */
export async function readCountedPast(
  rows: Rows,
  rules: Rules,
  user: UserKey,
  event: OfEvent,
  counted: readonly CountedThen[],
): Promise<CountedPast[]> {
  if (counted.length === 0) return [];
  const [first, ...others] = counted.map((one) => onDays(rules, user, event, one));
  const statement = others.reduce((left, right) => sql`${left} union all ${right}`, first!);
  return all(rows)`${statement}`;
}

function onDays(rules: Rules, user: UserKey, event: OfEvent, { counter, days }: CountedThen): Sql {
  return sql`
    select ${counter.no}::integer as counter, ${totalSql(rules, counter)} as total,
      ${hasSql(rules, counter, event)} as has
    from (select * from ${eventsOf(user)}) as event
    where metric = ${event.metric} and ${isCounted(rules, counter)}
      and local_date between ${DATE(days.start)} and ${DATE(days.end)}`;
}

/** Neither undone nor undoing another one. */
export const STILL_COUNTS = stillCounts('event');
/** Not undoing another one: what only rises stays. */
export const HAPPENED = raw(`event.attributes ->> '${ORIGIN_ATTRIBUTE}' is null`);

/** The total over the events that count, rows of `event`, as float8. */
export function totalSql(rules: Rules, counting: Counting): Sql {
  const { aggregate } = counting;
  if (aggregate === 'days') return sql`(count(distinct local_date) filter (where ${STILL_COUNTS}))::float8`;
  const addend = addendSql(rules, counting);
  if (aggregate !== null && typeof aggregate === 'object') {
    if ('max' in aggregate)
      return sql`greatest(coalesce(max(${addend}) filter (where ${HAPPENED}), 0), 0)::float8`;
    if ('distinct' in aggregate) {
      const values = sql`count(distinct ${attributeText(rules, aggregate.distinct)}) filter (where ${HAPPENED})`;
      return sql`least(${values}, ${DISTINCT_VALUES_MAX})::float8`;
    }
  }
  return sql`coalesce(sum(${addend}), 0)::float8`;
}

function hasSql(rules: Rules, { aggregate }: Counter, { day, attributes }: OfEvent): Sql {
  if (aggregate === 'days')
    return sql`coalesce(bool_or(${STILL_COUNTS} and local_date = ${DATE(day)}), false)`;
  if (aggregate === null || typeof aggregate === 'string' || !('distinct' in aggregate)) return raw('false');
  const text = attributes.get(rules.eventAttributeByKey.get(aggregate.distinct)!.no) ?? null;
  return sql`coalesce(bool_or(${HAPPENED} and ${attributeText(rules, aggregate.distinct)} = ${text}), false)`;
}

/** Whether another event of a user counts on the local day of one, which nobody has undone. */
export const hasOtherOnDay = (
  rows: Rows,
  rules: Rules,
  user: UserKey,
  counter: Counter,
  { metric, day, id }: Pick<OfEvent, 'metric' | 'day'> & { id: string },
): Promise<boolean> =>
  value(rows)`
    select exists (
      select from (select * from ${eventsOf(user)}) as event
      where metric = ${metric} and local_date = ${DATE(day)} and event_id <> ${id}
        and ${isCounted(rules, counter)} and ${STILL_COUNTS})`;
