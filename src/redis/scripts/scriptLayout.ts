import { layout } from '../state/recordLayout.ts';

/**
 * Layouts that TypeScript and the Lua scripts share. TypeScript imports them. The scripts use
 * the same names, which the loader (src/redis/scripts/luaNames.ts) replaces with numbers and texts.
 */

// State of a user.

/**
 * The hot part, which every event reads and writes. lua/includes/userState.lua describes each value of both
 * parts.
 */
export const USER_HOT = layout(
  'sequence',
  'tz',
  'rulesVersion',
  'fastPathDay',
  'fastPathMetric',
  'streakLength',
  'streakFirstDay',
  'streakLastPeriod',
  'streakDaysOff',
  'profileHash',
  'counters',
  'peaks',
  'points',
  'boards',
  'seen',
  'due',
  'guards',
  'hasFormerKeys',
);
/** The cold part, which most events do not change. */
export const USER_COLD = layout(
  'created',
  'updated',
  'name',
  'email',
  'subscribeToEmails',
  'control',
  'deviceTokens',
  'attributes',
  'streak',
  'progress',
  'achievements',
  'freezes',
  'freezeDay',
  'settledDay',
  'pauses',
  'preferences',
  'frequency',
  'activeDay',
  'achievementNotice',
  'signUpDate',
  'imported',
  'rewarded',
  'pastImport',
  'formerGroups',
  'messagesFrom',
);
/** `boards`: the user's place on each leaderboard. */
export const BOARD_ENTRY = layout('board', 'run', 'score', 'ticket');
/** `streak`: one for each frequency. */
export const STREAK = layout('length', 'firstDay', 'lastPeriod', 'extendedAt', 'lostLength', 'slack');
/** `guards`, for one metric: last event that counted (ms), sums of hour and day. Unused ones are left out. */
export const GUARD_STATE = layout(
  'countedAt',
  'hour',
  'hourEvents',
  'hourValue',
  'day',
  'dayEvents',
  'dayValue',
);
/** `progress` of one frequency. */
export const PROGRESS = layout('period', 'sums');
export const PAUSE = layout('id', 'firstDay', 'lastDay');
/** `rewarded`: the first day of the last run of a leaderboard whose rewards the user has. */
export const REWARDED = layout('board', 'run');
/** `formerGroups`: in runs of a leaderboard before `run`, the user had the group, false without one. */
export const FORMER_GROUP = layout('board', 'run', 'group');
/**
 * `achievementNotice`: when the waiting achievements are announced (seconds since 1970), local day of the
 * last announcement.
 */
export const ACHIEVEMENT_NOTICE = layout('due', 'sentDay');

// Arguments of the scripts.

/** lua/recordEvents.lua, for each event. */
export const EVENT = layout(
  'userId',
  'metric',
  'value',
  'control',
  'fingerprint',
  'profileHash',
  'attributes',
);
/** lua/recordEvents.lua, for each event: values that the script itself rarely needs. */
export const DETAIL = layout('eventId', 'profile');
/** lua/changeUser.lua. */
export const USER_CHANGE = layout(
  'userId',
  'control',
  'profile',
  'profileHash',
  'achievements',
  'mayCreate',
  'activation',
  'preferences',
  'amendment',
  'correction',
);
/**
 * An administrator's change of a streak; the id and the days are false if the operation does not need them.
 */
export const AMENDMENT = layout('operation', 'pauseId', 'firstDay', 'lastDay');
/**
 * An administrator's correction: number of the points system, achievement or leaderboard; amount and id of an
 * adjustment, or end of a block (seconds since 1970) as the amount; rankings of earlier runs from which the
 * user is removed; REWARD.
 */
export const CORRECTION = layout('operation', 'no', 'amount', 'id', 'earlier', 'reward');
/**
 * `reward` of a correction: first and last day of the run, the user's rank, when the run became final (ms),
 * and the number that stands for the leaderboard in awards.
 */
export const REWARD = layout('run', 'lastDay', 'rank', 'at', 'trigger', 'points');
/** `points` of a reward, or of an undone event. */
export const GIVEN_POINTS = layout('system', 'amount');
/** `activation`, or an undone event: the score on a leaderboard by the history. */
export const PAST_SCORE = layout('board', 'score');
/** `earlier` of a correction. */
export const EARLIER_RANKING = layout('board', 'run', 'group');
/** lua/settleUsers.lua, for each user. */
export const DUE_USER = layout('userId');
/** lua/settleUsers.lua: instants in seconds since 1970, one for all users, then one for each calendar. */
export const HORIZON = layout('everybody', 'calendars');
/** lua/eraseUser.lua. */
export const ERASED_USER = layout('userId', 'sequence');
/** lua/placeUser.lua. */
export const PLACED_USER = layout('userId', 'formerId', 'hasFormerKeys', 'isInCell');
/** lua/placeUser.lua, for each ranking that the user is in. */
export const PLACED_RANK = layout('ranking', 'ticket', 'score');
/** lua/readUserStates.lua, for each user. */
export const STORED_USER = layout('tenant', 'cell', 'userId');

// Lists in the rules and calendars.

/** A filter, and the attributes of an event or a profile. */
export const ATTRIBUTE = layout('no', 'value');
/** `runs` of a calendar. */
export const RUN = layout('board', 'firstDay');
/** `window` of a leaderboard: local seconds of the day. */
export const WINDOW = layout('from', 'to');
/** Streak conditions that a user has chosen. */
export const CONDITION = layout('metric', 'threshold');

/** Records of the notices in a calendar: `evening`, and each of `recaps`. */
export const EVENING = layout('start', 'finish', 'next');
/**
 * `reminder` of the notices: of a streak that ends with this period or the next; `mornings`: 10:00 from the
 * local day on.
 */
export const REMINDER = layout('current', 'next');
export const MORNING = layout('today');
export const RECAP = layout('frequency', 'previousFirstDay', 'previousDue', 'firstDay', 'due');

// Reports of the scripts. Where a name ends in Count, that many values or records follow.

/** Begins the report of a change: outcome `recorded` or `settled`. */
export const CHANGE = layout(
  'outcome',
  'sequence',
  'isNew',
  'day',
  'total',
  'frequency',
  'streakLength',
  'streakFirstDay',
  'streakLastPeriod',
  'streakDaysOff',
  'extended',
  'completedCount',
);
/** One of the systems that follow the completed achievements and their own count. */
export const SYSTEM = layout('system', 'awardCount');
export const AWARD = layout('trigger', 'awarded', 'total', 'boostCount');
/**
 * One of the places that follow the systems and their own count. With a group, `board` is negative and the
 * group follows, with the group of the ranking that the user has left for it, or false.
 */
export const BOARD_CHANGE = layout(
  'board',
  'run',
  'rank',
  'previousRank',
  'threshold',
  'value',
  'previousValue',
  'group',
  'leftGroup',
);
/** A ranking of a tenant that is spread over cells, and the score of the last rank in all of them. */
export const RANK_FLOOR = layout('board', 'run', 'group', 'floor');
/** A BOARD_CHANGE that is completed or taken back after all changes of a call (lua/includes/rankMoves.lua) */
export const LATER = layout('report', 'countAt', 'from', 'left', 'to', 'move');
/** Ends the report of a settled user. */
export const SETTLED = layout('lost', 'earned', 'freezes', 'coveredCount', 'noticeCount');
export const COVERED = layout('period', 'by');
export const NOTICE = layout('kind', 'frequency', 'period', 'count');
/** The rest of outcome `replayed`. */
export const REPLAYED = layout(
  'day',
  'total',
  'streakLength',
  'streakFirstDay',
  'streakLastPeriod',
  'streakDaysOff',
  'usedAt',
);
/** Reply of lua/settleUsers.lua for each user. */
export const SETTLE_REPLY = layout('due', 'missingZone');
/** Outbox record of lua/settleUsers.lua for each settling that changed a user; `at` in seconds since 1970. */
export const SETTLED_AT = layout('userId', 'at');
/** Reply of lua/readLeaderboard.lua for each place. */
export const RANKED = layout('userId', 'name', 'score');
/** Replies of XPENDING: of a group, for each of its consumers, and for each pending entry. */
export const PENDING = layout('count', 'first', 'last', 'consumers');
export const HOLDER = layout('consumer', 'count');
export const PENDING_ENTRY = layout('id', 'consumer', 'idle', 'deliveries');
/**
 * Replies of Redis: for each member `WITHSCORES`, for each entry of a stream, and for both parts of a user.
 */
export const SCORED = layout('member', 'score');
/** Arguments of ZADD for each member. */
export const ADDED = layout('score', 'member');
export const STREAM_ENTRY = layout('id', 'fields');
export const STORED_PARTS = layout('hot', 'cold');

export const LAYOUTS = {
  USER_HOT,
  USER_COLD,
  BOARD_ENTRY,
  STREAK,
  PROGRESS,
  GUARD_STATE,
  PAUSE,
  REWARDED,
  FORMER_GROUP,
  ACHIEVEMENT_NOTICE,
  EVENT,
  DETAIL,
  USER_CHANGE,
  AMENDMENT,
  CORRECTION,
  REWARD,
  GIVEN_POINTS,
  EARLIER_RANKING,
  PAST_SCORE,
  DUE_USER,
  HORIZON,
  ERASED_USER,
  PLACED_USER,
  PLACED_RANK,
  STORED_USER,
  ATTRIBUTE,
  RUN,
  WINDOW,
  EVENING,
  MORNING,
  RECAP,
  REMINDER,
  CONDITION,
  CHANGE,
  SYSTEM,
  AWARD,
  BOARD_CHANGE,
  RANK_FLOOR,
  LATER,
  SETTLED,
  COVERED,
  NOTICE,
  REPLAYED,
  SETTLE_REPLY,
  SETTLED_AT,
  RANKED,
  PENDING,
  HOLDER,
  PENDING_ENTRY,
  SCORED,
  ADDED,
  STREAM_ENTRY,
  STORED_PARTS,
} as const;
