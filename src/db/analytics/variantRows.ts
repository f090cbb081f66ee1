import type { DaySpan } from '../../rules/activity.ts';
import { all, type Rows } from '../rows.ts';
import { DATE, raw, sql } from '../sql.ts';
import { activityOf } from '../users/readActivity.ts';

/** Messages of the variants of a template, and what their users did afterwards. */

export interface VariantCount {
  /** Key. */
  variant: string;
  sent: number;
  failed: number;
  users: number;
  activeUsers: number;
}

interface VariantQuery {
  /** Id. */
  template: string;
  /** Days of the messages, in the tenant's time zone. */
  range: DaySpan;
  /** Days after that of a message, both inclusive: a user with an event on one of them is active. */
  active: DaySpan;
  /** The day of today: only users whose days are over count. */
  today: number;
  /** Messages that count, the newest first. */
  count: number;
}

/** The activity of a user is known by day only. */
export function readVariantCounts(
  rows: Rows,
  tenant: number,
  { template, range, active, today, count }: VariantQuery,
): Promise<VariantCount[]> {
  const isActive = sql`exists (
    select from ${activityOf(tenant, raw('message.user_id'))} as activity
    where position(B'1' in substring(days
      from message.day + ${active.from}::integer - date '1970-01-01' - first_day + 1
      for ${active.to - active.from + 1}::integer)) > 0)`;
  return all(rows)`
    select variant, count(*) filter (where status = 'sent')::integer as sent,
      count(*) filter (where status = 'failed')::integer as failed,
      count(*) filter (where counts)::integer as users,
      count(*) filter (where counts and ${isActive})::integer as "activeUsers"
    from (
      select variant, status, user_id, day, status = 'sent' and day < ${DATE(today - active.to)}
        and row_number() over (partition by user_id, status order by day, created_at) = 1 as counts
      from (
        select variant, status, user_id, day, created_at from notification_deliveries
        where tenant = ${tenant} and template = ${template}::uuid and variant is not null
          and day between ${DATE(range.from)} and ${DATE(range.to)}
        order by day desc, created_at desc limit ${count}
      ) as latest
    ) as message
    group by 1 order by 1`;
}
