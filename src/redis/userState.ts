import { type LuaTable, luaEntries, unpackAll } from './codec.ts';

/** A streak of one frequency as kept: days and periods are ordinals (src/rules/calendar.ts). */
export interface StreakState {
  length: number;
  /** Local day of the first extension. */
  firstDay: number;
  /** The last extended period. */
  lastPeriod: number;
  /** Milliseconds since 1970; 0 before the first extension. */
  extendedAt: number;
  /** Length last lost; 0 when none was. */
  lostLength: number;
}

export interface BoardState {
  /** First day of the run. */
  run: number;
  score: number;
  /** What its member in the ranking starts with, by order of arrival; null while not on the board. */
  ticket: string | null;
}

/** What Redis holds of a user. Maps are keyed by the `no` of metric counters, achievements, … */
export interface UserState {
  sequence: number;
  created: number;
  updated: number;
  tz: string | null;
  name: string | null;
  email: string | null;
  subscribeToEmails: boolean;
  control: boolean;
  deviceTokens: string[] | null;
  attributes: Map<number, string>;
  streaks: { daily: StreakState; weekly: StreakState; monthly: StreakState };
  counters: Map<number, number>;
  /** When each achievement was completed, milliseconds since 1970. */
  achievements: Map<number, number>;
  points: Map<number, number>;
  boards: Map<number, BoardState>;
}

const toMap = <T>(table: unknown): Map<number, T> => new Map(luaEntries(table as LuaTable<T>));
const orNull = <T>(value: unknown): T | null => (value === false ? null : (value as T));

/** The other side of lua/includes/userState.lua, value by value. */
export function decodeUserState(hot: Buffer, cold: Buffer): UserState {
  const values = [...unpackAll(hot), ...unpackAll(cold)];
  const streak = values[22] as number[];
  const streakAt = (base: number): StreakState => ({
    length: streak[base]!,
    firstDay: streak[base + 1]!,
    lastPeriod: streak[base + 2]!,
    extendedAt: streak[base + 3]!,
    lostLength: streak[base + 4]!,
  });
  return {
    sequence: values[0] as number,
    tz: orNull(values[1]),
    created: values[14] as number,
    updated: values[15] as number,
    name: orNull(values[16]),
    email: orNull(values[17]),
    subscribeToEmails: values[18] as boolean,
    control: values[19] as boolean,
    deviceTokens: orNull(values[20]),
    attributes: toMap(values[21]),
    streaks: { daily: streakAt(0), weekly: streakAt(5), monthly: streakAt(10) },
    counters: toMap(values[9]),
    achievements: toMap(values[24]),
    points: toMap(values[11]),
    boards: toBoards(values),
  };
}

function toBoards(hotValues: unknown[]): Map<number, BoardState> {
  const boards = new Map<number, BoardState>();
  const flat = hotValues[12] as (number | string)[];
  for (let at = 0; at < flat.length; at += 4) {
    const [no, run, score, ticket] = flat.slice(at, at + 4) as [number, number, number, string];
    boards.set(no, { run, score, ticket: ticket || null });
  }
  return boards;
}

/** From the hot part alone: the leaderboards. */
export function boardsOf(hot: Buffer): Map<number, BoardState> {
  return toBoards(unpackAll(hot));
}

/** From the hot part alone: the sequence number, and the hour of the last change (hours since 1970). */
export function markersOf(hot: Buffer): { sequence: number; seen: number } {
  const values = unpackAll(hot);
  return { sequence: values[0] as number, seen: values[13] as number };
}
