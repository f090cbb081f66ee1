import { cellOf, cellsOf } from '../../base/cells.ts';
import { readInBatches } from '../../db/readInBatches.ts';
import { type RedisCommand, runPipeline } from '../../redis/connection/pipeline.ts';
import {
  decodeUserState,
  isHeldToRename,
  markersOf,
  type UserState,
} from '../../redis/decoding/userState.ts';
import { keys, keysOfTenant } from '../../redis/keys/redisKeys.ts';
import { USER_PART } from '../../redis/lua/scriptConstants.ts';
import { RenameScripts } from '../../redis/scripts/renameScripts.ts';
import { arrivalOf, groupOfUser, placesOf } from '../../redis/state/rankingEntries.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import { leastScore } from '../../rules/rankingOrder.ts';
import type { RestoreContext } from './context.ts';
import { LeagueSeats } from './leagueSeats.ts';
import { SortedSets } from './sortedSets.ts';

const USERS_PER_BATCH = 2_000;

interface SnapshotRow {
  userId: string;
  hot: Buffer;
  cold: Buffer;
}

/**
 * Restores every user from the last snapshot, with what follows from it: the registry of users, due instants,
 * completions per achievement, places with their tickets in runs that are not final, and the seats taken in
 * leagues. Leaderboards with users outside are marked as due: all users fill them.
 * @returns number of users
 */
export async function restoreUsers(context: RestoreContext): Promise<number> {
  const { client, redis, tenant, cells, progress } = context;
  const { rows } = await client.query<{ count: string }>(
    'select count(*) from user_snapshots where tenant = $1',
    [tenant],
  );
  progress.begin('users', Number(rows[0]!.count));
  const query = 'select user_id as "userId", hot, cold from user_snapshots where tenant = $1';
  const completions = new Map<string, number>();
  const lastArrivals = new Map(cellsOf(tenant, cells).map((cell) => [cell, 0]));
  const seats = new LeagueSeats(context);
  const leftOut = new Set<number>();
  const held: string[] = [];
  let users = 0;
  for await (const batch of readInBatches<SnapshotRow>(client, query, [tenant], USERS_PER_BATCH)) {
    const commands: RedisCommand[] = [];
    const sets = new SortedSets();
    for (const { userId, hot, cold } of batch) {
      const user = decodeUserState(hot, cold);
      const cell = cellOf(tenant, userId, cells);
      const stats = keys.stats(tenant, cell);
      commands.push(['hset', keys.user(tenant, cell, userId), USER_PART.hot, hot, USER_PART.cold, cold]);
      sets.add(keys.seen(tenant, cell), markersOf(hot).seen, userId);
      if (user.due !== null) sets.add(keys.due(cell), user.due, keys.dueMember(tenant, userId));
      for (const no of user.achievements.keys()) {
        const counter = `${stats} ${keysOfTenant.completions(no)}`;
        completions.set(counter, (completions.get(counter) ?? 0) + 1);
      }
      if (isHeldToRename(hot)) held.push(userId);
      seats.add(user);
      const lastArrival = addPlaces(context, sets, userId, user);
      for (const no of boardsWithout(context, user)) leftOut.add(no);
      lastArrivals.set(cell, Math.max(lastArrivals.get(cell)!, lastArrival));
    }
    await runPipeline(redis, [...commands, ...sets.commands()]);
    users += batch.length;
    progress.advance(batch.length);
  }
  // Their snapshots are from the middle of an attempt to rename them. The next one holds them again.
  const renameScripts = new RenameScripts(redis, cells);
  for (const userId of held)
    await renameScripts.releaseUser({ tenant, userId }, Math.floor(context.now / 1_000));
  const statistics = Array.from(
    completions,
    ([counter, count]): RedisCommand => ['hset', ...counter.split(' '), count],
  );
  const arrivals = Array.from(
    lastArrivals,
    ([cell, last]): RedisCommand => ['set', keys.arrivals(tenant, cell), last],
  );
  const due = Array.from(leftOut, (no): RedisCommand => {
    const [cell] = cellsOf(tenant, cells) as [number];
    return ['sadd', keys.dueBoards(keys.due(cell)), keys.dueBoardMember(tenant, no)];
  });
  await runPipeline(redis, [...statistics, ...arrivals, ...due, ...seats.commands()]);
  progress.end();
  return users;
}

/** Numbers of the leaderboards on which the user has a score, but is not on the ranking. */
function boardsWithout({ rules }: RestoreContext, user: UserState): number[] {
  return rules.config.leaderboards
    .filter((board) => {
      const state = user.boards.get(board.no);
      const isOutside = state !== undefined && state.ticket === null && !state.isHidden;
      if (!isOutside || board.league !== null || state.score <= leastScore(board)) return false;
      return groupOfUser(rules, board, user) !== null;
    })
    .map(({ no }) => no);
}

/** @returns latest arrival among the user's tickets */
function addPlaces(
  { rules, cells, isFinal }: RestoreContext,
  sets: SortedSets,
  userId: string,
  user: UserState,
): number {
  let lastArrival = 0;
  for (const { key, board, run, ticket, score } of placesOf(rules, cells, userId, user)) {
    lastArrival = Math.max(lastArrival, arrivalOf(ticket));
    if (!isFinal(board.no, run)) sets.add(key, score, ticket + userId, keptParticipants(board));
  }
  return lastArrival;
}
