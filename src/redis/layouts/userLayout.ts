import { PROFILE_FIELDS, PROFILE_NAMES, type ProfileField } from '../../contract/user.ts';
import type { ScriptPreferences } from '../../rules/inForce/preparePreferences.ts';
import {
  type Flat,
  flag,
  type LuaTable,
  layout,
  list,
  number,
  orFalse,
  type RecordOf,
  record,
  records,
  table,
  text,
} from './recordLayout.ts';

/**
 * The state of a user. Layouts are shared by TypeScript and the Lua scripts. TypeScript imports them. The
 * scripts use the same names, which the loader (src/redis/lua/luaNames.ts) replaces with numbers and texts.
 */

/** `boards`: the user's place on each leaderboard. */
export const BOARD_ENTRY = layout({ board: number, run: number, score: number, ticket: orFalse(text) });
/**
 * The user's tier in a league, in `boards` of the state. It has the size of BOARD_ENTRY. `league` is
 * BOARD.blocked minus the number of the leaderboard; `run` and `tier` are numbers, too. `seat` (SEAT) is 0
 * without a group.
 */
export const LEAGUE_ENTRY = layout({ league: number, run: number, seat: number, tier: number });
/**
 * `streak`: one for each frequency. Local day of the first extension; the last period that was extended, or
 * made good by a freeze or a pause; when it was extended, ms, 0 before the first time; length of the last
 * lost streak, 0 if none was lost, and the day of its first extension; seconds by which the streak survives
 * the end of the next period, because of an earlier time zone of the user.
 */
export const STREAK = layout({
  length: number,
  firstDay: number,
  lastPeriod: number,
  extendedAt: number,
  lostLength: number,
  lostFirstDay: number,
  slack: number,
});
/** `guards`, for one metric: last event that counted (ms), sums of hour and day. Unused ones are left out. */
export const GUARD_STATE = layout({
  countedAt: number,
  hour: number,
  hourEvents: number,
  hourValue: number,
  day: number,
  dayEvents: number,
  dayValue: number,
});
/** `progress` of one frequency. */
export const PROGRESS = layout({ period: number, sums: table<Record<string, number>>() });
export const PAUSE = layout({ id: text, firstDay: number, lastDay: number });
/** `rewarded`: the first day of the last run of a leaderboard whose rewards the user has. */
export const REWARDED = layout({ board: number, run: number });
/** `formerGroups`: in runs of a leaderboard before `run`, the user had the group, false without one. */
export const FORMER_GROUP = layout({ board: number, run: number, group: orFalse(text) });
/** `formerPlaces`: the user's place in a run before the present one: the group, and as in BOARD_ENTRY. */
export const FORMER_PLACE = layout({ run: number, group: text, ticket: text, score: number });
/**
 * `achievementNotice`: when the waiting achievements are announced (seconds since 1970), local day of the
 * last announcement.
 */
export const ACHIEVEMENT_NOTICE = layout({ due: number, sentDay: number });
/**
 * `marks`: what a counter remembers of a period, 0 for ever. `memory` is false, a DAYS, or a list of hashes
 * of values (lua/includes/countMarked.lua).
 */
export const MARK = layout({ period: number, total: number, memory: orFalse(list<number>()) });
/** The last local day on which a counter counted; a bit for each day up to it, the lowest for the last. */
export const DAYS = layout({ last: number, bits: number });
/**
 * What happened in a run: when the user joined it, when it was completed, and when its rewards were given
 * (ms, 0 before that), and the peaks of counters that stand below their peak, by counter.
 */
export const RUN_STEPS = layout({
  joinedAt: number,
  completedAt: number,
  claimedAt: number,
  peaks: orFalse(table<LuaTable<number>>()),
});
/**
 * `challenges` and `formerChallenges`: a run of a challenge. `length`: number of values, with the
 * GOAL_PROGRESS that follow. `begunAt`: instant of the first event that counted in it, or of joining it (ms).
 * `steps` is false until there is one.
 */
export const CHALLENGE_ENTRY = layout({
  challenge: number,
  run: number,
  length: number,
  begunAt: number,
  steps: orFalse(record(RUN_STEPS)),
});
/** What a counter has in a run. `memory`: false, a list of hashes of values, or a list of GOAL_DAY_BLOCK. */
export const GOAL_PROGRESS = layout({ counter: number, total: number, memory: orFalse(list<number>()) });
/** Days that counted: of so many days from number times GOAL_DAYS.perBlock on, a bit for each. */
export const GOAL_DAY_BLOCK = layout({ number, bits: number });
/**
 * `boosts`: a factor of positive awards of a points system between two instants (ms), without the last. `no`:
 * boostOfChallenge.
 */
export const USER_BOOST = layout({
  no: number,
  system: number,
  multiplier: number,
  from: number,
  till: number,
});
/**
 * `repeats`: how often an achievement was completed, and the latest periods in which it was, as DAYS
 * (lua/includes/completeRepeated.lua).
 */
export const REPEATS = layout({ times: number, periods: list<number>() });
/** `pastImport`: number of the import, and the token of lua/importEvents.lua. */
export const PAST_TOKEN = layout({ import: number, token: text });

/** What the state holds of a profile. */
const HELD = { text: orFalse(text), flag, texts: orFalse(list<string>()) };
type ProfileValues = { [Name in ProfileField]: (typeof HELD)[(typeof PROFILE_FIELDS)[Name]] };
const PROFILE_VALUES = Object.fromEntries(
  PROFILE_NAMES.map((name) => [name, HELD[PROFILE_FIELDS[name]]]),
) as ProfileValues;
/** The names of the fields of a profile. */
export const PROFILE = layout(PROFILE_VALUES);
const { email, name, tz, deviceTokens, subscribeToEmails, signUpDate, ...addedFields } = PROFILE_VALUES;

/**
 * The hot part, which every event reads and writes. lua/includes/userState.lua describes each value of both
 * parts.
 */
export const USER_HOT = layout({
  sequence: number,
  tz,
  rulesVersion: number,
  fastPathDay: number,
  fastPathMetric: number,
  streakLength: number,
  streakFirstDay: number,
  streakLastPeriod: number,
  streakDaysOff: number,
  profileHash: number,
  counters: table<LuaTable<number>>(),
  peaks: table<LuaTable<number>>(),
  points: table<LuaTable<number>>(),
  boards: records(BOARD_ENTRY),
  seen: number,
  due: number,
  guards: table(),
  hasFormerKeys: flag,
  keepsHistory: flag,
  challenges: orFalse(list()),
  boosts: orFalse(records(USER_BOOST)),
});
/** The cold part, which most events do not change. */
export const USER_COLD = layout({
  created: number,
  updated: number,
  name,
  email,
  subscribeToEmails,
  control: flag,
  deviceTokens,
  attributes: table<LuaTable<string>>(),
  streak: records(STREAK),
  progress: table(),
  achievements: table<LuaTable<number>>(),
  freezes: number,
  freezeDay: number,
  settledDay: number,
  pauses: orFalse(records(PAUSE)),
  preferences: orFalse(table<ScriptPreferences>()),
  frequency: number,
  activeDay: number,
  achievementNotice: table(),
  signUpDate,
  imported: table(),
  rewarded: table(),
  pastImport: table(),
  formerGroups: table(),
  formerPlaces: orFalse(table<LuaTable<Flat<RecordOf<typeof FORMER_PLACE>>>>()),
  marks: orFalse(table<LuaTable<Flat<RecordOf<typeof MARK>>>>()),
  repeats: orFalse(table<LuaTable<Flat<RecordOf<typeof REPEATS>>>>()),
  messagesFrom: number,
  periodsFrom: number,
  recentPeriods: text,
  recordedFrom: number,
  formerChallenges: orFalse(list()),
  challengeCompletions: orFalse(table<LuaTable<number>>()),
  ...addedFields,
});
