import type { Leaderboard } from '../../rules/config.ts';
import { numberedFilter } from '../../rules/filters.ts';
import type { Rules } from '../../rules/rules.ts';
import type { RunRange } from '../../rules/runZones.ts';
import type { Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import { ARRIVED_AT, INSTANT, MILLISECONDS, RANKED_VALUE } from '../sql.ts';
import { EVENTS_OF_USER, isInRun, rangeValues, stillCounts } from '../users/userEvents.ts';
import type { UserKey } from '../users/userMap.ts';

/**
 * The best or latest value of users on a leaderboard, of all kept events that applications sent and nobody
 * has undone.
 */
export async function readPastValues(
  db: Queryable,
  rules: Rules,
  board: Leaderboard,
  users: readonly string[],
): Promise<{ userId: string; value: number }[]> {
  const { rows } = await db.query<{ userId: string; value: number }>(
    `select user_id as "userId", ${RANKED_VALUE(board, 'value', 'recorded_at desc, sequence desc')} as value
     from recorded_events event join user_numbers on user_no = no
     where tenant = $1 and user_id = any($2) and metric = $3
       and coalesce(attributes, '{}') @> $4 and ${stillCounts('event')}
       and not exists (select from unnest($5::timestamptz[], $6::timestamptz[]) as pause (began, ended)
         where tstzrange(began, ended) @> recorded_at or tstzrange(began, ended) @> ${ARRIVED_AT})
     group by user_id`,
    [
      rules.tenant,
      users,
      rules.byId('metrics', board.metricId!).no,
      JSON.stringify(numberedFilter(rules, board.eventAttributes)),
      board.pauses.map(({ from }) => from),
      board.pauses.map(({ to }) => to),
    ],
  );
  return rows;
}

/** Which events of a metric count. */
export interface EventOfRun {
  metric: number;
  /** When they arrived at the earliest, ms. */
  from: number;
  range: RunRange;
  /** Id of an event that does not count. */
  without: string;
}

const VALUES_OF_RUN = (order: string): string => `
  select value, ${MILLISECONDS('recorded_at')} as at, ${MILLISECONDS(ARRIVED_AT)} as "arrivedAt"
  from (select * from ${EVENTS_OF_USER}) as event
  where metric = $3 and ${ARRIVED_AT} >= ${INSTANT('$4::float8')} and event_id <> $5
    and ${isInRun(6)} and coalesce(attributes, '{}') @> $10
    and ${stillCounts('event')}
  order by ${order}, recorded_at desc, sequence desc limit $11`;

const HIGHEST: Statement = { name: 'highest value of a run', text: VALUES_OF_RUN('value desc') };
const LOWEST: Statement = { name: 'lowest value of a run', text: VALUES_OF_RUN('value') };
const LATEST: Statement = { name: 'latest value of a run', text: VALUES_OF_RUN('recorded_at desc') };

/** Events that are looked at for one within the hours of a leaderboard. */
const VALUES_MAX = 1_000;

/**
 * The best or latest value of a user in a run, by kept events that nobody has undone; null if there is none.
 */
export async function readRankedValue(
  rows: Rows,
  rules: Rules,
  { tenant, userId }: UserKey,
  board: Leaderboard,
  { metric, from, range, without }: EventOfRun,
  counts: (at: number, arrivedAt: number) => boolean,
): Promise<number | null> {
  const { aggregation, sortOrder } = board;
  const statement = aggregation === 'latest' ? LATEST : sortOrder === 'asc' ? LOWEST : HIGHEST;
  const values = await rows<{ value: number; at: number; arrivedAt: number }>(statement, [
    tenant,
    userId,
    metric,
    from,
    without,
    ...rangeValues(range),
    JSON.stringify(numberedFilter(rules, board.eventAttributes)),
    VALUES_MAX,
  ]);
  return values.find(({ at, arrivedAt }) => counts(at, arrivedAt))?.value ?? null;
}
