import type { LeagueOutcome } from '../../rules/league.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, first, type Rows, some, value } from '../rows.ts';
import { DATE, ORDINAL, type Sql, sql } from '../sql.ts';

/** Day ordinals, both inclusive. */
export interface EndedRun {
  start: number;
  end: number;
}

/** A ranking of a leaderboard: one group of one run. `run` is the first day of the run. */
export interface Ranking {
  run: number;
  group: string;
}

/** Condition for rows of a leaderboard and a run, by its first day; null for all runs. */
export const ofRun = ({ tenant, leaderboard }: DueLeaderboard, run: number | null): Sql =>
  sql`tenant = ${tenant} and leaderboard = ${leaderboard}
    ${run === null ? sql`` : sql`and run_start = ${DATE(run)}`}`;

export interface FinalEntry extends DueLeaderboard, Ranking {
  /** Differs from the rank if equal values share one. */
  place: number;
  rank: number;
  userId: string;
  value: number;
  /** Null without a league. */
  tier: string | null;
  outcome: LeagueOutcome | null;
}

const ENTRIES = new BulkStatement<FinalEntry>(
  {
    tenant: 'int4',
    leaderboard: 'int4',
    run: ['day', 'run_start'],
    group: ['text', 'ranking_group'],
    place: 'int4',
    rank: 'int4',
    userId: 'text',
    value: 'float8',
    tier: 'text',
    outcome: 'text',
  },
  ({ insertInto }) => `${insertInto('leaderboard_places')} on conflict do nothing`,
);

/** @returns false if the run is final already */
export const insertFinalRun = (
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  run: EndedRun,
  at: number,
): Promise<boolean> =>
  some(client)`
    insert into leaderboard_runs (tenant, leaderboard, run_start, run_end, finalized_at)
    values (${tenant}, ${leaderboard}, ${DATE(run.start)}, ${DATE(run.end)}, ${new Date(at)})
    on conflict do nothing`;

export async function insertFinalEntries(client: PoolClient, entries: FinalEntry[]): Promise<void> {
  await ENTRIES.run(client, entries, false);
}

/** The rankings that Redis may still hold. @param run first day of the run; null for all runs */
export const listRankings = (db: Queryable, board: DueLeaderboard, run: number | null): Promise<Ranking[]> =>
  all(db)`
    select distinct ${ORDINAL('run_start')} as run, ranking_group as "group" from leaderboard_changes change
    where ${ofRun(board, run)}
      and not exists (select from leaderboard_runs run where run.tenant = change.tenant
        and run.leaderboard = change.leaderboard and run.run_start = change.run_start and not is_in_redis)`;

/**
 * Records that Redis no longer holds the rankings of a final run. @param run first day of the run; null for
 * all runs
 */
export async function markForgotten(db: Queryable, board: DueLeaderboard, run: number | null): Promise<void> {
  await execute(db)`
    update leaderboard_runs set is_in_redis = false where ${ofRun(board, run)} and is_in_redis`;
}

export interface FinalRunRow extends EndedRun {
  finalizedAt: Date;
  /** Whether Redis still has the rankings. */
  isInRedis: boolean;
}

/** The latest final run; null if no run is final. */
export const findLastFinalRun = (db: Rows, board: DueLeaderboard): Promise<FinalRunRow | null> =>
  first(db)`
    select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, finalized_at as "finalizedAt",
      is_in_redis as "isInRedis"
    from leaderboard_runs where ${ofRun(board, null)} order by run_start desc limit 1`;

/** First day of the first run with participants after the run `after` (null: of all runs); or null. */
export const findNextRun = (
  db: Queryable,
  board: DueLeaderboard,
  after: EndedRun | null,
): Promise<number | null> =>
  value(db)`
    select ${ORDINAL('min(run_start)')} as next from leaderboard_changes
    where ${ofRun(board, null)} ${after === null ? sql`` : sql`and run_start > ${DATE(after.start)}`}`;

/** @returns a function that tells whether a run (number of the leaderboard, first day) is final */
export async function readFinalRuns(
  db: Queryable,
  tenant: number,
): Promise<(leaderboard: number, run: number) => boolean> {
  const rows = await all(db)<{ leaderboard: number; run: number }>`
    select leaderboard, ${ORDINAL('run_start')} as run from leaderboard_runs where tenant = ${tenant}`;
  const runs = new Set(rows.map(({ leaderboard, run }) => `${leaderboard}:${run}`));
  return (leaderboard, run) => runs.has(`${leaderboard}:${run}`);
}

/**
 * Whether runs of the tenant are final and not yet worked off: rewards, moves of leagues, rankings in Redis.
 */
export const hasFinalRunsInRedis = (db: Queryable, tenant: number): Promise<boolean> =>
  some(db)`select from leaderboard_runs where tenant = ${tenant} and is_in_redis limit 1`;

/**
 * A ranking that was read before an erasure must not be stored after it, or it would bring the user back. So
 * erasures take this lock shared (shareRankings) and the end of a run takes it exclusively (lockRankings),
 * for each tenant, until the end of the transaction. The same holds for users who get another id.
 */
const RANKINGS_LOCK = 728_193_547;

export async function lockRankings(client: PoolClient, tenant: number): Promise<void> {
  await execute(client)`select pg_advisory_xact_lock(${RANKINGS_LOCK}, ${tenant})`;
}

/** @returns false while a run becomes final; no user may be erased or renamed then */
export const shareRankings = (client: PoolClient, tenant: number): Promise<boolean> =>
  value(client)`select pg_try_advisory_xact_lock_shared(${RANKINGS_LOCK}, ${tenant}) as shared`;
