import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { RunRange } from '../../rules/runZones.ts';
import { isCounted } from '../conditions/countingSql.ts';
import type { Queryable } from '../pool.ts';
import { all, type Rows } from '../rows.ts';
import { ARRIVED_AT, INSTANT, MILLISECONDS, RANKED_VALUE, raw, type Sql, sql } from '../sql.ts';
import { eventsOf, isInRun, stillCounts } from '../users/userEvents.ts';
import type { UserKey } from '../users/userMap.ts';

/** Whether an event counts on a leaderboard, and nobody has undone it. */
const isRanked = (rules: Rules, board: Leaderboard): Sql =>
  sql`${isCounted(rules, board)} and ${stillCounts('event')}`;

/**
 * The best or latest value of users on a leaderboard, of all kept events that applications sent and nobody
 * has undone.
 */
export const readPastValues = (
  db: Queryable,
  rules: Rules,
  board: Leaderboard,
  users: readonly string[],
): Promise<{ userId: string; value: number }[]> =>
  all(db)`
    select user_id as "userId", ${RANKED_VALUE(board, 'value', 'recorded_at desc, sequence desc')} as value
    from recorded_events event join user_numbers on user_no = no
    where tenant = ${rules.tenant} and user_id = any(${users})
      and metric = ${rules.byId('metrics', board.metricId!).no}
      and ${isRanked(rules, board)}
      and not exists (select from unnest(${board.pauses.map(({ from }) => from)}::timestamptz[],
        ${board.pauses.map(({ to }) => to)}::timestamptz[]) as pause (began, ended)
        where tstzrange(began, ended) @> recorded_at or tstzrange(began, ended) @> ${ARRIVED_AT})
    group by user_id`;

/** Which events of a metric count. */
export interface EventOfRun {
  metric: number;
  /** When they arrived at the earliest, ms. */
  from: number;
  range: RunRange;
  /** Id of an event that does not count. */
  without: string;
}

/** Events that are looked at for one within the hours of a leaderboard. */
const VALUES_MAX = 1_000;

/**
 * The best or latest value of a user in a run, by kept events that nobody has undone; null if there is none.
 */
export async function readRankedValue(
  rows: Rows,
  rules: Rules,
  user: UserKey,
  board: Leaderboard,
  { metric, from, range, without }: EventOfRun,
  counts: (at: number, arrivedAt: number) => boolean,
): Promise<number | null> {
  const best = raw(board.sortOrder === 'asc' ? 'value,' : 'value desc,');
  const values = await all(rows)<{ value: number; at: number; arrivedAt: number }>`
    select value, ${MILLISECONDS('recorded_at')} as at, ${MILLISECONDS(ARRIVED_AT)} as "arrivedAt"
    from (select * from ${eventsOf(user)}) as event
    where metric = ${metric} and ${ARRIVED_AT} >= ${INSTANT(from)} and event_id <> ${without}
      and ${isInRun(range)} and ${isRanked(rules, board)}
    order by ${board.aggregation === 'latest' ? sql`` : best} recorded_at desc, sequence desc
    limit ${raw(VALUES_MAX)}`;
  return values.find(({ at, arrivedAt }) => counts(at, arrivedAt))?.value ?? null;
}
