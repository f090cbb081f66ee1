import type { Redis } from 'ioredis';
import { firstMembers } from '../../rules/rankingOrder.ts';
import { TICKET } from '../lua/scriptConstants.ts';

/**
 * The first members of a ranking that has a sorted set in each cell, with their scores, the best first, as
 * ZRANGE would reply if there were one set. Users are spread evenly, so the best of all are about as many in
 * each cell; a cell that has more of them is read again. `count` of each cell are always enough.
 * @param rankings keys, one for each cell of the tenant
 */
export async function readFirstMembers(
  redis: Redis,
  rankings: readonly string[],
  count: number,
): Promise<string[]> {
  const read = (key: string, depth: number): Promise<string[]> => redis.zrange(key, ...firstMembers(depth));
  const depth = likelyInCell(count, rankings.length);
  const replies = await Promise.all(rankings.map((key) => read(key, depth)));
  if (depth === count) return mergeMembers(replies, count);
  const first = new Set(mergeMembers(replies, count));
  const mayHaveMore = (reply: string[]): boolean => reply.length === 2 * depth && first.has(reply.at(-2)!);
  const complete = replies.map((reply, i) => (mayHaveMore(reply) ? read(rankings[i]!, count) : reply));
  return mergeMembers(await Promise.all(complete), count);
}

/** How many of the best `count` of all cells one cell has at most, in nearly all cases. */
export function likelyInCell(count: number, cells: number): number {
  const mean = count / cells;
  return Math.min(count, Math.ceil(mean + 4 * Math.sqrt(mean) + 1));
}

/**
 * Merges replies of ZRANGE with `firstMembers`, one for each cell. Equal scores are in the order of their
 * tickets, which begin with the instant of arrival (TICKET.arrivalsPerMs), then of the cells.
 */
export function mergeMembers(replies: readonly (readonly string[])[], count: number): string[] {
  const [only] = replies;
  if (replies.length === 1) return [...only!];
  const all = replies.flatMap((flat) =>
    Array.from({ length: flat.length / 2 }, (_, i) => ({
      member: flat[2 * i]!,
      score: flat[2 * i + 1]!,
      order: Number(flat[2 * i + 1]),
    })),
  );
  // Sorting is stable, and replies are in the order of the cells.
  all.sort((a, b) => b.order - a.order || compareTickets(a.member, b.member));
  return all.slice(0, count).flatMap(({ member, score }) => [member, score]);
}

/** Earlier arrivals have the greater ticket. */
function compareTickets(a: string, b: string): number {
  const ticketA = a.slice(0, TICKET.size);
  const ticketB = b.slice(0, TICKET.size);
  if (ticketA === ticketB) return 0;
  return ticketA > ticketB ? -1 : 1;
}
