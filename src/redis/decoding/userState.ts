import { buildProfile, PROFILE_FIELDS, type Profile } from '../../contract/user.ts';
import type { CounterMark } from '../../rules/counterMarks.ts';
import type { ScriptPreferences } from '../../rules/inForce/preparePreferences.ts';
import { type Flat, type RecordOf, readRecord, readRecords } from '../layouts/recordLayout.ts';
import {
  BOARD_ENTRY,
  FORMER_PLACE,
  LEAGUE_ENTRY,
  MARK,
  PAUSE,
  REPEATS,
  STREAK,
  USER_BOOST,
  USER_COLD,
  USER_HOT,
} from '../layouts/userLayout.ts';
import { BOARD, DUE, TICKET } from '../lua/scriptConstants.ts';
import { type ChallengeRun, readChallengeRuns } from './challengeStates.ts';
import { luaMap, unpackAll } from './codec.ts';
import type { RecentPeriods } from './recentPeriods.ts';

/** The stored streak of one frequency. */
export type StreakState = RecordOf<typeof STREAK>;

/** Local days, both inclusive. */
export interface PauseState {
  id: string;
  start: number;
  end: number;
}

export interface BoardState {
  /** First day of the run. */
  run: number;
  /** As rankings sort it; shownValue in src/rules/rankingOrder.ts makes the value of it. */
  score: number;
  /**
   * Start of the user's member in the ranking, which orders equal scores by arrival; null while the user is
   * not on the leaderboard.
   */
  ticket: string | null;
  /** An administrator has hidden the user from the leaderboard. */
  isHidden: boolean;
}

/** The tier of a user in a run of a league. */
export type LeagueState = Omit<RecordOf<typeof LEAGUE_ENTRY>, 'league'>;

/** The state of a user in Redis. Maps are keyed by the `no` of metric counters, achievements, … */
export interface UserState extends Profile {
  sequence: number;
  /** Of the rules of the last change. */
  version: number;
  created: number;
  updated: number;
  control: boolean;
  attributes: Map<number, string>;
  streaks: { daily: StreakState; weekly: StreakState; monthly: StreakState };
  counters: Map<number, number>;
  /** What counters remember beside their totals, the latest period first. */
  marks: Map<number, CounterMark[]>;
  /** When each achievement was completed for the first time, milliseconds since 1970. */
  achievements: Map<number, number>;
  /** How often achievements were completed that are completed in several periods. */
  timesCompleted: Map<number, number>;
  points: Map<number, number>;
  boards: Map<number, BoardState>;
  /** An administrator has blocked the user until this instant (ms, null without an end); null if not. */
  block: { until: number | null } | null;
  leagues: Map<number, LeagueState>;
  /** In runs before those of `boards`, as long as these are not final, and perhaps for a while after that. */
  formerPlaces: Map<number, RecordOf<typeof FORMER_PLACE>[]>;
  /** Of each challenge the latest run and the one before, once events have counted; the earliest first. */
  challenges: ChallengeRun[];
  /** How many runs of each challenge the user has completed, over all time. */
  challengeCompletions: Map<number, number>;
  /** Boosts that challenges gave, perhaps also some that have ended. */
  boosts: RecordOf<typeof USER_BOOST>[];
  /** Number of streak freezes left. */
  freezes: number;
  /** Local day up to which freezes have been earned; 0 before the first extension of the streak. */
  freezeDay: number;
  /** The last local day whose daily time triggers have been evaluated. */
  settledDay: number;
  pauses: PauseState[];
  /**
   * The next instant (seconds since 1970) at which settling changes the user, the score in `due`; null if
   * there is none.
   */
  due: number | null;
  /** null until the user sets preferences. */
  preferences: ScriptPreferences | null;
  /**
   * Last local day with an event, stored only while recaps or reactivation are in use; 0 if none was stored.
   */
  activeDay: number;
  /** Milliseconds since 1970: before that, an imported user gets no messages; 0 for others. */
  messagesFrom: number;
  /** Of the streak in force. */
  recentPeriods: RecentPeriods;
  /** From this period on, the history has the streak in force. */
  recordedFrom: number;
  /** Whether the user has used idempotency keys under a former id. */
  hasFormerKeys: boolean;
  /** Whether Redis may keep the latest history of the user (keptHistory.ts). */
  keepsHistory: boolean;
}

const orNull = <T>(value: T | false): T | null => (value === false ? null : value);

/** null for DUE.never and DUE.renamed. */
const orNever = (seconds: number): number | null => (seconds >= DUE.never ? null : seconds);

const hotPart = (hot: Buffer) => readRecord(USER_HOT, unpackAll(hot));

/** Removes revoked achievements, which have negative instants. */
function completedOnly(achievements: Map<number, number>): Map<number, number> {
  for (const [no, at] of achievements) if (at <= 0) achievements.delete(no);
  return achievements;
}

function timesOf(repeats: Map<number, Flat<RecordOf<typeof REPEATS>>>): Map<number, number> {
  const counted = Array.from(repeats, ([no, flat]) => [no, readRecord(REPEATS, flat).times] as const);
  return new Map(counted.filter(([, times]) => times > 0));
}

/** Decodes a user's state as lua/includes/userState.lua writes it. */
export function decodeUserState(hotBuffer: Buffer, coldBuffer: Buffer): UserState {
  const hot = hotPart(hotBuffer);
  const cold = readRecord(USER_COLD, unpackAll(coldBuffer));
  const [daily, weekly, monthly] = readRecords(STREAK, cold.streak);
  return {
    sequence: hot.sequence,
    version: hot.rulesVersion,
    ...profileOf(hot, cold),
    created: cold.created,
    updated: cold.updated,
    control: cold.control,
    attributes: luaMap(cold.attributes),
    streaks: { daily: daily!, weekly: weekly!, monthly: monthly! },
    counters: luaMap(hot.counters),
    marks: new Map(
      Array.from(luaMap(cold.marks || []), ([no, flat]) => [no, readRecords(MARK, flat)] as const),
    ),
    achievements: completedOnly(luaMap(cold.achievements)),
    timesCompleted: timesOf(luaMap(cold.repeats || [])),
    points: luaMap(hot.points),
    ...readBoards(hot.boards),
    formerPlaces: new Map(
      Array.from(luaMap(cold.formerPlaces || []), ([no, flat]) => [no, readRecords(FORMER_PLACE, flat)]),
    ),
    freezes: cold.freezes,
    freezeDay: cold.freezeDay,
    settledDay: cold.settledDay,
    pauses: toPauses(cold.pauses || []),
    due: orNever(Math.abs(hot.due)),
    preferences: orNull(cold.preferences),
    activeDay: cold.activeDay,
    messagesFrom: cold.messagesFrom ?? 0,
    recentPeriods: {
      frequency: cold.frequency,
      from: cold.periodsFrom,
      packed: cold.recentPeriods,
    },
    recordedFrom: cold.recordedFrom,
    hasFormerKeys: hot.hasFormerKeys,
    keepsHistory: hot.keepsHistory,
    challenges: [...readChallengeRuns(hot.challenges), ...readChallengeRuns(cold.formerChallenges)].sort(
      (a, b) => a.challenge - b.challenge || a.run - b.run,
    ),
    boosts: readRecords(USER_BOOST, hot.boosts || []),
    challengeCompletions: luaMap(cold.challengeCompletions || []),
  };
}

function profileOf(hot: RecordOf<typeof USER_HOT>, cold: RecordOf<typeof USER_COLD>): Profile {
  return buildProfile((name) => {
    const value = name === 'tz' ? hot.tz : cold[name];
    return PROFILE_FIELDS[name] === 'flag' ? value : orNull(value);
  });
}

const toPauses = (flat: Flat<RecordOf<typeof PAUSE>>): PauseState[] =>
  readRecords(PAUSE, flat).map(({ id, firstDay, lastDay }) => ({ id, start: firstDay, end: lastDay }));

/** What `boards` of the hot part holds. All its entries have the same size. */
function readBoards(flat: unknown[]): Pick<UserState, 'boards' | 'block' | 'leagues'> {
  const held: Pick<UserState, 'boards' | 'block' | 'leagues'> = {
    boards: new Map(),
    block: null,
    leagues: new Map(),
  };
  for (let base = 0; base < flat.length; base += BOARD_ENTRY.size) {
    const { board, run, score, ticket } = readRecord(BOARD_ENTRY, flat, base);
    if (board > BOARD.optedOut) held.boards.set(board, boardState(run, score, ticket));
    else if (board === BOARD.blocked) held.block = { until: blockEnd(run) };
    else if (board < BOARD.blocked) {
      const { league, ...entry } = readRecord(LEAGUE_ENTRY, flat, base);
      held.leagues.set(BOARD.blocked - league, entry);
    }
  }
  return held;
}

function boardState(run: number, score: number, ticket: string | false): BoardState {
  const isHidden = ticket === TICKET.hidden;
  return { run, score, ticket: isHidden || ticket === TICKET.away ? null : ticket || null, isHidden };
}

/** The end of a block as a script reports it (seconds since 1970), in ms; null without an end. */
export function blockEnd(seconds: number): number | null {
  const end = orNever(seconds);
  return end === null ? null : end * 1000;
}

/** Whether the user is held, because the user gets another id (lua/holdUser.lua). */
export const isHeldToRename = (hot: Buffer): boolean => hotPart(hot).due === -DUE.renamed;

/** Decodes the places on leaderboards from the hot part. */
export function boardsOf(hot: Buffer): Map<number, BoardState> {
  return readBoards(hotPart(hot).boards).boards;
}

/** Decodes the sequence number and the hour of the last change (hours since 1970) from the hot part. */
export function markersOf(hot: Buffer): { sequence: number; seen: number } {
  const { sequence, seen } = hotPart(hot);
  return { sequence, seen };
}
