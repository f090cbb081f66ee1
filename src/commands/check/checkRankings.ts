import { cellOf } from '../../base/cells.ts';
import { CHECK_MEMBERS } from '../../base/limits.ts';
import { type RedisCommand, runPipeline } from '../../redis/connection/pipeline.ts';
import { decodeUserState, type UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { USER_PART } from '../../redis/lua/scriptConstants.ts';
import { placeIn, userIdOf } from '../../redis/state/rankingEntries.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { membersIn } from '../stores/scanned.ts';
import { type CheckContext, confirm, type Look } from './differences.ts';

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
  for await (const members of membersIn((cursor) => redis.zscan(key, cursor, 'COUNT', CHECK_MEMBERS)))
    await checkMembers(context, ranking, members);
}

/** @returns null for a ranking of a final run or of a leaderboard that is not configured; these will go */
function parseRanking({ rules, isFinal }: CheckContext, key: string): CheckedRanking | null {
  const [, , , no, first] = key.split(':');
  const run = Number(first);
  const board = rules.config.leaderboards.find((one) => one.no === Number(no));
  return board === undefined || isFinal(board.no, run) ? null : { key, board, run };
}

async function checkMembers(
  context: CheckContext,
  ranking: CheckedRanking,
  members: readonly string[],
): Promise<void> {
  const first = await look(context, ranking, members);
  await confirm(context.findings, first, (differing) => look(context, ranking, differing));
}

/** Differences by member. */
async function look(
  context: CheckContext,
  ranking: CheckedRanking,
  members: readonly string[],
): Promise<Look> {
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
  const found: Look = new Map();
  for (const [i, member] of members.entries()) {
    const [hot, cold] = replies[2 * i + 1] as [Buffer | null, Buffer | null];
    const state = hot && cold ? decodeUserState(hot, cold) : null;
    const text = replies[2 * i] === null ? null : faultOf(context, ranking, member, state);
    if (text === null) continue;
    const named = `${ranking.board.key}: ${text}`;
    found.set(member, [{ kind: 'rankings', tenant, userId: userIdOf(member), text: named }]);
  }
  return found;
}

/** What is wrong with a member of a ranking; null if nothing is. */
function faultOf(
  { rules, cells }: CheckContext,
  { key, board, run }: CheckedRanking,
  member: string,
  state: UserState | null,
): string | null {
  if (state === null) return 'a ranking contains an unknown user';
  const userId = userIdOf(member);
  const place = placeIn(rules, cells, { board, run }, userId, state);
  if (place?.key === key && place.ticket + userId === member) return null;
  return 'a ranking contains a user whose state has another place';
}
