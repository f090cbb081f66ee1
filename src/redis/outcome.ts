import { FREQUENCIES } from '../rules/calendar.ts';
import type { Frequency, RecapFrequency } from '../rules/config.ts';
import { RECAP_FREQUENCIES } from '../rules/notices.ts';
import { unpackAll } from './codec.ts';
import {
  AWARD,
  CHANGE,
  COVERED,
  COVERED_BY,
  NOTICE,
  NOTICE_KIND,
  OUTCOME,
  PLACE_CHANGE,
  REPLAYED,
  SETTLED,
  SYSTEM,
} from './scriptLayout.ts';

/** A script's report of one change. The headers of lua/recordEvents.lua, changeUser.lua and settleUsers.lua list the outcomes. */
export type Outcome =
  | ({ status: 'recorded' } & Changes)
  | ({ status: 'settled' } & Settled)
  | { status: 'replayed'; day: number; total: number; streak: StreakNow; usedAt: number | null }
  | { status: 'unchanged' }
  | { status: 'zoneNeeded'; zone: string }
  | { status: 'noEmail' }
  | { status: 'outOfPoints'; system: number }
  | { status: 'unknownUser' }
  | { status: 'erasing' }
  /** An administrator's request cannot be carried out; the reason completes a sentence that begins with the user. */
  | { status: 'refused'; reason: string }
  /** The user must first be settled as of this instant (seconds since 1970); then the change can be tried again. */
  | { status: 'due'; at: number };

export interface Changes {
  /** The user's sequence number after the change. */
  sequence: number;
  isNew: boolean;
  /** The user's local day. */
  day: number;
  /** Total of the event's metric. */
  total: number;
  /** Frequency of the streak. */
  frequency: Frequency;
  streak: StreakNow;
  extended: boolean;
  /** Numbers of the achievements completed. */
  completed: number[];
  points: PointsChange[];
  boards: BoardChange[];
}

/** Results of settling a user: changes of the streak, and points of time triggers. */
export interface Settled extends Changes {
  /** Length of the lost streak; 0 if no streak was lost. */
  lost: number;
  /** Number of freezes earned. */
  earned: number;
  /** Number of freezes left. */
  freezes: number;
  /** Missed periods that were made good. */
  covered: { period: number; by: 'freeze' | 'pause' }[];
  /** Notices that are due for the user now. */
  notices: Notice[];
}

/** Periods and days are ordinals since 1970. */
export type Notice =
  /** Numbers of achievements. */
  | { type: 'achievement_completed'; achievements: number[] }
  /** `period`: the streak is lost at the end of this period. */
  | { type: 'streak_reminder'; frequency: Frequency; period: number }
  /** `firstDay`: first day of the period of the recap. */
  | { type: 'recap'; frequency: RecapFrequency; firstDay: number }
  | { type: 'reactivation'; messageNumber: number; days: number };

/** The streak of the frequency in force. */
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
  /** Total after the award. */
  total: number;
  boosts: number[];
}

export interface BoardChange {
  board: number;
  /** First day of the run. */
  run: number;
  rank: number | null;
  previousRank: number | null;
  /** The lowest score on the leaderboard if it is full, else 0. */
  threshold: number;
  score: number;
  previousScore: number;
  /** As in the key of the ranking (parseGroup). */
  group: string;
}

type Flat = (number | string | boolean)[];

/** Reads a flat reply, record by record. */
class Reader {
  readonly #flat: Flat;
  #at = 0;

  constructor(flat: Flat) {
    this.#flat = flat;
  }

  get atEnd(): boolean {
    return this.#at >= this.#flat.length;
  }

  /** The next value, without advancing. */
  get next(): unknown {
    return this.#flat[this.#at];
  }

  value<T>(): T {
    return this.#flat[this.#at++] as T;
  }

  /** Advances past a record. @returns a function that reads the record's values by position */
  record(size: number): <T>(position: number) => T {
    const base = this.#at;
    this.#at += size;
    return <T>(position: number) => this.#flat[base + position] as T;
  }

  list<T>(count: number, readItem: (reader: Reader) => T): T[] {
    // An array that grows reserves room for many more items than these lists have.
    const items = count > 0 ? new Array<T>(count) : [];
    for (let i = 0; i < count; i++) items[i] = readItem(this);
    return items;
  }
}

const readNumber = (reader: Reader): number => reader.value();
const orNull = (value: number | false): number | null => (value === false ? null : value);

function readAward(reader: Reader): Award {
  const { size, at } = AWARD;
  const value = reader.record(size);
  return {
    trigger: value(at.trigger),
    awarded: value(at.awarded),
    total: value(at.total),
    boosts: reader.list(value(at.boostCount), readNumber),
  };
}

function readPoints(reader: Reader): PointsChange {
  const { size, at } = SYSTEM;
  const value = reader.record(size);
  const awards = reader.list(value(at.awardCount), readAward);
  const added = awards.reduce((sum, { awarded }) => sum + awarded, 0);
  return { system: value(at.system), total: awards.at(-1)!.total, added, awards };
}

function readBoard(reader: Reader): BoardChange {
  const { size, at } = PLACE_CHANGE;
  const hasGroup = (reader.next as number) < 0;
  const value = reader.record(hasGroup ? size : at.group);
  return {
    board: Math.abs(value(at.board)),
    run: value(at.run),
    rank: orNull(value(at.rank)),
    previousRank: orNull(value(at.previousRank)),
    threshold: value(at.threshold),
    score: value(at.score),
    previousScore: value(at.previousScore),
    group: hasGroup ? value(at.group) : '',
  };
}

function readChanges(reader: Reader): Changes {
  const { size, at } = CHANGE;
  const value = reader.record(size);
  return {
    sequence: value(at.sequence),
    isNew: value(at.isNew),
    day: value(at.day),
    total: value(at.total),
    frequency: FREQUENCIES[value<number>(at.frequency) - 1]!,
    streak: {
      length: value(at.streakLength),
      firstDay: value(at.streakFirstDay),
      lastPeriod: value(at.streakLastPeriod),
    },
    extended: value(at.extended),
    completed: reader.list(value(at.completedCount), readNumber),
    points: reader.list(reader.value(), readPoints),
    boards: reader.list(reader.value(), readBoard),
  };
}

function readReplayed(reader: Reader): Outcome {
  const { size, at } = REPLAYED;
  const value = reader.record(size);
  const streak = {
    length: value<number>(at.streakLength),
    firstDay: value<number>(at.streakFirstDay),
    lastPeriod: value<number>(at.streakLastPeriod),
  };
  return {
    status: 'replayed',
    day: value(at.day),
    total: value(at.total),
    streak,
    usedAt: value<number>(at.usedAt) || null,
  };
}

function readCovered(reader: Reader): Settled['covered'][number] {
  const { size, at } = COVERED;
  const value = reader.record(size);
  return { period: value(at.period), by: value(at.by) === COVERED_BY.freeze ? 'freeze' : 'pause' };
}

function readNotice(reader: Reader): Notice {
  const { size, at } = NOTICE;
  const value = reader.record(size);
  const [kind, number, period] = [value(at.kind), value<number>(at.frequency), value<number>(at.period)];
  const numbers = reader.list(value(at.count), readNumber);
  if (kind === NOTICE_KIND.achievements) return { type: 'achievement_completed', achievements: numbers };
  if (kind === NOTICE_KIND.reminder) {
    return { type: 'streak_reminder', frequency: FREQUENCIES[number - 1]!, period };
  }
  if (kind === NOTICE_KIND.recap) {
    return { type: 'recap', frequency: RECAP_FREQUENCIES[number - 1]!, firstDay: period };
  }
  if (kind !== NOTICE_KIND.reactivation) throw new Error(`a script reported the unknown notice ${kind}`);
  const [messageNumber, days] = numbers as [number, number];
  return { type: 'reactivation', messageNumber, days };
}

function readSettled(reader: Reader): Settled {
  const changes = readChanges(reader);
  const { size, at } = SETTLED;
  const value = reader.record(size);
  return {
    ...changes,
    lost: value(at.lost),
    earned: value(at.earned),
    freezes: value(at.freezes),
    covered: reader.list(value(at.coveredCount), readCovered),
    notices: reader.list(value(at.noticeCount), readNotice),
  };
}

function readOutcome(reader: Reader): Outcome {
  // In these two records, the outcome is the first value.
  if (reader.next === OUTCOME.recorded) return { status: 'recorded', ...readChanges(reader) };
  if (reader.next === OUTCOME.settled) return { status: 'settled', ...readSettled(reader) };
  const outcome = reader.value();
  switch (outcome) {
    case OUTCOME.unchanged:
      return { status: 'unchanged' };
    case OUTCOME.replayed:
      return readReplayed(reader);
    case OUTCOME.zoneNeeded:
      return { status: 'zoneNeeded', zone: reader.value() };
    case OUTCOME.noEmail:
      return { status: 'noEmail' };
    case OUTCOME.outOfPoints:
      return { status: 'outOfPoints', system: reader.value() };
    case OUTCOME.unknownUser:
      return { status: 'unknownUser' };
    case OUTCOME.due:
      return { status: 'due', at: reader.value() };
    case OUTCOME.erasing:
      return { status: 'erasing' };
    case OUTCOME.refused:
      return { status: 'refused', reason: reader.value() };
    default:
      throw new Error(`a script answered with the unknown outcome ${outcome}`);
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
