import type { Reward } from '../../contract/rewards.ts';
import type { RunResult } from '../../rules/rewardsOfRank.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { Pool, PoolClient, Queryable } from '../pool.ts';
import { all, execute, first } from '../rows.ts';
import { DATE, MILLISECONDS, ORDINAL, sql } from '../sql.ts';
import { type EndedRun, ofRun } from './finalRunRows.ts';

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

const HASH = sql`hashtextextended(ranking_group, 0)`;
/** Comes before all places. */
const START = sql`'-9223372036854775808'::bigint, 0`;

/** Does nothing if the rewards of the run are due already. */
export async function insertDueRewards(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  run: EndedRun,
  rewards: readonly Reward[],
): Promise<void> {
  await execute(client)`
    insert into due_rewards (tenant, leaderboard, run_start, rewards, group_hash, place)
    select ${tenant}, ${leaderboard}, ${DATE(run.start)}, ${JSON.stringify(rewards)}, ${START}`;
}

/** The earliest run of a leaderboard with rewards to give; null if there is none. */
export const findDueRewards = (db: Queryable, board: DueLeaderboard): Promise<RewardedRun | null> =>
  first(db)`
    select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, rewards,
      ${MILLISECONDS('finalized_at')} as "finalizedAt"
    from due_rewards join leaderboard_runs using (tenant, leaderboard, run_start)
    where ${ofRun(board, null)} order by run_start limit 1`;

/** The last rank that may get a reward; null if any may. */
const lastRank = (rewards: readonly Reward[]): number | null =>
  rewards.some(({ to }) => to === null) ? null : Math.max(...rewards.map(({ to }) => to!));

/**
 * At least the next `count` places of a run with a rewarded rank that have not been processed, until the end
 * of the transaction only for this caller. Places that the order does not tell apart come together.
 */
export const listNextRewarded = (
  client: PoolClient,
  board: DueLeaderboard,
  { start, rewards }: RewardedRun,
  count: number,
): Promise<RewardedPlace[]> =>
  all(client)`
    with reached as (select group_hash, place from due_rewards where ${ofRun(board, start)} for update)
    select ${HASH}::text as "groupHash", entry.place, user_id as "userId", rank, tier, outcome
    from leaderboard_places entry, reached
    where ${ofRun(board, start)} and (${lastRank(rewards)}::integer is null or rank <= ${lastRank(rewards)})
      and (${HASH}, entry.place) > (reached.group_hash, reached.place)
    order by ${HASH}, entry.place fetch first ${count} rows with ties`;

/** Stores that places up to this one have been processed. */
export async function advanceRewards(
  client: PoolClient,
  board: DueLeaderboard,
  { start }: EndedRun,
  { groupHash, place }: RewardedPlace,
): Promise<void> {
  await execute(client)`
    update due_rewards set group_hash = ${groupHash}, place = ${place} where ${ofRun(board, start)}`;
}

/** No rewards are left to give for a run, or for any run (null) of a leaderboard. */
export async function finishRewards(
  db: Queryable,
  board: DueLeaderboard,
  run: EndedRun | null,
): Promise<void> {
  await execute(db)`delete from due_rewards where ${ofRun(board, run?.start ?? null)}`;
}

/** After a loss of Redis: rewards that have been given may be lost, so all places are processed again. */
export async function restartDueRewards(pool: Pool): Promise<void> {
  await execute(pool)`update due_rewards set (group_hash, place) = (select ${START})`;
}
