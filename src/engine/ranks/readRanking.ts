import type { Redis } from 'ioredis';
import { type Cells, cellsOf, homeCellOf } from '../../base/cells.ts';
import { USERS_PER_READ_MAX } from '../../base/limits.ts';
import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import { readRunGroup, readRunPage } from '../../db/leaderboards/readRuns.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { RecordOf } from '../../redis/layouts/recordLayout.ts';
import type { FOUND_RANK } from '../../redis/layouts/reportLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { readUserNames } from '../../redis/state/currentStates.ts';
import { groupInRun, memberIn, type RankedMember, rankedUsersOf } from '../../redis/state/rankingEntries.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { hasGroups } from '../../rules/leagueTiers.ts';
import { ranksOf, scoreOf } from '../../rules/rankingOrder.ts';
import type { History } from '../availability/historyReads.ts';
import type { MergedReads } from './mergedReads.ts';
import type { RankReads } from './rankReads.ts';

/** Rankings are in Redis until their run is final, then in PostgreSQL. */
export interface RankingStores {
  redis: Redis;
  scripts: Scripts;
  cells: Cells;
  mergedReads: MergedReads;
  history: Pick<History, 'final'>;
}

/** Stores of reads of single entries. */
export interface EntryStores extends RankingStores {
  rankReads: RankReads;
}

/** The ranking of a group in a run. */
export interface GroupRanking {
  board: Leaderboard;
  /** First day of the run. */
  start: number;
  group: string;
  /** Whether the run may be over, and so final. */
  isOver: boolean;
}

/** A user whose entry is requested. */
export interface RankedUser {
  userId: string;
  user: UserState;
}

/** Keys of a ranking in Redis: one for each cell of the tenant, with the users of the cell. */
export function keysOfRanking(cells: Cells, tenant: number, { board, start, group }: GroupRanking): string[] {
  return cellsOf(tenant, cells).map((cell) => keys.board(tenant, cell, board.no, start, group));
}

/** The group of a user in a run, or null. Once the run is over, it is the user's last group in it. */
export async function findUserGroup(
  history: History,
  rules: Rules,
  { board, start, isOver }: Omit<GroupRanking, 'group'>,
  { userId, user }: RankedUser,
): Promise<string | null> {
  const present = groupInRun(rules, board, start, user);
  if (!isOver || !hasGroups(board)) return present;
  const key = { tenant: rules.tenant, userId };
  const past = await history.readUser(key, (rows) =>
    readRunGroup(rows, key, { leaderboard: board.no, start }),
  );
  return past ?? present;
}

/**
 * A page of a ranking, with the names of users.
 * @param page `offset` counts from the top, or from the rank of `user`, and then it may be negative
 * @param user at offset 0; a user without a rank has no neighbours either
 */
export async function readRanking(
  stores: RankingStores,
  tenant: number,
  ranking: GroupRanking,
  page: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<LeaderboardRanking[]> {
  if (stores.cells.spread > 1) return readMergedPage(stores, tenant, ranking, page, user);
  const open = await readOpenPage(stores, tenant, ranking, page, user);
  if (open !== null || !ranking.isOver) return open ?? [];
  const final = await readFinalPage(stores, tenant, ranking, page, user);
  return withNames(stores, tenant, final, new Map());
}

/** The rank and the value of a user in a ranking; null for a user without a rank. */
export async function readEntry(
  stores: EntryStores,
  tenant: number,
  ranking: GroupRanking,
  user: RankedUser,
): Promise<{ rank: number; value: number } | null> {
  const page = { offset: 0, limit: 1 };
  if (stores.cells.spread > 1) return (await readMergedPage(stores, tenant, ranking, page, user))[0] ?? null;
  const { board } = ranking;
  const { exists, rank, score } = await readOpenRank(stores, tenant, ranking, user);
  if (rank !== false && score !== false) return { rank, value: scoreOf(board, score) };
  if (exists || !ranking.isOver) return null;
  const [final] = await readFinalPage(stores, tenant, ranking, page, user);
  return final ?? null;
}

async function readOpenRank(
  { redis, rankReads, cells }: EntryStores,
  tenant: number,
  ranking: GroupRanking,
  { userId, user }: RankedUser,
): Promise<RecordOf<typeof FOUND_RANK>> {
  const [key] = keysOfRanking(cells, tenant, ranking) as [string];
  const { board, start: run, group, isOver } = ranking;
  const member = memberIn(board, run, userId, user);
  if (member === null)
    return { exists: isOver && (await redis.exists(key)) === 1, rank: false, score: false };
  const { no, maxParticipants: max, ties } = board;
  const isShared = ties === 'shared';
  return rankReads.read(homeCellOf(tenant, cells), { tenant, board: no, run, group, member, max, isShared });
}

function readFinalPage(
  { history }: RankingStores,
  tenant: number,
  { board, start, group }: GroupRanking,
  page: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<RankedMember[]> {
  const userId = user?.userId ?? null;
  return readRunPage(history.final, tenant, { leaderboard: board.no, start }, group, { ...page, userId });
}

/**
 * A page of a ranking that is spread over cells. Final rankings leave Redis cell by cell, so PostgreSQL is
 * asked for them first.
 */
async function readMergedPage(
  stores: RankingStores,
  tenant: number,
  ranking: GroupRanking,
  { offset, limit }: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<LeaderboardRanking[]> {
  if (ranking.isOver) {
    const final = await readFinalPage(stores, tenant, ranking, { offset, limit }, user);
    if (final.length > 0) return withNames(stores, tenant, final, new Map());
  }
  const { maxParticipants } = ranking.board;
  const depth = user === null ? Math.min(offset + limit, maxParticipants) : maxParticipants;
  if (depth <= 0) return [];
  const flat = await stores.mergedReads.read(keysOfRanking(stores.cells, tenant, ranking), depth);
  const ranked = rankedUsersOf(ranking.board, flat);
  const start = user === null ? 0 : ranked.findIndex(({ userId }) => userId === user.userId);
  if (start < 0) return [];
  const first = start + offset;
  const entries = ranked.slice(Math.max(0, first), Math.max(0, first + limit));
  return withNames(stores, tenant, entries, new Map());
}

/** Null when Redis has no such ranking. */
async function readOpenPage(
  { redis, scripts, cells }: RankingStores,
  tenant: number,
  ranking: GroupRanking,
  page: { offset: number; limit: number },
  user: RankedUser | null,
): Promise<LeaderboardRanking[] | null> {
  const [key] = keysOfRanking(cells, tenant, ranking) as [string];
  const { board, start } = ranking;
  const member = user && memberIn(board, start, user.userId, user.user);
  if (user !== null && member === null) return (await redis.exists(key)) === 1 ? [] : null;
  const found = await scripts.readLeaderboard(tenant, homeCellOf(tenant, cells), key, {
    ...page,
    member: member ?? '',
    board,
  });
  if (found === null) return null;
  const { first, entries } = found;
  const scores = entries.map(({ score }) => score);
  const ranks = ranksOf(board, scores, first);
  return entries.map(({ userId, userName, score }, i) => ({
    userId,
    userName,
    rank: ranks[i]!,
    value: scoreOf(board, score),
  }));
}

/**
 * All ranks of a ranking. Reads no state of users whose names are known, so it costs Redis less than a page
 * of this size.
 * @param names of users, to which missing names are added
 */
export async function readWholeRanking(
  stores: RankingStores,
  tenant: number,
  ranking: GroupRanking,
  names: Map<string, string | null>,
): Promise<LeaderboardRanking[]> {
  return withNames(stores, tenant, await readPlaces(stores, tenant, ranking), names);
}

/** All users who have a place in a ranking, in order. */
export async function readPlaces(
  stores: RankingStores,
  tenant: number,
  ranking: GroupRanking,
): Promise<RankedMember[]> {
  const { board, isOver } = ranking;
  const { maxParticipants: limit } = board;
  const readFinal = () => readFinalPage(stores, tenant, ranking, { offset: 0, limit }, null);
  if (isOver && stores.cells.spread > 1) {
    const final = await readFinal();
    if (final.length > 0) return final;
  }
  const flat = await stores.mergedReads.read(keysOfRanking(stores.cells, tenant, ranking), limit);
  return flat.length > 0 || !isOver ? rankedUsersOf(board, flat) : readFinal();
}

/** @param names of users, to which missing names are added */
async function withNames(
  { redis, cells }: RankingStores,
  tenant: number,
  entries: readonly RankedMember[],
  names: Map<string, string | null>,
): Promise<LeaderboardRanking[]> {
  const unknown = entries.map(({ userId }) => userId).filter((userId) => !names.has(userId));
  for (let at = 0; at < unknown.length; at += USERS_PER_READ_MAX) {
    const userIds = unknown.slice(at, at + USERS_PER_READ_MAX);
    const found = await readUserNames(redis, tenant, cells, userIds);
    for (const [i, userId] of userIds.entries()) names.set(userId, found[i]!);
  }
  return entries.map(({ userId, rank, value }) => ({
    userId,
    userName: names.get(userId) ?? null,
    rank,
    value,
  }));
}
