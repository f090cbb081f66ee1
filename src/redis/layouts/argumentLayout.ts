import { bytes, flag, layout, list, number, orFalse, record, records, text } from './recordLayout.ts';

/** Arguments of the scripts, and lists in the rules and calendars. */

/** What an event that names a counter adds to it, or what an undo does. */
export const COUNTER_ADDEND = layout({ counter: number, addend: number });

/** A filter, and the attributes of an event or a profile. */
export const ATTRIBUTE = layout({ no: number, value: orFalse(text) });
/** lua/recordEvents.lua, for each event. */
export const EVENT = layout({
  userId: text,
  metric: number,
  value: number,
  control: flag,
  fingerprint: orFalse(text),
  profileHash: number,
  /** Flat list of ATTRIBUTE. */ attributes: orFalse(list<number | string | boolean>()),
  /** Numbers of counters that add the value. */ counters: orFalse(list<number>()),
  /** Flat list of COUNTER_ADDEND. */ addends: orFalse(list<number>()),
});
/** lua/recordEvents.lua, for each event that counts for several metrics, which are events of their own. */
export const METRICS_EVENT = layout({ first: number, count: number });
/** lua/recordEvents.lua, for each event: values that the script itself rarely needs. */
export const DETAIL = layout({ eventId: text, profile: orFalse(text) });
/** `points` of a reward, or of an undone event. */
export const GIVEN_POINTS = layout({ system: number, amount: number });
/** `activation`, or an undone event: the score on a leaderboard by the history. */
export const PAST_SCORE = layout({ board: number, score: number });
/**
 * `reward` of a correction: first and last day of the run, the user's rank, when the run became final (ms),
 * and the number that stands for the leaderboard in awards.
 */
export const REWARD = layout({
  run: number,
  lastDay: number,
  rank: number,
  at: number,
  trigger: number,
  points: records(GIVEN_POINTS),
});
/**
 * An administrator's change of a streak; the id and the days are false if the operation does not need them.
 */
export const AMENDMENT = layout({
  operation: text,
  pauseId: orFalse(text),
  firstDay: orFalse(number),
  lastDay: orFalse(number),
});
/**
 * An administrator's correction: number of the points system, achievement or leaderboard; amount and id of an
 * adjustment, or end of a block (seconds since 1970) as the amount; REWARD.
 */
export const CORRECTION = layout({
  operation: text,
  no: orFalse(number),
  amount: orFalse(number),
  id: orFalse(text),
  reward: orFalse(record(REWARD)),
});
/** lua/changeUser.lua. */
/** What a counter has by the history: its total, the highest it ever had, and a list of MARK or false. */
export const FILLED_COUNTER = layout({
  counter: number,
  total: number,
  peak: number,
  marks: orFalse(list()),
});
/**
 * In how many periods an achievement was completed by the history, and the latest of them, the last one
 * first.
 */
export const FILLED_REPEATS = layout({ achievement: number, times: number, periods: list<number>() });
/**
 * What the history has of a goal in a run, as what lua/includes/goalProgress.lua adds one after the other: of
 * a counter of days the days, of one of different values these.
 */
export const FILLED_GOAL = layout({
  counter: number,
  keeps: orFalse(text),
  addends: list<number | string>(),
});
/** `begunAt`: the first event (ms); `isReached`: whether this completes the challenge. */
export const FILLED_RUN = layout({
  challenge: number,
  run: number,
  begunAt: number,
  isReached: flag,
  goals: records(FILLED_GOAL),
});
/**
 * What the history of a user has at a sequence number. `isWhole`: whether it has all events; otherwise only
 * counters that have not counted yet are filled.
 */
export const FILLED = layout({
  sequence: number,
  isWhole: flag,
  counters: records(FILLED_COUNTER),
  repeats: records(FILLED_REPEATS),
  challenges: records(FILLED_RUN),
});
export const USER_CHANGE = layout({
  userId: text,
  control: flag,
  profile: orFalse(text),
  profileHash: number,
  achievements: orFalse(list<number>()),
  mayCreate: flag,
  activation: orFalse(records(PAST_SCORE)),
  filled: orFalse(record(FILLED)),
  preferences: orFalse(text),
  amendment: orFalse(record(AMENDMENT)),
  correction: orFalse(record(CORRECTION)),
});
/** lua/settleUsers.lua, for each user. */
export const DUE_USER = layout({ userId: text });
/** lua/settleUsers.lua: instants in seconds since 1970, one for all users, then one for each calendar. */
export const HORIZON = layout({ everybody: number, calendars: list<number>() });
/** lua/eraseUser.lua. */
export const ERASED_USER = layout({ userId: text, sequence: number });
/** lua/eraseUser.lua, for each ranking that the user may be in. */
export const LEFT_RANKING = layout({
  key: text,
  board: number,
  run: number,
  group: text,
  ticket: text,
  max: number,
  keep: orFalse(number),
  stays: flag,
});
/** lua/placeUser.lua. */
export const PLACED_USER = layout({ userId: text, formerId: text, hasFormerKeys: flag, isInCell: flag });
/** lua/placeUser.lua, for each ranking that the user is in. */
export const PLACED_RANK = layout({ ranking: text, ticket: text, score: number });
/** lua/readUserStates.lua, for each user. */
export const STORED_USER = layout({ tenant: number, userId: text });
/** lua/readUsers.lua, for each user. */
export const READ_USER = layout({ tenant: number, userId: text, withHistory: flag });
/** lua/readRanks.lua, for each member. */
export const ASKED_RANK = layout({
  tenant: number,
  board: number,
  run: number,
  group: text,
  member: text,
  max: number,
  isShared: flag,
});
/** A ranking of a tenant that is spread over cells, and the score of the last rank in all of them. */
export const RANK_FLOOR = layout({ board: number, run: number, group: text, floor: number });
/** `runs` of a calendar. */
export const RUN = layout({ board: number, firstDay: number });
/** `window` of a leaderboard: local seconds of the day. */
export const WINDOW = layout({ from: number, to: number });
/** Streak conditions that a user has chosen. */
export const CONDITION = layout({ metric: number, threshold: number });
/** Records of the notices in a calendar: `evening`, and each of `recaps`. */
export const EVENING = layout({ start: number, finish: number, next: number });
/**
 * `reminder` of the notices: of a streak that ends with this period or the next; `mornings`: 10:00 from the
 * local day on.
 */
export const REMINDER = layout({ current: number, next: number });
export const MORNING = layout({ today: number });
export const RECAP = layout({
  frequency: number,
  previousFirstDay: number,
  previousDue: number,
  firstDay: number,
  due: number,
});

/** Layouts of leagues. A user's place in a league: LEAGUE_ENTRY of userLayout.ts. */

/** lua/moveUsers.lua: each user. */
export const LEAGUE_USER = layout({ userId: text });
/** A run of a league that has begun. Nothing counts in it if the league is over. */
export const LEAGUE_RUN = layout({ firstDay: number, number: number, isOver: flag });
/** A field of `{C}:T:lg`: number of a league, and a packed LEAGUE_RUN. */
export const BEGUN_RUN = layout({ league: text, run: bytes });
