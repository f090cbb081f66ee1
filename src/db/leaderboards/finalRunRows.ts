import type { LeagueOutcome } from '../../rules/league.ts';
import { bulkStatement, insert } from '../bulkInsert.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { DATE, ORDINAL } from '../sql.ts';

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

const ENTRIES = bulkStatement<FinalEntry>(
  {
    tenant: ['int4', (row) => row.tenant],
    leaderboard: ['int4', (row) => row.leaderboard],
    run_start: ['day', (row) => row.run],
    ranking_group: ['text', (row) => row.group],
    place: ['int4', (row) => row.place],
    rank: ['int4', (row) => row.rank],
    user_id: ['text', (row) => row.userId],
    value: ['float8', (row) => row.value],
    tier: ['text', (row) => row.tier],
    outcome: ['text', (row) => row.outcome],
  },
  ({ insertInto }) => `${insertInto('leaderboard_places')}
    on conflict do nothing`,
);

/** @returns false if the run is final already */
export async function insertFinalRun(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  run: EndedRun,
  at: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into leaderboard_runs (tenant, leaderboard, run_start, run_end, finalized_at)
     values ($1, $2, ${DATE('$3')}, ${DATE('$4')}, $5) on conflict do nothing`,
    [tenant, leaderboard, run.start, run.end, new Date(at)],
  );
  return rowCount !== 0;
}

export async function insertFinalEntries(client: PoolClient, entries: FinalEntry[]): Promise<void> {
  await insert(client, 'final entries', ENTRIES, entries, false);
}

/** The rankings that Redis may still hold. @param run first day of the run; null for all runs */
export async function listRankings(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  run: number | null,
): Promise<Ranking[]> {
  const { rows } = await db.query<Ranking>(
    `select distinct ${ORDINAL('run_start')} as run, ranking_group as "group" from leaderboard_changes change
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start = ${DATE('$3')})
       and not exists (select from leaderboard_runs run where run.tenant = change.tenant
         and run.leaderboard = change.leaderboard and run.run_start = change.run_start and not is_in_redis)`,
    [tenant, leaderboard, run],
  );
  return rows;
}

/**
 * Records that Redis no longer holds the rankings of a final run. @param run first day of the run; null for
 * all runs
 */
export async function markForgotten(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  run: number | null,
): Promise<void> {
  await db.query(
    `update leaderboard_runs set is_in_redis = false
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start = ${DATE('$3')}) and is_in_redis`,
    [tenant, leaderboard, run],
  );
}

/** The latest final run, and whether Redis still has it; null if no run is final. */
export async function findLastFinalRun(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
): Promise<(EndedRun & { isInRedis: boolean }) | null> {
  const { rows } = await db.query<EndedRun & { isInRedis: boolean }>(
    `select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, is_in_redis as "isInRedis"
     from leaderboard_runs where tenant = $1 and leaderboard = $2 order by run_start desc limit 1`,
    [tenant, leaderboard],
  );
  return rows[0] ?? null;
}

/** First day of the first run with participants after the run `after` (null: of all runs); or null. */
export async function findNextRun(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  after: EndedRun | null,
): Promise<number | null> {
  const { rows } = await db.query<{ next: number | null }>(
    `select ${ORDINAL('min(run_start)')} as next from leaderboard_changes
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start > ${DATE('$3')})`,
    [tenant, leaderboard, after?.start],
  );
  return rows[0]!.next;
}

/** @returns a function that tells whether a run (number of the leaderboard, first day) is final */
export async function readFinalRuns(
  db: Queryable,
  tenant: number,
): Promise<(leaderboard: number, run: number) => boolean> {
  const { rows } = await db.query<{ leaderboard: number; run: number }>(
    `select leaderboard, ${ORDINAL('run_start')} as run from leaderboard_runs where tenant = $1`,
    [tenant],
  );
  const runs = new Set(rows.map(({ leaderboard, run }) => `${leaderboard}:${run}`));
  return (leaderboard, run) => runs.has(`${leaderboard}:${run}`);
}

/**
 * Whether runs of the tenant are final and not yet worked off: rewards, moves of leagues, rankings in Redis.
 */
export async function hasFinalRunsInRedis(db: Queryable, tenant: number): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    'select exists (select from leaderboard_runs where tenant = $1 and is_in_redis) as found',
    [tenant],
  );
  return rows[0]!.found;
}

/**
 * A ranking that was read before an erasure must not be stored after it, or it would bring the user back. So
 * erasures take this lock shared (shareRankings) and the end of a run takes it exclusively (lockRankings),
 * for each tenant, until the end of the transaction. The same holds for users who get another id.
 */
const RANKINGS_LOCK = 728_193_547;

export async function lockRankings(client: PoolClient, tenant: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [RANKINGS_LOCK, tenant]);
}

/** @returns false while a run becomes final; no user may be erased or renamed then */
export async function shareRankings(client: PoolClient, tenant: number): Promise<boolean> {
  const { rows } = await client.query<{ shared: boolean }>(
    'select pg_try_advisory_xact_lock_shared($1, $2) as shared',
    [RANKINGS_LOCK, tenant],
  );
  return rows[0]!.shared;
}
