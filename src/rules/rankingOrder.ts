/*
 * The order of a ranking: a higher score is better, and only scores above 0 have a rank. Redis sorts members
 * by rising score, so the best member is the last one. Scripts have the order from
 * lua/includes/rankingOrder.lua, statements from HAS_RANK in src/db/sql.ts and from the view
 * leaderboard_rankings.
 */

/** Arguments of ZRANGE after the key: the first `count` members with their scores, the best first. */
export function firstMembers(count: number): [number, string, 'REV', 'WITHSCORES'] {
  return [0, String(count - 1), 'REV', 'WITHSCORES'];
}

/** Arguments of ZREMRANGEBYRANK after the key: all members except the best `count`. */
export function membersBeyond(count: number): [number, number] {
  return [0, -count - 1];
}

/** Arguments of ZCOUNT after the key: the members with this score or a better one. */
export function membersFrom(score: number): [number, '+inf'] {
  return [score, '+inf'];
}
