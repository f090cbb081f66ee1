import type { Page } from '../../contract/admin.ts';
import { readOnce, replaceFact } from '../installation.ts';
import { type Pool, transaction } from '../pool.ts';
import { all, execute, type Rows } from '../rows.ts';
import { DATE, ORDINAL, raw, type Sql, sql } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';

/* Days of users far outside the distribution of their metric (docs/analytics.md). */

/** Share of the active users of a day whose sums are no anomaly. */
const SHARE = 0.999;
/** How many times the user's own median an anomalous sum is at least. */
const TIMES_OWN_MEDIAN = 5;
/** Days before from which the own median comes. */
const OWN_DAYS = 30;
const DAYS_KEPT = 90;
/** Days that are made up for after an outage of all workers. */
const DAYS_MADE_UP_MAX = 31;

const DAY_MS = 86_400_000;
/** A local day begins so long before the day of UTC, and ends so long after it. */
const ZONES_AHEAD_HOURS = 14;
const ZONES_BEHIND_HOURS = 12;

const FACT = 'anomalies-until';

/** Hours after a day begins in UTC. */
const instantAt = (day: number, hours: number): Sql =>
  sql`((${DATE(day)} + interval ${raw(`'${hours} hours'`)}) at time zone 'UTC')`;

/**
 * Finds the anomalies of the days that have ended in every time zone since the last call, and forgets old
 * ones.
 * @param now ms
 * @returns the number of anomalies found
 */
export async function findAnomalies(pool: Pool, now: number, signal?: AbortSignal): Promise<number> {
  const lastDay = Math.floor((now - ZONES_BEHIND_HOURS * 3_600_000) / DAY_MS) - 1;
  const done = Number((await readOnce(pool, FACT)) ?? lastDay - 1);
  let found = 0;
  for (let day = Math.max(done + 1, lastDay - DAYS_MADE_UP_MAX + 1); day <= lastDay; day++) {
    if (signal?.aborted) break;
    found += await transaction(pool, async (client) => {
      const count = await execute(client)`
        with day as materialized (
          select user_no, metric, sum(value) as value from recorded_events
          where local_date = ${DATE(day)} and recorded_at >= ${instantAt(day, -ZONES_AHEAD_HOURS)}
            and recorded_at < ${instantAt(day, 24 + ZONES_BEHIND_HOURS)}
          group by 1, 2
        ), active as (
          select tenant, user_id, user_no, metric, value from day join user_numbers on no = user_no
        ), bounds as (
          select tenant, metric, percentile_cont(${raw(SHARE)}) within group (order by value) as bound
          from active group by 1, 2
        )
        insert into anomalies (tenant, local_date, metric, user_id, value, bound, median)
        select tenant, ${DATE(day)}, metric, user_id, value, bound, median
        from active join bounds using (tenant, metric)
        cross join lateral (
          select percentile_cont(0.5) within group (order by sum) as median from (
            select sum(own.value) from recorded_events own
            where own.user_no = active.user_no and own.metric = active.metric
              and own.local_date >= ${DATE(day - OWN_DAYS)} and own.local_date < ${DATE(day)}
              and own.recorded_at >= ${instantAt(day - OWN_DAYS, -ZONES_AHEAD_HOURS)}
            group by own.local_date
          ) as own_days
        ) as own
        where value > bound and value > ${raw(TIMES_OWN_MEDIAN)} * median
        on conflict do nothing`;
      await execute(client)`delete from anomalies where local_date < ${DATE(day - DAYS_KEPT)}`;
      await replaceFact(client, FACT, String(day));
      return count;
    });
  }
  return found;
}

export interface AnomalyRow extends UserKey {
  /** Day ordinal, local to the user. */
  day: number;
  metric: number;
  /** Sum of the day. */
  value: number;
  /** The sum that one in a thousand active users exceeded. */
  bound: number;
  /** Of the user's own active days before. */
  median: number;
}

/** The latest day first. @param metric number of the metric; null for all */
export const readAnomalies = (
  rows: Rows,
  tenant: number,
  { from, to }: { from: number; to: number },
  metric: number | null,
  { limit, skip }: Page,
): Promise<AnomalyRow[]> =>
  all(rows)`
    select tenant, ${ORDINAL('local_date')} as day, metric, user_id as "userId", value, bound, median
    from anomalies
    where tenant = ${tenant} and local_date between ${DATE(from)} and ${DATE(to)}
      and (${metric}::integer is null or metric = ${metric})
    order by local_date desc, value / bound desc, user_id, metric limit ${limit} offset ${skip}`;
