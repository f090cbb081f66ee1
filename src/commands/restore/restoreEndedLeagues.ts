import { cellOf } from '../../base/cells.ts';
import { LEAGUE_GROUP_MAX } from '../../base/leagueLimits.ts';
import { readInBatches } from '../../db/readInBatches.ts';
import { ORDINAL } from '../../db/sql.ts';
import { leagueResult } from '../../engine/leaderboards/leagueRuns.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { boardsOf } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { USER_PART } from '../../redis/lua/scriptConstants.ts';
import { ticketOf } from '../../redis/state/rankingEntries.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { LeagueOutcome } from '../../rules/league.ts';
import type { RestoreContext } from './context.ts';
import { SortedSets } from './sortedSets.ts';

const PLACES_PER_BATCH = 5_000;

interface FinalPlace {
  leaderboard: number;
  run: number;
  group: string;
  userId: string;
  rank: number;
  outcome: LeagueOutcome;
}

/** The final place of a user who is a member of the restored run. */
interface EndedPlace {
  place: FinalPlace;
  ticket: string;
}

const FINAL_PLACES = `
  select leaderboard, ${ORDINAL('run_start')} as run, ranking_group as "group", user_id as "userId", rank, outcome
  from leaderboard_places join leaderboard_runs using (tenant, leaderboard, run_start)
  where tenant = $1 and leaderboard = any($2) and is_in_redis
  order by leaderboard, run_start, ranking_group, rank, user_id`;

/**
 * Restores the rankings of final runs of leagues that some users have still to leave for their next tiers.
 * Only the ranks of these users count then. All other places have no user: those of users who have moved,
 * were erased, or live in another cell.
 */
export async function restoreEndedLeagues(context: RestoreContext): Promise<void> {
  const { client, redis, rules, tenant, cells } = context;
  const leagues = rules.config.leaderboards.filter(({ league }) => league !== null).map(({ no }) => no);
  if (leagues.length === 0) return;
  const rankings = new Map<string, EndedPlace[]>();
  const values = [tenant, leagues];
  for await (const batch of readInBatches<FinalPlace>(client, FINAL_PLACES, values, PLACES_PER_BATCH)) {
    const tickets = await readTickets(context, batch);
    for (const [i, place] of batch.entries()) {
      const { leaderboard, run, group, userId } = place;
      const ticket = tickets[i]!;
      if (ticket === null) continue;
      const key = keys.board(tenant, cellOf(tenant, userId, cells), leaderboard, run, group);
      const places = rankings.get(key) ?? [];
      places.push({ place, ticket });
      rankings.set(key, places);
    }
  }
  const sets = new SortedSets();
  for (const [key, places] of rankings) {
    const memberOf = new Map(places.map(({ place, ticket }) => [place.rank, ticket + place.userId]));
    const size = sizeOf(rules, places);
    for (let rank = 1; rank <= size; rank++) sets.add(key, -rank, memberOf.get(rank) ?? ticketOf(rank));
  }
  await runPipeline(redis, sets.commands());
}

/** Tickets of users in their run: null for those who are not in it, or have no place. */
async function readTickets(
  { redis, tenant, cells }: RestoreContext,
  places: readonly FinalPlace[],
): Promise<(string | null)[]> {
  const hots = await runPipeline(
    redis,
    places.map(({ userId }) => [
      'hget',
      keys.user(tenant, cellOf(tenant, userId, cells), userId),
      USER_PART.hot,
    ]),
  );
  return places.map(({ leaderboard, run }, i) => {
    const hot = hots[i] as Buffer | null;
    const board = hot === null ? undefined : boardsOf(hot).get(leaderboard);
    return board?.run === run ? board.ticket : null;
  });
}

/** The number of members at the end of the run, as far as it shows in what became of these. */
function sizeOf(rules: Rules, places: EndedPlace[]): number {
  const { leaderboard, run, group, rank: last } = places.at(-1)!.place;
  const board = rules.byNo('leaderboards', leaderboard);
  for (let size = last; size <= LEAGUE_GROUP_MAX; size++) {
    const isSame = places.every(
      ({ place }) => leagueResult(board, run, group, place.rank, size).outcome === place.outcome,
    );
    if (isSame) return size;
  }
  return last;
}
