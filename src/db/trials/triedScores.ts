import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { RunRange } from '../../rules/runZones.ts';
import { isCounted } from '../conditions/countingSql.ts';
import { all, type Rows } from '../rows.ts';
import { INSTANT, ORDINAL, RANKED_VALUE, raw, type Sql, sql } from '../sql.ts';
import { totalSql } from '../users/readCounted.ts';
import { stillCounts } from '../users/userEvents.ts';
import { idsOf, numbersOf, type TrialUser } from './trialSlices.ts';

/* Scores of users in the runs of a leaderboard that is tried. */

/** A run, and which part of the history it contains. */
export interface TriedRun {
  /** First day, as an ordinal. */
  start: number;
  range: RunRange;
}

export interface TriedScore {
  userId: string;
  /** First day of the run. */
  run: number;
  value: number;
}

/** What the history is asked about a leaderboard. */
export interface AskedRuns {
  users: readonly TrialUser[];
  runs: readonly TriedRun[];
  /** An instant before all runs, ms; null if they contain everything. */
  since: number | null;
  until: number;
}

/** The runs as a table `run`, joined to rows with `local_date` and `recorded_at`. */
const joinRuns = (runs: readonly TriedRun[]): Sql => {
  const instants = (of: (range: RunRange) => number | null): (Date | null)[] =>
    runs.map(({ range }) => {
      const at = of(range);
      return at === null ? null : new Date(at);
    });
  return sql`
    join unnest(${runs.map(({ start }) => start)}::integer[], ${runs.map(({ range }) => range.fromDate)}::date[],
        ${runs.map(({ range }) => range.toDate)}::date[], ${instants(({ from }) => from)}::timestamptz[],
        ${instants(({ till }) => till)}::timestamptz[]) as run (run, from_date, to_date, began, ended)
      on (from_date is null or local_date >= from_date) and (to_date is null or local_date <= to_date)
        and (began is null or recorded_at >= began) and (ended is null or recorded_at < ended)`;
};

const isMeant = (since: number | null, until: number): Sql =>
  sql`recorded_at < ${INSTANT(until)} and (${since}::float8 is null or recorded_at >= ${INSTANT(since)})`;

/** By the events of a metric. */
export const scoresByMetric = (
  rows: Rows,
  rules: Rules,
  board: Leaderboard,
  { users, runs, since, until }: AskedRuns,
): Promise<TriedScore[]> => {
  const isSum = board.aggregation === 'sum';
  const value = isSum
    ? totalSql(rules, board)
    : RANKED_VALUE(board, 'value', 'recorded_at desc, sequence desc');
  return all(rows)`
    select user_id as "userId", run, ${value} as value
    from recorded_events event join user_numbers on no = user_no ${joinRuns(runs)}
    where user_no = any(${numbersOf(users)}::integer[])
      and metric = ${rules.byId('metrics', board.metricId!).no} and ${isMeant(since, until)}
      and ${isCounted(rules, board)} and ${isSum ? raw('true') : stillCounts('event')}
    group by user_id, run`;
};

/** By the points of a system that users have gained. */
export const scoresByPoints = (
  rows: Rows,
  rules: Rules,
  system: number,
  { users, runs, since, until }: AskedRuns,
): Promise<TriedScore[]> => all(rows)`
    select user_id as "userId", run, sum(awarded)::float8 as value
    from (
      select user_id, awarded, local_date, recorded_at from points_awards
      where tenant = ${rules.tenant} and user_id = any(${idsOf(users)}::text[]) and system = ${system}
      union all
      select user_id, awarded, local_date, recorded_at from event_awards join user_numbers on no = user_no
      where user_no = any(${numbersOf(users)}::integer[]) and system = ${system}
        and strpos(packed, '[' || ${system}::integer || ',') > 0
    ) as award ${joinRuns(runs)}
    where ${isMeant(since, until)} group by user_id, run`;

/** The scores that users really have, or had at the end, in runs of a leaderboard. */
export const realScores = (
  rows: Rows,
  { tenant }: Rules,
  board: number,
  { users, runs }: AskedRuns,
): Promise<TriedScore[]> => all(rows)`
    select distinct on (user_id, run_start) user_id as "userId", ${ORDINAL('run_start')} as run, value
    from leaderboard_changes
    where tenant = ${tenant} and user_id = any(${idsOf(users)}::text[]) and leaderboard = ${board}
      and ${ORDINAL('run_start')} = any(${runs.map(({ start }) => start)}::integer[])
    order by user_id, run_start, last_sequence desc`;

/** Users who have values of all these attributes, by number, today. */
export const withAttributes = async (
  rows: Rows,
  { tenant }: Rules,
  users: readonly TrialUser[],
  attributes: readonly number[],
): Promise<TrialUser[]> => {
  if (attributes.length === 0) return [...users];
  const found = await all(rows)<{ userId: string }>`
    select user_id as "userId" from user_attributes
    where tenant = ${tenant} and user_id = any(${idsOf(users)}::text[])
      and attribute = any(${attributes}::integer[]) and value is not null
    group by user_id having count(*) = ${attributes.length}`;
  const ids = new Set(found.map(({ userId }) => userId));
  return users.filter(({ userId }) => ids.has(userId));
};
