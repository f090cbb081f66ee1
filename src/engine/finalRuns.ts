import type { Redis } from 'ioredis';
import { ServiceError } from '../base/errors.ts';
import { type BulkInsert, insert, numbers, texts } from '../db/bulkInsert.ts';
import type { DueLeaderboard } from '../db/dueLeaderboards.ts';
import { type Pool, type PoolClient, type Queryable, transaction } from '../db/pool.ts';
import { lockRankings } from '../db/rankingsLock.ts';
import { DATE, ORDINAL } from '../db/readUserHistory.ts';
import { keys } from '../redis/keys.ts';
import { runPipeline } from '../redis/pipeline.ts';
import { userIdOf } from '../redis/rankings.ts';
import { mustBeRestored } from './publishing.ts';

/** Rankings that are read, or removed, at once; each has up to 1,000 places. */
const RANKINGS_PER_BATCH = 100;

/** Day ordinals, both inclusive. */
export interface EndedRun {
  start: number;
  end: number;
}

interface PlaceRow extends DueLeaderboard {
  run: number;
  group: string;
  rank: number;
  userId: string;
  value: number;
}

const PLACES: BulkInsert<PlaceRow> = {
  text: `insert into leaderboard_places (tenant, leaderboard, run_start, ranking_group, rank, user_id, value)
    select tenant, leaderboard, ${DATE('run')}, ranking_group, rank, user_id, value
    from unnest($1::int4[], $2::int4[], $3::int4[], $4::text[], $5::int4[], $6::text[], $7::float8[])
      as row (tenant, leaderboard, run, ranking_group, rank, user_id, value)
    on conflict do nothing`,
  columns: [
    numbers((row) => row.tenant),
    numbers((row) => row.leaderboard),
    numbers((row) => row.run),
    texts((row) => row.group),
    numbers((row) => row.rank),
    texts((row) => row.userId),
    numbers((row) => row.value),
  ],
};

/**
 * Writes the rankings of a run that is over everywhere, as Redis has them: there they are exact, down to the order of equal scores. Which
 * rankings the run has the history knows, so the relay must have passed everything that happened in it. Once, whoever else does
 * it at the same time.
 * @throws ServiceError `unavailable` when Redis has been lost
 */
export async function finalizeRun(
  pool: Pool,
  redis: Redis,
  board: DueLeaderboard,
  run: EndedRun,
  at: number,
): Promise<void> {
  const { tenant, leaderboard } = board;
  await transaction(pool, async (client) => {
    await lockRankings(client, tenant);
    const { rowCount } = await client.query(
      `insert into leaderboard_runs (tenant, leaderboard, run_start, run_end, finalized_at)
       values ($1, $2, ${DATE('$3')}, ${DATE('$4')}, $5) on conflict do nothing`,
      [tenant, leaderboard, run.start, run.end, new Date(at)],
    );
    if (rowCount === 0) return;
    await eachRanking(client, board, run.start, (batch) => writePlaces(client, redis, board, batch));
    // Rankings that were lost with Redis are not final because they are empty.
    if (await mustBeRestored(pool, redis)) throw new ServiceError('unavailable', 'The store waits to be restored');
  });
}

/** Groups of one run at a time, or of all that may still be in Redis. */
async function eachRanking(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  run: number | null,
  work: (batch: Ranking[]) => Promise<unknown>,
): Promise<void> {
  const { rows } = await db.query<Ranking>(
    `select distinct ${ORDINAL('run_start')} as run, ranking_group as "group" from leaderboard_changes change
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start = ${DATE('$3')})
       and not exists (select from leaderboard_runs run where run.tenant = change.tenant
         and run.leaderboard = change.leaderboard and run.run_start = change.run_start and not is_in_redis)`,
    [tenant, leaderboard, run],
  );
  for (let at = 0; at < rows.length; at += RANKINGS_PER_BATCH) await work(rows.slice(at, at + RANKINGS_PER_BATCH));
}

interface Ranking {
  run: number;
  group: string;
}

async function writePlaces(
  client: PoolClient,
  redis: Redis,
  { tenant, leaderboard }: DueLeaderboard,
  rankings: Ranking[],
): Promise<void> {
  const commands = rankings.map(({ run, group }) => [
    ...['zrange', keys.board(tenant, leaderboard, run, group)],
    ...[0, -1, 'REV', 'WITHSCORES'],
  ]);
  const replies = (await runPipeline(redis, commands)) as Buffer[][];
  const places = rankings.flatMap(({ run, group }, i) => {
    const flat = replies[i]!.map(String);
    return flat.flatMap((member, at): PlaceRow[] => {
      if (at % 2 === 1) return [];
      const value = Number(flat[at + 1]);
      return [{ tenant, leaderboard, run, group, rank: at / 2 + 1, userId: userIdOf(member), value }];
    });
  });
  await insert(client, 'final places', PLACES, places, false);
}

/**
 * Removes from Redis what it has of a run that is final, or of all runs of a leaderboard that is finished or was deleted.
 * @param run null for all
 */
export async function forgetRankings(
  pool: Pool,
  redis: Redis,
  board: DueLeaderboard,
  run: number | null,
): Promise<void> {
  const { tenant, leaderboard } = board;
  await eachRanking(pool, board, run, (batch) =>
    redis.unlink(batch.map((ranking) => keys.board(tenant, leaderboard, ranking.run, ranking.group))),
  );
  await pool.query(
    `update leaderboard_runs set is_in_redis = false
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start = ${DATE('$3')}) and is_in_redis`,
    [tenant, leaderboard, run],
  );
}

/** The last run that is final, and whether Redis still has it; null when none is. */
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

/** First day of the first run after one, or of all, in which anybody took part; null when nobody did. */
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

/** Which runs of a tenant's leaderboards are final. */
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
