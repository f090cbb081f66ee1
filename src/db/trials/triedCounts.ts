import type { Counter } from '../../rules/config.ts';
import { type Counting, isComputed } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, isCounted } from '../conditions/countingSql.ts';
import { ARRIVED_AT, INSTANT, MILLISECONDS, raw, type Sql, sql } from '../sql.ts';
import type { TrialWindow } from './trialSlices.ts';

/** What is counted: events of a metric, in a way that a counter may already have. */
export interface TriedCounting {
  metricId: string;
  counting: Counting;
  /** The counter of this way of counting; null if nothing counts so yet. */
  counter: Counter | null;
}

/** Whether the metric itself counts so: then each event has its total. */
export const isOwnTotal = ({ counting }: TriedCounting): boolean =>
  !isComputed(counting) && counting.eventAttributes.length === 0;

/**
 * The events of users that count, with the sum before and after each, as a table: user_no, local_date,
 * recorded_at, at (ms, when the event arrived), place in the order of arrival, added, before, reached. Events
 * before the window are there if an existing counter has counted them, because its sum is not in the history.
 */
export function countedEvents(
  rules: Rules,
  tried: TriedCounting,
  users: readonly number[],
  { from, until }: TrialWindow,
): Sql {
  const { metricId, counting, counter } = tried;
  const isOwn = isOwnTotal(tried);
  const since =
    isOwn || counter === null
      ? sql`recorded_at >= ${INSTANT(from)}`
      : sql`${ARRIVED_AT} >= ${INSTANT(Date.parse(counter.created))}`;
  const added = isOwn ? raw('value::numeric') : addendSql(rules, counting);
  const reached = isOwn
    ? raw('total::numeric')
    : raw('sum(added) over (partition by user_no order by place)');
  return sql`
    select *, reached - added as before from (
      select *, ${reached} as reached from (
        select user_no, local_date, recorded_at, ${MILLISECONDS(ARRIVED_AT)} as at, sequence as place, total,
          ${added} as added
        from recorded_events
        where user_no = any(${users}::integer[]) and metric = ${rules.byId('metrics', metricId).no}
          and ${since} and recorded_at < ${INSTANT(until)} and ${isCounted(rules, counting)}
      ) as counted
    ) as summed`;
}
