import type { Counter } from '../../rules/config.ts';
import type { Counting } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, isCounted } from '../conditions/countingSql.ts';
import { all, type Rows } from '../rows.ts';
import { DATE, INSTANT, MILLISECONDS, raw } from '../sql.ts';
import { totalSql } from './readCounted.ts';
import { daysSql, peakSql, valuesSql } from './readCounterHistory.ts';

/** The events of a user that may count in a run of a challenge. */
export interface RunOfUser {
  userId: string;
  /** Ordinals of the first and last day. */
  start: number;
  end: number | null;
  /** ms; earlier events do not count. */
  from: number;
}

/** What a counter of a user has in a run, by the history. */
export interface CountedRun {
  userId: string;
  /** Instant of the first event, ms. */
  begunAt: number;
  total: number;
  peak: number;
  /** Local days, of a counter of days. */
  days: number[] | null;
  /** Different values, of a counter of these. */
  values: string[] | null;
}

/** Users without an event that counts are left out. */
export async function readRunHistory(
  rows: Rows,
  rules: Rules,
  counter: Pick<Counter, 'metricId' | keyof Counting>,
  runs: readonly RunOfUser[],
): Promise<CountedRun[]> {
  const { no } = rules.byId('metrics', counter.metricId);
  const of = <K extends keyof RunOfUser>(field: K): RunOfUser[K][] => runs.map((run) => run[field]);
  return all(rows)`
    select user_id as "userId", min(${MILLISECONDS('recorded_at')}) as "begunAt",
      ${totalSql(rules, counter)} as total, ${peakSql(rules, counter)} as peak,
      ${daysSql(counter)} as days, ${valuesSql(rules, counter)} as "values"
    from (
      select event.*, user_id,
        sum(${addendSql(rules, counter)}) over (partition by user_no order by sequence) as running
      from unnest(${of('userId')}::text[], ${of('start')}::integer[], ${of('end')}::integer[],
          ${of('from')}::float8[]) as asked (user_id, first_day, last_day, from_ms)
        join user_numbers using (user_id) join recorded_events as event on user_no = user_numbers.no
      where user_numbers.tenant = ${rules.tenant} and metric = ${no} and ${isCounted(rules, counter)}
        and local_date >= ${DATE(raw('first_day'))}
        and (last_day is null or local_date <= ${DATE(raw('last_day'))})
        and recorded_at >= ${INSTANT(raw('from_ms'))}
    ) as event group by user_id`;
}
