import type { Redis } from 'ioredis';
import type { Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { keys } from './keys.ts';
import { groupName } from './outcome.ts';
import { TICKET } from './scriptLayout.ts';
import type { UserState } from './userState.ts';

/** The ticket that lua/includes/ranking.lua gives. */
export function ticketOf(arrival: number, shard: number): string {
  const { max, arrivalDigits, shardDigits } = TICKET;
  return (max - arrival).toString(16).padStart(arrivalDigits, '0') + shard.toString(16).padStart(shardDigits, '0');
}

export function arrivalOf(ticket: string): number {
  return TICKET.max - Number.parseInt(ticket.slice(0, TICKET.arrivalDigits), 16);
}

export function userIdOf(member: string): string {
  return member.slice(TICKET.size);
}

/** The name of the user's group; null for a user who lacks one of the attributes. */
export function groupOfUser(rules: Rules, board: Leaderboard, user: UserState): string | null {
  const values = board.breakdownAttributes.map((id) => user.attributes.get(rules.byId('attributes', id).no));
  return values.includes(undefined) ? null : groupName(values as string[]);
}

/** Where a ranking has a user: its key, the member and its score. */
export interface Place {
  key: string;
  member: string;
  score: number;
}

/** The member that stands for a user in a ranking of a run; null when there is none. */
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
  // The user's state knows the latest run only: in an earlier one, the user is looked for among the participants.
  const members = await redis.zrange(key, 0, '-1');
  return members.find((member) => userIdOf(member) === userId) ?? null;
}

/** A user's place in the latest run that the user was in; null for any other run, and for who was pushed out of a full board. */
export function placeOf(rules: Rules, board: Leaderboard, run: number, userId: string, user: UserState): Place | null {
  const state = user.boards.get(board.no);
  const group = groupOfUser(rules, board, user);
  if (state === undefined || state.run !== run || state.ticket === null || group === null) return null;
  return { key: keys.board(rules.tenant, board.no, run, group), member: state.ticket + userId, score: state.score };
}
