import { cellOf } from '../../base/cells.ts';
import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import { readRunGroup, readRunPage } from '../../db/leaderboards/readRuns.ts';
import { findMember, groupOfUser } from '../../redis/state/rankingEntries.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import { readUserNames } from '../../redis/state/userNames.ts';
import type { UserState } from '../../redis/state/userState.ts';
import type { Run } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Service } from '../request/service.ts';

/** A run of a leaderboard, as a caller sees it. */
export interface ShownRun extends Run {
  board: Leaderboard;
  /** Whether it has ended. */
  isOver: boolean;
}

/** A user whose entry is requested. */
export interface RankedUser {
  userId: string;
  user: UserState;
}

/** The group of a user in a run, or null. Once the run is over, it is the user's last group in it. */
export async function findUserGroup(
  { history }: Service,
  rules: Rules,
  { board, start, isOver }: ShownRun,
  { userId, user }: RankedUser,
): Promise<string | null> {
  const present = groupOfUser(rules, board, user);
  if (!isOver || board.breakdownAttributes.length === 0) return present;
  const key = { tenant: rules.tenant, userId };
  const past = await history.read(rules.tenant, (rows) => readRunGroup(rows, key, { leaderboard: board.no, start }));
  return past ?? present;
}

/**
 * Entries of the ranking of a group: from Redis until the run is final, then from the history.
 * @param page `offset` counts from the top, or from the rank of `user`, and then it may be negative
 * @param user at offset 0; a user without a rank has no neighbours either
 */
export async function readRankings(
  service: Service,
  rules: Rules,
  run: ShownRun,
  group: string,
  page: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<LeaderboardRanking[]> {
  const { history, redis, cells } = service;
  const { tenant } = rules;
  const key = keys.board(tenant, cellOf(tenant, cells), run.board.no, run.start, group);
  const standing = await readStanding(service, rules, run, key, page, user);
  if (standing !== null || !run.isOver) return standing ?? [];
  const runKey = { leaderboard: run.board.no, start: run.start };
  const final = await history.readFinal((rows) =>
    readRunPage(rows, tenant, runKey, group, { ...page, userId: user?.userId ?? null }),
  );
  const userIds = final.map(({ userId }) => userId);
  const names = await readUserNames(redis, tenant, cells, userIds);
  return final.map(({ userId, rank, value }, i) => ({ userId, userName: names[i] ?? null, rank, value }));
}

/** Null when Redis has no such ranking. */
async function readStanding(
  { redis, scripts }: Service,
  rules: Rules,
  { board, start }: ShownRun,
  key: string,
  page: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<LeaderboardRanking[] | null> {
  const member = user && (await findMember(redis, key, board, start, user.userId, user.user));
  if (user !== null && member === null) return (await redis.exists(key)) === 1 ? [] : null;
  const standing = await scripts.readLeaderboard(rules.tenant, key, {
    ...page,
    member: member ?? '',
    maxParticipants: board.maxParticipants,
  });
  if (standing === null) return null;
  const { firstRank, entries } = standing;
  return entries.map(({ userId, userName, score }, i) => ({ userId, userName, rank: firstRank + i, value: score }));
}
