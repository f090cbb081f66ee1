import { DISTINCT_VALUES_MAX } from '../../contract/conditions/condition.ts';
import type { Counter } from '../../rules/config.ts';
import { KEPT_MARKS, mayFall } from '../../rules/counterMarks.ts';
import { attributeOf, type Counting } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addendSql, attributeText, isCounted, periodSql } from '../conditions/countingSql.ts';
import { all, type Rows } from '../rows.ts';
import { ORDINAL, raw, type Sql, sql } from '../sql.ts';
import { HAPPENED, STILL_COUNTS, totalSql } from './readCounted.ts';

/** What a counter of a user has in a period, by the history. */
export interface CountedPeriod {
  userId: string;
  /** Ordinal of the first day; null for ever. */
  firstDay: number | null;
  total: number;
  /** The highest that the counter ever had, in any period. */
  peak: number;
  /** Local days, of a counter of days. */
  days: number[] | null;
  /** Different values, of a counter of these. */
  values: string[] | null;
}

type Counted = Pick<Counter, 'metricId' | keyof Counting>;

/** The latest periods of some users, the latest first. Users without a counted event have none. */
export const readCounterHistory = (
  rows: Rows,
  rules: Rules,
  counter: Counted,
  users: readonly string[],
): Promise<CountedPeriod[]> =>
  all(rows)`
    select user_id as "userId", ${ORDINAL('period')} as "firstDay", total, peak, days, "values" from (
      select user_no, period, total, max(peak) over (partition by user_no) as peak, days, "values",
        row_number() over (partition by user_no order by period desc) as age
      from (${periodsSql(rules, counter, users)}) as counted
    ) as latest join user_numbers on no = user_no
    where age <= ${KEPT_MARKS.periods} order by user_id, age`;

/** In how many periods a counter of a user has reached a value. */
export interface ReachedPeriods {
  userId: string;
  times: number;
  /** Ordinals of the first days of the latest ones, the latest first. */
  firstDays: number[];
}

/** Users who have reached the value in no period are left out. */
export const readReachedPeriods = (
  rows: Rows,
  rules: Rules,
  counter: Counted,
  target: number,
  users: readonly string[],
): Promise<ReachedPeriods[]> =>
  all(rows)`
    select user_id as "userId", count(*)::float8 as times,
      (array_agg(${ORDINAL('period')} order by period desc))[1:${KEPT_MARKS.days}] as "firstDays"
    from (${periodsSql(rules, counter, users)}) as counted join user_numbers on no = user_no
    where peak >= ${target} group by user_id`;

/** What a counter of some users had in each period. */
function periodsSql(rules: Rules, counter: Counted, users: readonly string[]): Sql {
  const { no } = rules.byId('metrics', counter.metricId);
  return sql`
    select user_no, period, ${totalSql(rules, counter)} as total, ${peakSql(rules, counter)} as peak,
      ${daysSql(counter)} as days, ${valuesSql(rules, counter)} as "values"
    from (
      select *, ${periodSql(counter)} as period, sum(${addendSql(rules, counter)})
        over (partition by user_no, ${periodSql(counter)} order by sequence) as running
      from recorded_events
      where user_no in (
        select no from user_numbers where tenant = ${rules.tenant} and user_id = any(${users}::text[]))
        and metric = ${no} and ${isCounted(rules, counter)}
    ) as event group by user_no, period`;
}

/** What only rises is highest at the end. */
export const peakSql = (rules: Rules, counter: Counting): Sql =>
  mayFall(counter) && counter.aggregate !== 'days'
    ? raw('greatest(max(running), 0)::float8')
    : totalSql(rules, counter);

export const daysSql = ({ aggregate }: Counting): Sql =>
  aggregate === 'days'
    ? sql`array_agg(distinct ${ORDINAL('local_date')}) filter (where ${STILL_COUNTS})`
    : raw('null::integer[]');

export function valuesSql(rules: Rules, { aggregate }: Counting): Sql {
  const isDistinct = aggregate !== null && typeof aggregate === 'object' && 'distinct' in aggregate;
  if (!isDistinct) return raw('null::text[]');
  const text = attributeText(rules, attributeOf(aggregate)!);
  return sql`(array_agg(distinct ${text}) filter (where ${HAPPENED}))[1:${raw(DISTINCT_VALUES_MAX)}]`;
}
