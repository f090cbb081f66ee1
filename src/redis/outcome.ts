import { FREQUENCIES } from '../rules/calendar.ts';
import type { Frequency } from '../rules/config.ts';
import { unpackAll } from './codec.ts';

/** What the scripts answer for one change; written by lua/recordEvents.lua, lua/changeUser.lua and lua/settleUsers.lua. */
export type Outcome =
  | ({ status: 'recorded' } & Changes)
  | ({ status: 'settled' } & Settled)
  | { status: 'replayed'; day: number; total: number; streak: StreakNow }
  | { status: 'unchanged' }
  | { status: 'zoneNeeded'; zone: string }
  | { status: 'noEmail' }
  | { status: 'outOfPoints'; system: number }
  | { status: 'unknownUser' }
  | { status: 'erasing' }
  /** What an administrator asked for cannot be done; the reason follows the user's name. */
  | { status: 'refused'; reason: string }
  /** To be settled first, at this instant (seconds since 1970), and then asked again. */
  | { status: 'due'; at: number };

export interface Changes {
  /** The user's sequence number after the change. */
  sequence: number;
  isNew: boolean;
  /** The user's local day. */
  day: number;
  /** Of the event's metric. */
  total: number;
  streak: StreakNow;
  extended: boolean;
  /** Numbers of the achievements completed. */
  completed: number[];
  points: PointsChange[];
  boards: BoardChange[];
}

/** What time brought a user. The streak and freezes are those of the frequency in force. */
export interface Settled extends Changes {
  frequency: Frequency;
  /** Length of the streak that was lost; 0 when none was. */
  lost: number;
  /** Freezes that were earned. */
  earned: number;
  /** Freezes left. */
  freezes: number;
  /** Periods that were missed without harm. */
  covered: { period: number; by: 'freeze' | 'pause' }[];
}

/** Of the frequency in force. */
export interface StreakNow {
  length: number;
  firstDay: number;
  lastPeriod: number;
}

export interface PointsChange {
  system: number;
  total: number;
  added: number;
  awards: Award[];
}

export interface Award {
  trigger: number;
  awarded: number;
  /** After the award. */
  total: number;
  boosts: number[];
}

export interface BoardChange {
  board: number;
  /** First day of the run. */
  run: number;
  rank: number | null;
  previousRank: number | null;
  /** The lowest score while the board is full, else 0. */
  threshold: number;
  score: number;
  previousScore: number;
  /** As in the key of the ranking (parseGroup). */
  group: string;
}

type Flat = (number | string | boolean)[];

/** Reads a flat reply from front to back. */
class Reader {
  readonly #flat: Flat;
  #at = 0;

  constructor(flat: Flat) {
    this.#flat = flat;
  }

  get atEnd(): boolean {
    return this.#at >= this.#flat.length;
  }

  number(): number {
    return this.#flat[this.#at++] as number;
  }

  numberOrNull(): number | null {
    const value = this.#flat[this.#at++];
    return value === false ? null : (value as number);
  }

  text(): string {
    return this.#flat[this.#at++] as string;
  }

  flag(): boolean {
    return this.#flat[this.#at++] === true;
  }

  /** A list that starts with its length. */
  list<T>(readItem: (reader: Reader) => T): T[] {
    const count = this.number();
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(readItem(this));
    return items;
  }
}

const readNumber = (reader: Reader): number => reader.number();

function readStreak(reader: Reader): StreakNow {
  return { length: reader.number(), firstDay: reader.number(), lastPeriod: reader.number() };
}

function readAward(reader: Reader): Award {
  return {
    trigger: reader.number(),
    awarded: reader.number(),
    total: reader.number(),
    boosts: reader.list(readNumber),
  };
}

function readPoints(reader: Reader): PointsChange {
  const system = reader.number();
  const awards = reader.list(readAward);
  const added = awards.reduce((sum, { awarded }) => sum + awarded, 0);
  return { system, total: awards.at(-1)!.total, added, awards };
}

function readBoard(reader: Reader): BoardChange {
  const board = reader.number();
  return {
    board: Math.abs(board),
    run: reader.number(),
    rank: reader.numberOrNull(),
    previousRank: reader.numberOrNull(),
    threshold: reader.number(),
    score: reader.number(),
    previousScore: reader.number(),
    group: board < 0 ? reader.text() : '',
  };
}

function readChanges(reader: Reader): Changes {
  return {
    sequence: reader.number(),
    isNew: reader.flag(),
    day: reader.number(),
    total: reader.number(),
    streak: readStreak(reader),
    extended: reader.flag(),
    completed: reader.list(readNumber),
    points: reader.list(readPoints),
    boards: reader.list(readBoard),
  };
}

function readCovered(reader: Reader): Settled['covered'] {
  const values = reader.list(readNumber);
  const covered: Settled['covered'] = [];
  for (let i = 0; i < values.length; i += 2) {
    covered.push({ period: values[i]!, by: values[i + 1] === 1 ? 'freeze' : 'pause' });
  }
  return covered;
}

function readOutcome(reader: Reader): Outcome {
  const code = reader.number();
  switch (code) {
    case 0:
      return { status: 'unchanged' };
    case 1:
      return { status: 'recorded', ...readChanges(reader) };
    case 2:
      return { status: 'replayed', day: reader.number(), total: reader.number(), streak: readStreak(reader) };
    case 3:
      return { status: 'zoneNeeded', zone: reader.text() };
    case 4:
      return { status: 'noEmail' };
    case 5:
      return { status: 'outOfPoints', system: reader.number() };
    case 6:
      return { status: 'unknownUser' };
    case 7:
      return { status: 'due', at: reader.number() };
    case 8:
      return {
        status: 'settled',
        ...readChanges(reader),
        frequency: FREQUENCIES[reader.number() - 1]!,
        lost: reader.number(),
        earned: reader.number(),
        freezes: reader.number(),
        covered: readCovered(reader),
      };
    case 9:
      return { status: 'erasing' };
    case 10:
      return { status: 'refused', reason: reader.text() };
    default:
      throw new Error(`a script answered with the unknown outcome ${code}`);
  }
}

/** Reads the outcomes of a reply in order. */
export function decodeOutcomes(reply: Buffer): Outcome[] {
  const [flat] = unpackAll(reply) as [Flat];
  const reader = new Reader(flat);
  const outcomes: Outcome[] = [];
  while (!reader.atEnd) outcomes.push(readOutcome(reader));
  return outcomes;
}

/** The values of the breakdown attributes, in their order, from a group's name "<length>:<value>,…" (length in bytes). */
export function parseGroup(group: string): string[] {
  const bytes = Buffer.from(group);
  const values: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const colon = bytes.indexOf(':', at);
    const end = colon + 1 + Number(bytes.toString('utf8', at, colon));
    values.push(bytes.toString('utf8', colon + 1, end));
    at = end + 1;
  }
  return values;
}

export function groupName(values: string[]): string {
  return values.map((value) => `${Buffer.byteLength(value)}:${value}`).join(',');
}
