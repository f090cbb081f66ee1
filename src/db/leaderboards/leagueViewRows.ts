import type { LeagueOutcome } from '../../rules/league.ts';
import type { DueLeaderboard } from '../configuration/dueLeaderboards.ts';
import type { Rows, Statement } from '../rows.ts';
import { DATE, ORDINAL } from '../sql.ts';

/** What administrators see of a league: its last final run, and the tiers of its users. */

export interface FinalRunRow {
  start: number;
  end: number;
  finalizedAt: Date;
}

const LAST_RUN: Statement = {
  name: 'last final run of a league',
  text: `select ${ORDINAL('run_start')} as start, ${ORDINAL('run_end')} as end, finalized_at as "finalizedAt"
    from leaderboard_runs where tenant = $1 and leaderboard = $2 order by run_start desc limit 1`,
};

export async function readLastRun(
  rows: Rows,
  { tenant, leaderboard }: DueLeaderboard,
): Promise<FinalRunRow | null> {
  const [row] = await rows<FinalRunRow>(LAST_RUN, [tenant, leaderboard]);
  return row ?? null;
}

/** Users by the tier of the run and what its end did with them. */
export interface OutcomeCountRow {
  tier: string;
  outcome: LeagueOutcome;
  users: number;
}

const OUTCOMES: Statement = {
  name: 'outcomes of a run of a league',
  text: `select tier, outcome, count(*)::int as users from leaderboard_places
    where tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')} group by tier, outcome`,
};

export function countOutcomes(
  rows: Rows,
  { tenant, leaderboard }: DueLeaderboard,
  run: number,
): Promise<OutcomeCountRow[]> {
  return rows<OutcomeCountRow>(OUTCOMES, [tenant, leaderboard, run]);
}

/** Users by their tier, and how many of them have no rank in a run. */
export interface TierCountRow {
  tier: string;
  users: number;
  idle: number;
}

const TIERS: Statement = {
  name: 'users of the tiers of a league',
  text: `select member.tier, count(*)::int as users, (count(*) - count(place.user_id))::int as idle
    from league_members member left join leaderboard_places place
      on place.tenant = $1 and place.leaderboard = $2 and place.run_start = ${DATE('$3')}
        and place.user_id = member.user_id
    where member.tenant = $1 and member.leaderboard = $2 group by member.tier`,
};

export function countTiers(
  rows: Rows,
  { tenant, leaderboard }: DueLeaderboard,
  run: number,
): Promise<TierCountRow[]> {
  return rows<TierCountRow>(TIERS, [tenant, leaderboard, run]);
}

export interface LeagueResultListRow {
  userId: string;
  userName: string | null;
  group: string;
  tier: string;
  rank: number;
  value: number;
  outcome: LeagueOutcome;
}

const RESULTS: Statement = {
  name: 'results of a run of a league',
  text: `select place.user_id as "userId", name as "userName", ranking_group as "group", tier, rank, value, outcome
    from leaderboard_places place left join users on users.tenant = $1 and users.user_id = place.user_id
    where place.tenant = $1 and leaderboard = $2 and run_start = ${DATE('$3')}
      and ($4::text is null or tier = $4) and ($5::text is null or outcome = $5)
    order by hashtextextended(ranking_group, 0), place limit $6 offset $7`,
};

/** Places of a final run, group by group. Null for any tier or outcome. */
export function listLeagueResults(
  rows: Rows,
  { tenant, leaderboard }: DueLeaderboard,
  run: number,
  filter: { tier: string | null; outcome: LeagueOutcome | null },
  { limit, skip }: { limit: number; skip: number },
): Promise<LeagueResultListRow[]> {
  const values = [tenant, leaderboard, run, filter.tier, filter.outcome, limit, skip];
  return rows<LeagueResultListRow>(RESULTS, values);
}
