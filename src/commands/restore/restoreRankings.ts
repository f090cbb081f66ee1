import { cellOf } from '../../base/cells.ts';
import { readInBatches } from '../../db/readInBatches.ts';
import { ORDINAL } from '../../db/sql.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { boardsOf } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { USER_PART } from '../../redis/lua/scriptConstants.ts';
import { arrivalOf, ticketOf } from '../../redis/state/rankingEntries.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import { scoreOf } from '../../rules/rankingOrder.ts';
import type { RestoreContext } from './context.ts';
import { SortedSets } from './sortedSets.ts';

const PLACES_PER_BATCH = 5_000;

interface PlaceRow {
  leaderboard: number;
  run: number;
  group: string;
  userId: string;
  value: number;
}

// The last place of each user in each run that is not final: equal values in the order of arrival. Among
// arrivals in the same millisecond, the lower rank comes first.
const PLACES = `
  select leaderboard, ${ORDINAL('run_start')} as run, ranking_group as "group", user_id as "userId", value
  from (
    select distinct on (leaderboard, run_start, user_id) leaderboard, run_start, ranking_group, user_id, value, rank, changed_at
    from leaderboard_changes change where tenant = $1 and leaderboard = any($2)
      and not exists (select from leaderboard_runs run where run.tenant = change.tenant
        and run.leaderboard = change.leaderboard and run.run_start = change.run_start)
    order by leaderboard, run_start, user_id, last_sequence desc
  ) as latest
  where rank is not null
  order by leaderboard, run_start, ranking_group, value, changed_at, rank, user_id`;

/**
 * Completes the rankings after the users. A user who has moved on to a newer run keeps the place in the older
 * one. The state no longer contains that place, so it comes from the history. The user gets a ticket between
 * those of the neighbouring arrivals with the same value.
 */
export async function restoreRankings(context: RestoreContext): Promise<void> {
  const { client, redis, rules, tenant, cells, progress } = context;
  const repeating = rules.config.leaderboards.filter(({ runUnit }) => runUnit !== null);
  const boards = new Map(repeating.map((board) => [board.no, board]));
  const values = [tenant, [...boards.keys()]];
  const { rows } = await client.query<{ count: string }>(`select count(*) from (${PLACES}) as place`, values);
  progress.begin('places in runs', Number(rows[0]!.count));
  let equals = '';
  let arrival = 0;
  for await (const batch of readInBatches<PlaceRow>(client, PLACES, values, PLACES_PER_BATCH)) {
    const found = await readTickets(context, batch);
    const sets = new SortedSets();
    for (const [i, { leaderboard, run, group, userId, value }] of batch.entries()) {
      const key = keys.board(tenant, cellOf(tenant, userId, cells), leaderboard, run, group);
      const before = equals;
      equals = `${leaderboard}:${run}:${group} ${value}`;
      if (equals !== before) arrival = 0;
      const ticket = found[i];
      if (ticket === undefined) {
        const board = boards.get(leaderboard)!;
        const member = ticketOf(++arrival) + userId;
        sets.add(key, scoreOf(board, value), member, keptParticipants(board));
      } else if (ticket !== null) arrival = Math.max(arrival, arrivalOf(ticket));
    }
    await runPipeline(redis, sets.commands());
    progress.advance(batch.length);
  }
  progress.end();
}

/** Tickets of users in their run: null if not ranked, undefined if the user's state is in another run. */
export async function readTickets(
  { redis, tenant, cells }: RestoreContext,
  places: Pick<PlaceRow, 'leaderboard' | 'run' | 'userId'>[],
): Promise<(string | null | undefined)[]> {
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
    return board?.run === run ? board.ticket : undefined;
  });
}
