import { cellOf } from '../base/cells.ts';
import { CHECK_LOOKS_MAX, CHECK_MEMBERS } from '../base/limits.ts';
import { type RedisCommand, runPipeline } from '../redis/connection/pipeline.ts';
import { USER_PART } from '../redis/scripts/scriptConstants.ts';
import { rankingEntryOf, userIdOf } from '../redis/state/rankingEntries.ts';
import { keys } from '../redis/state/redisKeys.ts';
import { decodeUserState, type UserState } from '../redis/state/userState.ts';
import type { Leaderboard } from '../rules/config.ts';
import type { CheckContext } from './checkContext.ts';
import { type Difference, seenTwice } from './differences.ts';

interface CheckedRanking {
  key: string;
  board: Leaderboard;
  run: number;
}

/** Compares members of a ranking with the states of their users. @param isWhole every member, else some */
export async function checkRanking(context: CheckContext, key: string, isWhole: boolean): Promise<void> {
  const ranking = parseRanking(context, key);
  if (ranking === null) return;
  const { redis } = context;
  if (!isWhole) {
    await checkMembers(context, ranking, await redis.zrandmember(key, CHECK_MEMBERS));
    return;
  }
  let cursor = '0';
  do {
    const [next, found] = await redis.zscan(key, cursor, 'COUNT', CHECK_MEMBERS);
    await checkMembers(
      context,
      ranking,
      found.filter((_, i) => i % 2 === 0),
    );
    cursor = next;
  } while (cursor !== '0');
}

/** @returns null for a ranking of a final run or of a leaderboard that is not configured; these will go */
function parseRanking({ rules, isFinal }: CheckContext, key: string): CheckedRanking | null {
  const [, , , no, first] = key.split(':');
  const run = Number(first);
  const board = rules.config.leaderboards.find((one) => one.no === Number(no));
  return board === undefined || isFinal(board.no, run) ? null : { key, board, run };
}

/** A difference counts if it is the same in two looks, because users move between the reads of one. */
async function checkMembers(
  context: CheckContext,
  ranking: CheckedRanking,
  members: readonly string[],
): Promise<void> {
  let before = await look(context, ranking, members);
  for (let looks = 1; before.size > 0 && looks < CHECK_LOOKS_MAX; looks++) {
    const now = await look(context, ranking, [...before.keys()]);
    for (const [member, difference] of now) {
      const confirmed = seenTwice([before.get(member)!], [difference]);
      context.findings.add(confirmed);
      if (confirmed.length > 0) now.delete(member);
    }
    before = now;
  }
}

/** Differences by member. */
async function look(
  context: CheckContext,
  ranking: CheckedRanking,
  members: readonly string[],
): Promise<Map<string, Difference>> {
  const { redis, tenant, cells } = context;
  const replies = await runPipeline(
    redis,
    members.flatMap((member): RedisCommand[] => {
      const userId = userIdOf(member);
      const user = keys.user(tenant, cellOf(tenant, userId, cells), userId);
      return [
        ['zscore', ranking.key, member],
        ['hmget', user, USER_PART.hot, USER_PART.cold],
      ];
    }),
  );
  const found = new Map<string, Difference>();
  for (const [i, member] of members.entries()) {
    const [hot, cold] = replies[2 * i + 1] as [Buffer | null, Buffer | null];
    const state = hot && cold ? decodeUserState(hot, cold) : null;
    const text = replies[2 * i] === null ? null : faultOf(context, ranking, member, state);
    if (text === null) continue;
    const named = `${ranking.board.key}: ${text}`;
    found.set(member, { kind: 'rankings', tenant, userId: userIdOf(member), text: named });
  }
  return found;
}

/** What is wrong with a member of a ranking; null if nothing is, or if nobody can know. */
function faultOf(
  { rules, cells }: CheckContext,
  { key, board, run }: CheckedRanking,
  member: string,
  state: UserState | null,
): string | null {
  if (state === null) return 'a ranking has a user who does not exist';
  const entry = state.boards.get(board.no);
  // The state has only the latest run.
  if (entry === undefined || entry.run > run) return null;
  const place = rankingEntryOf(rules, cells, board, run, userIdOf(member), state);
  if (place?.member === member && place.key === key) return null;
  return 'a ranking has a user whose state has another place';
}
