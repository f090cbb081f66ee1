import type { Page } from '../../contract/admin.ts';
import type { LeagueOutcome } from '../../rules/league.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, column, execute, first, type Rows } from '../rows.ts';
import { DATE, sql } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import { ofRun } from './finalRunRows.ts';
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

/**
 * Gives users who have a rank in a final run their tiers in the next one, and then users without a rank
 * theirs.
 * @param run first days of the run and of the next one
 * @returns the changed tiers
 */
export async function writeLeagueMembers(
  client: PoolClient,
  board: DueLeaderboard,
  run: { start: number; next: number },
  steps: readonly TierStep[],
): Promise<TierChange[]> {
  const given = sql`
    unnest(${steps.map(({ tier }) => tier)}::text[], ${steps.map(({ outcome }) => outcome)}::text[],
      ${steps.map(({ next }) => next)}::text[]) as step (tier, outcome, next)`;
  await execute(client)`
    insert into league_members as member (tenant, leaderboard, user_id, tier, run_start)
    select tenant, leaderboard, user_id, step.next, ${DATE(run.next)}
    from leaderboard_places join ${given} using (tier, outcome)
    where ${ofRun(board, run.start)} order by user_id
    on conflict (tenant, leaderboard, user_id) do update
      set tier = excluded.tier, run_start = excluded.run_start`;
  const ranked = await all(client)<TierChange>`
    select user_id as "userId", tier as "from", step.next as "to", rank
    from leaderboard_places join ${given} using (tier, outcome)
    where ${ofRun(board, run.start)} and tier <> step.next`;
  const idle = await all(client)<TierChange>`
    update league_members member set tier = step.next, run_start = ${DATE(run.next)} from ${given}
    where ${ofRun(board, null)} and run_start <= ${DATE(run.start)} and member.tier = step.tier
      and step.outcome = 'idle' and step.next <> step.tier
    returning user_id as "userId", step.tier as "from", step.next as "to", null::integer as rank`;
  return [...ranked, ...idle];
}

/** Ids of users whose tier begins with the run of this first day, after another id, in order. */
export const listLeagueMembers = (
  db: Queryable,
  board: DueLeaderboard,
  run: number,
  after: string,
  limit: number,
): Promise<string[]> =>
  column(db)`
    select user_id from league_members where ${ofRun(board, run)} and user_id > ${after}
    order by user_id limit ${limit}`;

/** How a final run ended for a user. */
export interface LeagueResultRow {
  /** Key of the tier in the run. */
  tier: string;
  rank: number;
  outcome: LeagueOutcome;
}

/** Of the last final run before this one in which the user had a rank; null without one. */
export const readResultBefore = (
  rows: Rows,
  { tenant, userId }: UserKey,
  { leaderboard, start }: RunKey,
): Promise<LeagueResultRow | null> =>
  first(rows)`
    select tier, rank, outcome from leaderboard_places
    where tenant = ${tenant} and user_id = ${userId} and leaderboard = ${leaderboard}
      and run_start < ${DATE(start)}
    order by run_start desc limit 1`;

/* What administrators see of a league. */

/** Users by the tier of the run and what its end did with them. */
export interface OutcomeCountRow {
  tier: string;
  outcome: LeagueOutcome;
  users: number;
}

export const countOutcomes = (rows: Rows, board: DueLeaderboard, run: number): Promise<OutcomeCountRow[]> =>
  all(rows)`
    select tier, outcome, count(*)::int as users from leaderboard_places
    where ${ofRun(board, run)} group by tier, outcome`;

/** Users by their tier, and how many of them have no rank in a run. */
export interface TierCountRow {
  tier: string;
  users: number;
  idle: number;
}

export const countTiers = (rows: Rows, board: DueLeaderboard, run: number): Promise<TierCountRow[]> =>
  all(rows)`
    select member.tier, count(*)::int as users, (count(*) - count(place.user_id))::int as idle
    from league_members member
    left join (select user_id from leaderboard_places where ${ofRun(board, run)}) as place using (user_id)
    where ${ofRun(board, null)} group by member.tier`;

export interface LeagueResultListRow {
  userId: string;
  userName: string | null;
  group: string;
  tier: string;
  rank: number;
  value: number;
  outcome: LeagueOutcome;
}

/** Places of a final run, group by group. Null for any tier or outcome. */
export const listLeagueResults = (
  rows: Rows,
  board: DueLeaderboard,
  run: number,
  { tier, outcome }: { tier: string | null; outcome: LeagueOutcome | null },
  { limit, skip }: Page,
): Promise<LeagueResultListRow[]> =>
  all(rows)`
    select user_id as "userId", name as "userName", ranking_group as "group", tier, rank, value, outcome
    from leaderboard_places left join users using (tenant, user_id)
    where ${ofRun(board, run)} and (${tier}::text is null or tier = ${tier})
      and (${outcome}::text is null or outcome = ${outcome})
    order by hashtextextended(ranking_group, 0), place limit ${limit} offset ${skip}`;
