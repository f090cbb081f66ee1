import type { LeagueOutcome } from '../../rules/league.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import { DATE } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import type { RunKey } from './readRuns.ts';

/** Where users of a tier go who end a run with an outcome; `idle` without a rank. Tiers are keys. */
export interface TierStep {
  tier: string;
  outcome: LeagueOutcome | 'idle';
  next: string;
}

/** A user whose tier the end of a run has changed. */
export interface TierChange {
  userId: string;
  from: string;
  to: string;
  /** Null without a rank. */
  rank: number | null;
}

const STEPS = 'unnest($4::text[], $5::text[], $6::text[]) as step (tier, outcome, next)';

const stepValues = (steps: readonly TierStep[]): string[][] => [
  steps.map(({ tier }) => tier),
  steps.map(({ outcome }) => outcome),
  steps.map(({ next }) => next),
];

/**
 * Gives users who have a rank in a final run their tiers in the next one, and then users without a rank
 * theirs.
 * @param run first days of the run and of the next one
 * @returns the changed tiers
 */
export async function writeLeagueMembers(
  client: PoolClient,
  { tenant, leaderboard }: DueLeaderboard,
  run: { start: number; next: number },
  steps: readonly TierStep[],
): Promise<TierChange[]> {
  const values = [tenant, leaderboard, run.start, ...stepValues(steps), run.next];
  await client.query(
    `insert into league_members as member (tenant, leaderboard, user_id, tier, run_start)
     select tenant, leaderboard, user_id, step.next, ${DATE('$7')}
     from leaderboard_places join ${STEPS} using (tier, outcome)
     where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} order by user_id
     on conflict (tenant, leaderboard, user_id) do update
       set tier = excluded.tier, run_start = excluded.run_start`,
    values,
  );
  const ranked = await client.query<TierChange>(
    `select user_id as "userId", tier as "from", step.next as "to", rank
     from leaderboard_places join ${STEPS} using (tier, outcome)
     where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} and tier <> step.next
       and $7::integer is not null`,
    values,
  );
  const idle = await client.query<TierChange>(
    `update league_members member set tier = step.next, run_start = ${DATE('$7')} from ${STEPS}
     where tenant = $1 and leaderboard = $2 and run_start <= ${DATE('$3')} and member.tier = step.tier
       and step.outcome = 'idle' and step.next <> step.tier
     returning user_id as "userId", step.tier as "from", step.next as "to", null::integer as rank`,
    values,
  );
  return [...ranked.rows, ...idle.rows];
}

/** Ids of users whose tier begins with the run of this first day, after another id, in order. */
export async function listLeagueMembers(
  db: Queryable,
  { tenant, leaderboard }: DueLeaderboard,
  run: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ userId: string }>(
    `select user_id as "userId" from league_members
     where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} and user_id > $4
     order by user_id limit $5`,
    [tenant, leaderboard, run, after, limit],
  );
  return rows.map(({ userId }) => userId);
}

/** How a final run ended for a user. */
export interface LeagueResultRow {
  /** Key of the tier in the run. */
  tier: string;
  rank: number;
  outcome: LeagueOutcome;
}

const RESULT_BEFORE: Statement = {
  name: 'result before a run',
  text: `select tier, rank, outcome from leaderboard_places
    where tenant = $1 and user_id = $2 and leaderboard = $3 and run_start < ${DATE('$4')}
    order by run_start desc limit 1`,
};

/** Of the last final run before this one in which the user had a rank; null without one. */
export async function readResultBefore(
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
): Promise<LeagueResultRow | null> {
  const [row] = await rows<LeagueResultRow>(RESULT_BEFORE, [tenant, userId, leaderboard, start]);
  return row ?? null;
}
