import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { INSTANT, MILLISECONDS, ORDINAL, sql } from '../sql.ts';
import { stillCounts } from '../users/userEvents.ts';

/** An event that an application sent, as the history keeps it. */
export interface LatestEvent {
  eventId: string;
  userId: string;
  /** When it happened, ms. */
  at: number;
  /** Local day ordinal. */
  day: number;
  value: number;
  /** Attributes by number, and facts (src/rules/conditions/facts.ts). */
  kept: Record<string, string | null> | null;
}

/** The latest events of a metric by some users, the latest first, without those that were undone. */
export const readLatestEvents = (
  rows: Rows,
  { tenant }: Rules,
  { metric, users, since, limit }: { metric: number; users: readonly string[]; since: number; limit: number },
): Promise<LatestEvent[]> => {
  const newest = sql`order by recorded_at desc, sequence desc limit ${limit}`;
  return all(rows)`
    select event_id as "eventId", user_id as "userId", ${MILLISECONDS('recorded_at')} as at, ${ORDINAL('local_date')} as day, value,
      attributes as kept
    from (
      select no, user_id from user_numbers where tenant = ${tenant} and user_id = any(${users}::text[])
    ) as known cross join lateral (
      select event_id, recorded_at, sequence, local_date, value, attributes from recorded_events event
      where user_no = known.no and metric = ${metric} and recorded_at >= ${INSTANT(since)}
        and ${stillCounts('event')}
      ${newest}
    ) as latest ${newest}`;
};
