import type { Reward } from '../../rules/rewards.ts';
import type { RunResult } from '../../rules/rewardsOfRank.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { Pool, PoolClient, Queryable } from '../pool.ts';
import { DATE, MILLISECONDS, ORDINAL } from '../sql.ts';
import type { EndedRun } from './finalRunRows.ts';

/** A final run whose rewards are still to be given. */
export interface RewardedRun extends EndedRun {
  /** When the run became final, ms. */
  finalizedAt: number;
  rewards: Reward[];
}

/** A place with its rank. The group is given by a hash, as text because it has 64 bits. */
export interface RewardedPlace extends RunResult {
  groupHash: string;
  place: number;
  userId: string;
}

const HASH = 'hashtextextended(ranking_group, 0)';
/** Comes before all places. */
const START = `'-9223372036854775808'::bigint, 0`;

/** Does nothing if the rewards of the run are due already. */
export async function insertDueRewards(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  run: EndedRun,
  rewards: readonly Reward[],
): Promise<void> {
  await client.query(
    `insert into due_rewards (tenant, leaderboard, run_start, rewards, group_hash, place)
     select $1, $2, ${DATE('$3')}, $4, ${START}`,
    [tenant, leaderboard, run.start, JSON.stringify(rewards)],
  );
}

/** The earliest run of a leaderboard with rewards to give; null if there is none. */
export async function findDueRewards(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
): Promise<RewardedRun | null> {
  const { rows } = await db.query<RewardedRun>(
    `select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, rewards,
       ${MILLISECONDS('finalized_at')} as "finalizedAt"
     from due_rewards join leaderboard_runs using (tenant, leaderboard, run_start)
     where tenant = $1 and leaderboard = $2 order by run_start limit 1`,
    [tenant, leaderboard],
  );
  return rows[0] ?? null;
}

/** The last rank that may get a reward; null if any may. */
const lastRank = (rewards: readonly Reward[]): number | null =>
  rewards.some(({ to }) => to === null) ? null : Math.max(...rewards.map(({ to }) => to!));

/**
 * At least the next `count` places of a run with a rewarded rank that have not been processed, until the end
 * of the transaction only for this caller. Places that the order does not tell apart come together.
 */
export async function listNextRewarded(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  { start, rewards }: RewardedRun,
  count: number,
): Promise<RewardedPlace[]> {
  const { rows } = await client.query<RewardedPlace>(
    `with reached as (select group_hash, place from due_rewards
       where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} for update)
     select ${HASH}::text as "groupHash", entry.place, user_id as "userId", rank, tier, outcome
     from leaderboard_places entry, reached
     where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} and ($4::integer is null or rank <= $4)
       and (${HASH}, entry.place) > (reached.group_hash, reached.place)
     order by ${HASH}, entry.place fetch first $5 rows with ties`,
    [tenant, leaderboard, start, lastRank(rewards), count],
  );
  return rows;
}

/** Stores that places up to this one have been processed. */
export async function advanceRewards(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  { start }: EndedRun,
  { groupHash, place }: RewardedPlace,
): Promise<void> {
  await client.query(
    `update due_rewards set group_hash = $4, place = $5
     where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')}`,
    [tenant, leaderboard, start, groupHash, place],
  );
}

/** No rewards are left to give for a run, or for any run (null) of a leaderboard. */
export async function finishRewards(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  run: EndedRun | null,
): Promise<void> {
  await db.query(
    `delete from due_rewards
     where tenant = $1 and leaderboard = $2 and ($3::integer is null or run_start = ${DATE('$3')})`,
    [tenant, leaderboard, run?.start],
  );
}

/** After a loss of Redis: rewards that have been given may be lost, so all places are processed again. */
export async function restartDueRewards(pool: Pool): Promise<void> {
  await pool.query(`update due_rewards set (group_hash, place) = (select ${START})`);
}
