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

/** The member of a user in a ranking of a run; null for a user without a place in the run. */
export function memberIn({ no }: Leaderboard, run: number, userId: string, user: UserState): string | null {
  const state = user.boards.get(no);
  const former = user.formerPlaces.get(no)?.find((place) => place.run === run);
  const ticket = state?.run === run ? state.ticket : former?.ticket;
  return ticket ? ticket + userId : null;
}

/** A place that the state of a user names. */
export interface UserPlace {
  /** Of the ranking. */
  key: string;
  board: Leaderboard;
  run: number;
  group: string;
  ticket: string;
  score: number;
}

/**
 * The places of a user on a leaderboard: in the present run, and in former ones. Their rankings may lack
 * them: a full leaderboard pushes users out, and Redis forgets a run that is final.
 */
function placesOn(
  rules: Rules,
  cells: Cells,
  board: Leaderboard,
  userId: string,
  user: UserState,
): UserPlace[] {
  const [state, group] = [user.boards.get(board.no), groupOfUser(rules, board, user)];
  const former = user.formerPlaces.get(board.no) ?? [];
  const hasPlace = state !== undefined && state.ticket !== null && group !== null;
  const present = hasPlace ? [{ ...state, ticket: state.ticket!, group }] : [];
  const cell = cellOf(rules.tenant, userId, cells);
  return [...former, ...present].map(({ run, group, ticket, score }) => {
    const key = keys.board(rules.tenant, cell, board.no, run, group);
    return { key, board, run, group, ticket, score };
  });
}

/** The same on all leaderboards. */
export const placesOf = (rules: Rules, cells: Cells, userId: string, user: UserState): UserPlace[] =>
  rules.config.leaderboards.flatMap((board) => placesOn(rules, cells, board, userId, user));

/** The place of a user in a run; null without one. */
export const placeIn = (
  rules: Rules,
  cells: Cells,
  { board, run }: Pick<UserPlace, 'board' | 'run'>,
  userId: string,
  user: UserState,
): UserPlace | null => placesOn(rules, cells, board, userId, user).find((place) => place.run === run) ?? null;
