import { bytes, flag, layout, list, number, orFalse, record, text } from './recordLayout.ts';
import { RUN_STEPS } from './userLayout.ts';

/**
 * Reports of the scripts, and replies of Redis. Where a name ends in Count, that many values or records
 * follow.
 */

/** Begins the report of a change: outcome `recorded` or `settled`. */
export const CHANGE = layout({
  outcome: number,
  sequence: number,
  isNew: flag,
  day: number,
  total: number,
  frequency: number,
  streakLength: number,
  streakFirstDay: number,
  streakLastPeriod: number,
  streakDaysOff: number,
  extended: flag,
  completedCount: number,
});
/**
 * Follows the numbers of the completed achievements, and counts in their number: an achievement (negative if
 * silently) that was completed again, how often it was by now, and when for the first time. `mark` is 0.
 */
export const REPEATED = layout({ mark: number, achievement: number, times: number, completedAt: number });
/** One of the systems that follow the completed achievements and their own count. */
export const SYSTEM = layout({ system: number, awardCount: number });
export const AWARD = layout({ trigger: number, awarded: number, total: number, boostCount: number });
/**
 * One of the places that follow the systems and their own count. With a group, `board` is negative and the
 * group follows, with the group of the ranking that the user has left for it, or false.
 */
export const BOARD_CHANGE = layout({
  board: number,
  run: number,
  rank: orFalse(number),
  previousRank: orFalse(number),
  threshold: number,
  value: number,
  previousValue: orFalse(number),
  group: text,
  leftGroup: orFalse(text),
});
/** A BOARD_CHANGE that is completed or taken back after all changes of a call (lua/includes/rankMoves.lua) */
export const LATER = layout({
  report: number,
  countAt: number,
  from: orFalse(text),
  left: orFalse(text),
  to: orFalse(text),
  move: orFalse(text),
});
/** Ends the report of a settled user. */
export const SETTLED = layout({
  lost: number,
  earned: number,
  freezes: number,
  coveredCount: number,
  noticeCount: number,
});
/** `length` is that of the streak that was kept. */
export const COVERED = layout({ period: number, by: number, length: number });
export const NOTICE = layout({ kind: number, frequency: number, period: number, count: number });
/** Begins the report of a change of challenges; so many CHALLENGE_CHANGE follow. */
export const CHANGED_CHALLENGES = layout({ outcome: number, count: number });
/**
 * A challenge of which a change has changed a goal, or that it has taken a step further: see CHALLENGE_ENTRY.
 * `step`: CHALLENGE_STEP. GOAL_CHANGE follow, one for each counter of its goals that has counted.
 */
export const CHALLENGE_CHANGE = layout({
  challenge: number,
  run: number,
  step: number,
  steps: orFalse(record(RUN_STEPS)),
  goalCount: number,
});
export const GOAL_CHANGE = layout({ counter: number, total: number });
/** The rest of outcome `replayed`. */
export const REPLAYED = layout({
  day: number,
  total: number,
  streakLength: number,
  streakFirstDay: number,
  streakLastPeriod: number,
  streakDaysOff: number,
  usedAt: orFalse(number),
});
/** Reply of lua/settleUsers.lua for each user. */
export const SETTLE_REPLY = layout({ due: orFalse(number), missingZone: orFalse(text) });
/** Outbox record of lua/settleUsers.lua for each settling that changed a user; `at` in seconds since 1970. */
export const SETTLED_AT = layout({ userId: text, at: number });
/** Reply of lua/readLeaderboard.lua for each place. */
export const RANKED = layout({ userId: text, name: orFalse(text), score: text });
/** Reply of lua/readRanks.lua for each member: whether the ranking exists; false without a rank. */
export const FOUND_RANK = layout({ exists: flag, rank: orFalse(number), score: orFalse(number) });
/** Replies of XPENDING: of a group, for each of its consumers, and for each pending entry. */
export const PENDING = layout({ count: number, first: text, last: text, consumers: list() });
export const HOLDER = layout({ consumer: text, count: text });
export const PENDING_ENTRY = layout({ id: text, consumer: text, idle: number, deliveries: number });
/**
 * Replies of Redis: for each member `WITHSCORES`, for each entry of a stream, and for both parts of a user.
 */
export const SCORED = layout({ member: text, score: text });
/** Arguments of ZADD for each member. */
export const ADDED = layout({ score: number, member: text });
export const STREAM_ENTRY = layout({ id: text, fields: list<string>() });
export const STORED_PARTS = layout({ hot: bytes, cold: bytes });
