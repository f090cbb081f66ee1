import type { ScriptPreferences } from '../../rules/preparePreferences.ts';
import { type LuaTable, luaEntries, unpackAll } from '../scripts/codec.ts';
import { LEAGUE_ENTRY } from '../scripts/leagueLayout.ts';
import { BOARD, DUE, TICKET } from '../scripts/scriptConstants.ts';
import { BOARD_ENTRY, PAUSE, STREAK, USER_COLD, USER_HOT } from '../scripts/scriptLayout.ts';
import { readRecord, readRecords } from './recordLayout.ts';

/** The stored streak of one frequency; days and periods are ordinals (src/rules/calendar.ts). */
export interface StreakState {
  length: number;
  /** Local day of the first extension. */
  firstDay: number;
  /** The last period that was extended, or made good by a freeze or a pause. */
  lastPeriod: number;
  /** Milliseconds since 1970; 0 before the first extension. */
  extendedAt: number;
  /** Length of the last lost streak; 0 if none was lost. */
  lostLength: number;
  /**
   * Seconds by which the streak survives the end of the next period, because of an earlier time zone of the
   * user.
   */
  slack: number;
}

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
export interface LeagueState {
  /** Number of the run. */
  run: number;
  /** The user's seat (SEAT in src/redis/scripts/scriptConstants.ts); 0 without a group. */
  seat: number;
  /** Number of the tier. */
  tier: number;
}

/** The state of a user in Redis. Maps are keyed by the `no` of metric counters, achievements, … */
export interface UserState {
  sequence: number;
  /** Of the rules of the last change. */
  version: number;
  created: number;
  updated: number;
  tz: string | null;
  name: string | null;
  email: string | null;
  subscribeToEmails: boolean;
  control: boolean;
  deviceTokens: string[] | null;
  /** The day on which the user joined the customer's product, YYYY-MM-DD. */
  signUpDate: string | null;
  attributes: Map<number, string>;
  streaks: { daily: StreakState; weekly: StreakState; monthly: StreakState };
  counters: Map<number, number>;
  /** When each achievement was completed, milliseconds since 1970. */
  achievements: Map<number, number>;
  points: Map<number, number>;
  boards: Map<number, BoardState>;
  /** An administrator has blocked the user until this instant (ms, null without an end); null if not. */
  block: { until: number | null } | null;
  leagues: Map<number, LeagueState>;
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
  /** Whether the user has used idempotency keys under a former id. */
  hasFormerKeys: boolean;
}

const toMap = <T>(table: unknown): Map<number, T> => new Map(luaEntries(table as LuaTable<T>));
const orNull = <T>(value: unknown): T | null => (value === false ? null : (value as T));

/** null for DUE.never and DUE.renamed. */
const orNever = (seconds: number): number | null => (seconds >= DUE.never ? null : seconds);

const hotPart = (hot: Buffer) => readRecord(USER_HOT, unpackAll(hot));

/** Removes revoked achievements, which have negative instants. */
const completedOnly = (achievements: Map<number, number>): Map<number, number> =>
  new Map([...achievements].filter(([, at]) => at > 0));

/** Decodes a user's state as lua/includes/userState.lua writes it. */
export function decodeUserState(hotBuffer: Buffer, coldBuffer: Buffer): UserState {
  const hot = hotPart(hotBuffer);
  const cold = readRecord(USER_COLD, unpackAll(coldBuffer));
  const [daily, weekly, monthly] = toStreaks(cold.streak) as [StreakState, StreakState, StreakState];
  return {
    sequence: hot.sequence as number,
    version: hot.rulesVersion as number,
    tz: orNull(hot.tz),
    created: cold.created as number,
    updated: cold.updated as number,
    name: orNull(cold.name),
    email: orNull(cold.email),
    subscribeToEmails: cold.subscribeToEmails as boolean,
    control: cold.control as boolean,
    deviceTokens: orNull(cold.deviceTokens),
    signUpDate: orNull(cold.signUpDate),
    attributes: toMap(cold.attributes),
    streaks: { daily, weekly, monthly },
    counters: toMap(hot.counters),
    achievements: completedOnly(toMap(cold.achievements)),
    points: toMap(hot.points),
    boards: toBoards(hot.boards),
    block: toBlock(hot.boards),
    leagues: toLeagues(hot.boards),
    freezes: cold.freezes as number,
    freezeDay: cold.freezeDay as number,
    settledDay: cold.settledDay as number,
    pauses: toPauses(cold.pauses),
    due: orNever(Math.abs(hot.due as number)),
    preferences: orNull(cold.preferences),
    activeDay: cold.activeDay as number,
    messagesFrom: (cold.messagesFrom ?? 0) as number,
    hasFormerKeys: hot.hasFormerKeys as boolean,
  };
}

function toStreaks(flat: unknown): StreakState[] {
  return readRecords(STREAK, flat as number[]) as Record<keyof StreakState, number>[];
}

function toPauses(flat: unknown): PauseState[] {
  return readRecords(PAUSE, (flat || []) as unknown[]).map(({ id, firstDay, lastDay }) => ({
    id: id as string,
    start: firstDay as number,
    end: lastDay as number,
  }));
}

function toBoards(flat: unknown): Map<number, BoardState> {
  return new Map(
    readRecords(BOARD_ENTRY, flat as unknown[])
      .filter(({ board }) => (board as number) > BOARD.optedOut)
      .map(({ board, run, score, ticket }) => [
        board as number,
        {
          run: run as number,
          score: score as number,
          ticket: ticket === TICKET.hidden || ticket === TICKET.away ? null : (ticket as string) || null,
          isHidden: ticket === TICKET.hidden,
        },
      ]),
  );
}

function toBlock(flat: unknown): UserState['block'] {
  const entry = readRecords(BOARD_ENTRY, flat as unknown[]).find(({ board }) => board === BOARD.blocked);
  return entry === undefined ? null : { until: blockEnd(entry.run as number) };
}

/** The end of a block as a script reports it (seconds since 1970), in ms; null without an end. */
export function blockEnd(seconds: number): number | null {
  const end = orNever(seconds);
  return end === null ? null : end * 1000;
}

function toLeagues(flat: unknown): Map<number, LeagueState> {
  return new Map(
    readRecords(LEAGUE_ENTRY, flat as number[])
      .filter(({ league }) => (league as number) < BOARD.blocked)
      .map(({ league, run, seat, tier }) => [
        BOARD.blocked - (league as number),
        { run, seat, tier } as LeagueState,
      ]),
  );
}

/** Whether the user is held, because the user gets another id (lua/holdUser.lua). */
export const isHeldToRename = (hot: Buffer): boolean => hotPart(hot).due === -DUE.renamed;

/** Decodes the places on leaderboards from the hot part. */
export function boardsOf(hot: Buffer): Map<number, BoardState> {
  return toBoards(hotPart(hot).boards);
}

/** Decodes the sequence number and the hour of the last change (hours since 1970) from the hot part. */
export function markersOf(hot: Buffer): { sequence: number; seen: number } {
  const { sequence, seen } = hotPart(hot);
  return { sequence: sequence as number, seen: seen as number };
}
