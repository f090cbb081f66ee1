import { STEPS } from '../../rules/steps.ts';
import type { PoolClient } from '../pool.ts';
import { DECIMAL_SUM } from '../rows.ts';

/**
 * Figures that are recounted from the history, for past days. Figures of active users are derived from user_activity instead. Changes of
 * ranks and earned freezes cannot be recounted, because the earlier history does not contain them.
 */
const RECOUNTED = [
  'newUsers',
  'metricEvents',
  'completions',
  'completionDays',
  'pointsGained',
  'pointsSpent',
  'streaksStarted',
  'streaksExtended',
  'streaksLost',
  'freezesUsed',
  'pausesUsed',
  'participants',
];

/** Parameters: $1 tenant, $2 and $3 first and last day, $4 time zone, $5 and $6 the instants at which the first day begins and the last day ends. */
const DAY = (column: string): string => `(${column} at time zone $4)::date`;
const WITHIN = (column: string): string => `tenant = $1 and ${column} >= $5 and ${column} < $6`;
const FREQUENCY = `case frequency when 'daily' then 1 when 'weekly' then 2 else 3 end`;
const STEP = (days: string): string =>
  `((array[${STEPS.join(',')}])[width_bucket(${days}, array[${STEPS.join(',')}]::float8[])])::text`;

const streaks = (figure: string, condition: string): string =>
  `select '${figure}', ${DAY('extended_at')}, ${FREQUENCY}, '', count(*), 0 from streak_extensions
   where ${WITHIN('extended_at')} and ${condition} group by 2, 3`;
const points = (figure: string, condition: string): string =>
  `select '${figure}', ${DAY('recorded_at')}, system, trigger::text, count(*), sum(abs(awarded)) from award_history
   where ${WITHIN('recorded_at')} and ${condition} group by 2, 3, 4`;

const RECOUNT = `
  insert into daily_figures as old (tenant, figure, day, no, detail, count, sum)
  select $1, figure, day, no, detail, sum(count), ${DECIMAL_SUM('sum')} from (
    select 'newUsers' as figure, ${DAY('created_at')} as day, 0 as no, '' as detail, count(*) as count, 0::float8 as sum
    from users where ${WITHIN('created_at')} group by 2
    union all select 'metricEvents', ${DAY('recorded_at')}, metric, '', count(*), ${DECIMAL_SUM('value')}
    from event_history where ${WITHIN('recorded_at')} group by 2, 3
    union all select 'metricEvents', local_date, metric, '', sum(events), ${DECIMAL_SUM('change')}
    from metric_days where tenant = $1 and local_date between $2 and $3 group by 2, 3
    union all select 'completions', ${DAY('completed_at')}, achievement, '', count(*), 0
    from completed_achievements where ${WITHIN('completed_at')} group by 2, 3
    union all select 'completionDays', day, achievement, ${STEP('seconds / 86400')}, count(*), sum(seconds)
    from (
      select ${DAY('completed_at')} as day, achievement,
        greatest(extract(epoch from completed_at - created_at), 0)::float8 as seconds
      from completed_achievements join users using (tenant, user_id) where ${WITHIN('completed_at')}
    ) as completed group by 2, 3, 4
    union all ${points('pointsGained', 'awarded > 0')}
    union all ${points('pointsSpent', 'awarded <= 0')}
    union all ${streaks('streaksExtended', 'made_good_by is null')}
    union all ${streaks('streaksStarted', 'made_good_by is null and length = 1')}
    union all ${streaks('freezesUsed', `made_good_by = 'freeze'`)}
    union all ${streaks('pausesUsed', `made_good_by = 'pause'`)}
    union all select 'streaksLost', ${DAY('lost_at')}, ${FREQUENCY}, length::text, count(*), 0
    from streak_losses where ${WITHIN('lost_at')} group by 2, 3, 4
    union all select 'participants', local_date, leaderboard, '', count(*), 0
    from leaderboard_changes where tenant = $1 and local_date between $2 and $3 group by 2, 3
  ) as counted
  where day between $2 and $3 group by 2, 3, 4, 5
  on conflict (tenant, figure, day, no, detail) do update set count = old.count + excluded.count, sum = old.sum + excluded.sum`;

export interface RecountedDays {
  tenant: number;
  /** Dates, both inclusive. */
  from: string;
  to: string;
  zone: string;
  /** Begin of the first day and end of the last day, milliseconds since 1970. */
  begin: number;
  end: number;
}

/** Replaces the figures of some days by those counted from the history. The relay may add to figures at the same time. */
export async function recountFigures(client: PoolClient, days: RecountedDays): Promise<void> {
  const { tenant, from, to, zone, begin, end } = days;
  await client.query('delete from daily_figures where tenant = $1 and day between $2 and $3 and figure = any($4)', [
    tenant,
    from,
    to,
    RECOUNTED,
  ]);
  await client.query(RECOUNT, [tenant, from, to, zone, new Date(begin), new Date(end)]);
}

/** The first day (UTC) of the history; null if the history is empty. */
export async function findFirstDay(client: PoolClient, tenant: number): Promise<string | null> {
  const { rows } = await client.query<{ day: string | null }>(
    `select least(
       (select min(created_at)::date - 1 from users where tenant = $1),
       (select min(local_date) from metric_days where tenant = $1))::text as day`,
    [tenant],
  );
  return rows[0]!.day;
}
