import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import { runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { ranksOf, scoreOf } from '../../rules/rankingOrder.ts';
import { groupName } from '../decoding/outcome.ts';
import type { UserState } from '../decoding/userState.ts';
import { keys } from '../keys/redisKeys.ts';
import { TICKET } from '../lua/scriptConstants.ts';
import { leagueGroup } from './leagueGroups.ts';

/** A ticket, as lua/includes/ranking.lua builds it. */
export function ticketOf(arrival: number): string {
  return (TICKET.max - arrival).toString(16).padStart(TICKET.size, '0');
}

export function arrivalOf(ticket: string): number {
  return TICKET.max - Number.parseInt(ticket, 16);
}

export function userIdOf(member: string): string {
  return member.slice(TICKET.size);
}

/** A place in a ranking. */
export interface RankedMember {
  userId: string;
  rank: number;
  value: number;
  /** Unknown in a final ranking. */
  ticket?: string;
}

/** The members of a ranking, as ZRANGE replies with `firstMembers`. */
export function rankedUsersOf(board: Leaderboard, flat: readonly string[]): RankedMember[] {
  const scores = Array.from({ length: flat.length / 2 }, (_, i) => Number(flat[2 * i + 1]));
  const ranks = ranksOf(board, scores);
  return scores.map((score, i) => ({
    userId: userIdOf(flat[2 * i]!),
    ticket: flat[2 * i]!.slice(0, TICKET.size),
    rank: ranks[i]!,
    value: scoreOf(board, score),
  }));
}

/** The user's values of the breakdown attributes; null if the user lacks one of them. */
export function breakdownValues(rules: Rules, board: Leaderboard, user: UserState): string[] | null {
  const values = board.breakdownAttributes.map((id) => user.attributes.get(rules.byId('attributes', id).no));
  return values.includes(undefined) ? null : (values as string[]);
}

/** Name of the user's group; null if the user lacks one of the attributes, or a seat in a league. */
export function groupOfUser(rules: Rules, board: Leaderboard, user: UserState): string | null {
  const values = breakdownValues(rules, board, user);
  if (values === null) return null;
  if (board.league === null) return groupName(values);
  const state = user.leagues.get(board.no);
  return state === undefined ? null : leagueGroup(board.league, state, values);
}

/** The same in a run: the groups of a league are made anew in each one. */
export function groupInRun(rules: Rules, board: Leaderboard, run: number, user: UserState): string | null {
  const isInRun = board.league === null || user.leagues.get(board.no)?.run === runNumber(board, run);
  return isInRun ? groupOfUser(rules, board, user) : null;
}

/** A user's entry in a ranking: the key of the ranking, the member and its score. */
export interface RankingEntry {
  key: string;
  member: string;
  score: number;
}

/** The member of a user in a ranking of a run; null if the ranking does not contain the user. */
export async function findMember(
  redis: Redis,
  key: string,
  board: Leaderboard,
  run: number,
  userId: string,
  user: UserState,
): Promise<string | null> {
  const state = user.boards.get(board.no);
  if (state === undefined || state.run < run) return null;
  if (state.run === run) return state.ticket && state.ticket + userId;
  // The user's state holds only the latest run. For earlier runs, the members of the ranking are searched.
  const members = await redis.zrange(key, 0, '-1');
  return members.find((member) => userIdOf(member) === userId) ?? null;
}

/**
 * A user's entry in the ranking of the user's latest run; null for any other run, and if the user was pushed
 * out of a full leaderboard.
 */
export function rankingEntryOf(
  rules: Rules,
  cells: Cells,
  board: Leaderboard,
  run: number,
  userId: string,
  user: UserState,
): RankingEntry | null {
  const state = user.boards.get(board.no);
  const group = groupOfUser(rules, board, user);
  if (state === undefined || state.run !== run || state.ticket === null || group === null) return null;
  const key = keys.board(rules.tenant, cellOf(rules.tenant, userId, cells), board.no, run, group);
  return { key, member: state.ticket + userId, score: state.score };
}
