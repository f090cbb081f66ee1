import { DISTINCT_VALUES_MAX } from '../../contract/conditions/condition.ts';
import { mayFall } from '../../rules/counterMarks.ts';
import { attributeOf, type Counting, isComputed } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, attributeText, isCounted, periodSql } from '../conditions/countingSql.ts';
import { ARRIVED_AT, INSTANT, MILLISECONDS, raw, type Sql, sql } from '../sql.ts';
import { HAPPENED } from '../users/readCounted.ts';
import type { TrialWindow } from './trialSlices.ts';

/** What is counted: events of a metric. */
export interface TriedCounting {
  metricId: string;
  counting: Counting;
}

/** Whether the metric itself counts so: then each event has its total. */
export const isOwnTotal = ({ counting }: TriedCounting): boolean =>
  !isComputed(counting) && counting.eventAttributes.length === 0;

/**
 * The events of users that count, with the sum before and after each, as a table: user_no, local_date,
 * recorded_at, at (ms, when the event arrived), place in the order of arrival, added, before, reached. Events
 * before the window are there unless each event has its total.
 */
export function countedEvents(
  rules: Rules,
  tried: TriedCounting,
  users: readonly number[],
  { from, until }: TrialWindow,
): Sql {
  const { metricId, counting } = tried;
  const isOwn = isOwnTotal(tried);
  const since = isOwn ? sql`recorded_at >= ${INSTANT(from)}` : raw('true');
  const added = isOwn ? raw('value::numeric') : addendSql(rules, counting);
  const inPeriod = raw('partition by user_no, period order by place');
  const reached = isOwn ? raw('total::numeric') : reachedSql(counting, inPeriod);
  return sql`
    select *, ${isOwn ? raw('reached - added') : sql`coalesce(lag(reached) over (${inPeriod}), 0)`} as before
    from (
      select *, ${reached} as reached from (
        select user_no, local_date, recorded_at, ${MILLISECONDS(ARRIVED_AT)} as at, sequence as place, total,
          ${added} as added, ${periodSql(counting)} as period,
          ${firstSql(rules, counting)} as is_first
        from recorded_events event
        where user_no = any(${users}::integer[]) and metric = ${rules.byId('metrics', metricId).no}
          and ${since} and recorded_at < ${INSTANT(until)} and ${isCounted(rules, counting)}
          and ${mayFall(counting) && counting.aggregate !== 'days' ? raw('true') : HAPPENED}
      ) as counted
    ) as summed`;
}

/** What a counter has reached with each event of its period. */
function reachedSql({ aggregate }: Counting, inPeriod: Sql): Sql {
  if (aggregate === 'days') return sql`sum(is_first) over (${inPeriod})`;
  if (aggregate === null || typeof aggregate === 'string' || 'sum' in aggregate)
    return sql`sum(added) over (${inPeriod})`;
  if ('max' in aggregate) return sql`greatest(0, max(added) over (${inPeriod}))`;
  return sql`least(${DISTINCT_VALUES_MAX}, sum(is_first) over (${inPeriod}))`;
}

/** 1 for the first event of its day, or with its value, in the period; 0 for later ones. */
function firstSql(rules: Rules, counting: Counting): Sql {
  const { aggregate } = counting;
  const attribute = attributeOf(aggregate);
  if (aggregate !== 'days' && attribute === null) return raw('0::numeric');
  const same = attribute === null ? raw('local_date') : attributeText(rules, attribute);
  return sql`(row_number() over (partition by user_no, ${periodSql(counting)}, ${same} order by sequence) = 1)::int::numeric`;
}
