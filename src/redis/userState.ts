import type { ScriptPreferences } from '../rules/preferences.ts';
import { type LuaTable, luaEntries, unpackAll } from './codec.ts';

/** A streak of one frequency as kept: days and periods are ordinals (src/rules/calendar.ts). */
export interface StreakState {
  length: number;
  /** Local day of the first extension. */
  firstDay: number;
  /** The last period that was extended, or made good by a freeze or a pause. */
  lastPeriod: number;
  /** Milliseconds since 1970; 0 before the first extension. */
  extendedAt: number;
  /** Length last lost; 0 when none was. */
  lostLength: number;
  /** Seconds beyond the end of the next period, granted by a zone that the user was in. */
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
  /** Streak freezes left. */
  freezes: number;
  /** Local day up to which freezes have been earned. */
  freezeDay: number;
  /** The last local day whose daily time triggers are done. */
  settledDay: number;
  pauses: PauseState[];
  /** The next instant at which settling changes something, seconds since 1970; null when none will. It is the score in `due`. */
  due: number | null;
  /** null while the user has set none. */
  preferences: ScriptPreferences | null;
}

const NEVER = 4_294_967_295;

const toMap = <T>(table: unknown): Map<number, T> => new Map(luaEntries(table as LuaTable<T>));
const orNull = <T>(value: unknown): T | null => (value === false ? null : (value as T));

function pausesOf(flat: unknown): PauseState[] {
  const pauses: PauseState[] = [];
  const values = (flat || []) as (string | number)[];
  for (let at = 0; at < values.length; at += 3) {
    const [id, start, end] = values.slice(at, at + 3) as [string, number, number];
    pauses.push({ id, start, end });
  }
  return pauses;
}

/** The other side of lua/includes/userState.lua, value by value. */
export function decodeUserState(hot: Buffer, cold: Buffer): UserState {
  const values = [...unpackAll(hot), ...unpackAll(cold)];
  const streak = values[23] as number[];
  const streakAt = (base: number): StreakState => ({
    length: streak[base]!,
    firstDay: streak[base + 1]!,
    lastPeriod: streak[base + 2]!,
    extendedAt: streak[base + 3]!,
    lostLength: streak[base + 4]!,
    slack: streak[base + 5]!,
  });
  return {
    sequence: values[0] as number,
    tz: orNull(values[1]),
    created: values[15] as number,
    updated: values[16] as number,
    name: orNull(values[17]),
    email: orNull(values[18]),
    subscribeToEmails: values[19] as boolean,
    control: values[20] as boolean,
    deviceTokens: orNull(values[21]),
    attributes: toMap(values[22]),
    streaks: { daily: streakAt(0), weekly: streakAt(6), monthly: streakAt(12) },
    counters: toMap(values[9]),
    achievements: toMap(values[25]),
    points: toMap(values[11]),
    boards: toBoards(values),
    freezes: values[26] as number,
    freezeDay: values[27] as number,
    settledDay: values[28] as number,
    pauses: pausesOf(values[29]),
    due: values[14] === NEVER ? null : (values[14] as number),
    preferences: orNull(values[30]),
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
