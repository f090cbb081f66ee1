import { FREQUENCIES } from '../../rules/calendar.ts';
import type { Frequency, RecapFrequency } from '../../rules/config.ts';
import { RECAP_FREQUENCIES } from '../../rules/notices.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import { unpackAll } from './codec.ts';
import { type Flat, Reader } from './reader.ts';
import { COVERED_BY, NOTICE_KIND, OUTCOME } from './scriptConstants.ts';
import { AWARD, BOARD_CHANGE, CHANGE, COVERED, NOTICE, REPLAYED, SETTLED, SYSTEM } from './scriptLayout.ts';

/**
 * A script's report of one change. The headers of lua/recordEvents.lua, changeUser.lua and settleUsers.lua
 * list the outcomes.
 */
export type Outcome =
  | ({ status: 'recorded' } & Changes)
  | ({ status: 'settled' } & Settled)
  | { status: 'replayed'; day: number; total: number; streak: StreakNow; usedAt: number | null }
  | { status: 'unchanged' }
  | { status: 'zoneNeeded'; zone: string }
  | { status: 'noEmail' }
  | { status: 'futureSignUp' }
  | { status: 'outOfPoints'; system: number }
  | { status: 'unknownUser' }
  | { status: 'erasing' }
  /**
   * An administrator's request cannot be carried out; the reason completes a sentence that begins with the
   * user.
   */
  | { status: 'refused'; reason: string }
  /**
   * The user must first be settled as of this instant (seconds since 1970); then the change can be tried
   * again.
   */
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
  /** Numbers of achievements that were earned earlier: they cause no notification and no webhook. */
  completedSilently: number[];
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
  covered: { period: number; by: MadeGoodBy }[];
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
  /** A mask (src/rules/daysOff.ts). */
  daysOff: number;
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
  /** The group whose ranking the user has left for this one. */
  leftGroup?: string;
}

const readNumber = (reader: Reader): number => reader.value();
const orNull = (value: number | false): number | null => (value === false ? null : value);

function readAward(reader: Reader): Award {
  const { size, at } = AWARD;
  const base = reader.record(size);
  return {
    trigger: reader.get(base + at.trigger),
    awarded: reader.get(base + at.awarded),
    total: reader.get(base + at.total),
    boosts: reader.list(reader.get(base + at.boostCount), readNumber),
  };
}

function readPoints(reader: Reader): PointsChange {
  const { size, at } = SYSTEM;
  const base = reader.record(size);
  const awards = reader.list(reader.get(base + at.awardCount), readAward);
  const added = awards.reduce((sum, { awarded }) => sum + awarded, 0);
  return { system: reader.get(base + at.system), total: awards.at(-1)!.total, added, awards };
}

function readBoard(reader: Reader): BoardChange {
  const { size, at } = BOARD_CHANGE;
  const hasGroup = (reader.next as number) < 0;
  const base = reader.record(hasGroup ? size : at.group);
  const leftGroup = hasGroup && reader.get<string | false>(base + at.leftGroup);
  return {
    board: Math.abs(reader.get(base + at.board)),
    run: reader.get(base + at.run),
    rank: orNull(reader.get(base + at.rank)),
    previousRank: orNull(reader.get(base + at.previousRank)),
    threshold: reader.get(base + at.threshold),
    score: reader.get(base + at.score),
    previousScore: reader.get(base + at.previousScore),
    group: hasGroup ? reader.get(base + at.group) : '',
    ...(leftGroup !== false && { leftGroup }),
  };
}

function readChanges<S>(reader: Reader, status: S): { status: S } & Changes {
  const { size, at } = CHANGE;
  const base = reader.record(size);
  const completed: number[] = reader.list(reader.get(base + at.completedCount), readNumber);
  return {
    status,
    sequence: reader.get(base + at.sequence),
    isNew: reader.get(base + at.isNew),
    day: reader.get(base + at.day),
    total: reader.get(base + at.total),
    frequency: FREQUENCIES[reader.get<number>(base + at.frequency) - 1]!,
    streak: {
      length: reader.get(base + at.streakLength),
      firstDay: reader.get(base + at.streakFirstDay),
      lastPeriod: reader.get(base + at.streakLastPeriod),
      daysOff: reader.get(base + at.streakDaysOff),
    },
    extended: reader.get(base + at.extended),
    completed: completed.filter((no) => no > 0),
    completedSilently: completed.filter((no) => no < 0).map((no) => -no),
    points: reader.list(reader.value(), readPoints),
    boards: reader.list(reader.value(), readBoard),
  };
}

function readReplayed(reader: Reader): Outcome {
  const { size, at } = REPLAYED;
  const base = reader.record(size);
  const streak = {
    length: reader.get<number>(base + at.streakLength),
    firstDay: reader.get<number>(base + at.streakFirstDay),
    lastPeriod: reader.get<number>(base + at.streakLastPeriod),
    daysOff: reader.get<number>(base + at.streakDaysOff),
  };
  return {
    status: 'replayed',
    day: reader.get(base + at.day),
    total: reader.get(base + at.total),
    streak,
    usedAt: reader.get<number>(base + at.usedAt) || null,
  };
}

const MADE_GOOD_BY = new Map(Object.entries(COVERED_BY).map(([by, no]) => [no as number, by as MadeGoodBy]));

function readCovered(reader: Reader): Settled['covered'][number] {
  const { size, at } = COVERED;
  const base = reader.record(size);
  return {
    period: reader.get(base + at.period),
    by: MADE_GOOD_BY.get(reader.get(base + at.by))!,
  };
}

function readNotice(reader: Reader): Notice {
  const { size, at } = NOTICE;
  const base = reader.record(size);
  const [kind, number, period] = [
    reader.get(base + at.kind),
    reader.get<number>(base + at.frequency),
    reader.get<number>(base + at.period),
  ];
  const numbers = reader.list(reader.get(base + at.count), readNumber);
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

function readSettled(reader: Reader): { status: 'settled' } & Settled {
  const changes = readChanges(reader, 'settled' as const);
  const { size, at } = SETTLED;
  const base = reader.record(size);
  return {
    ...changes,
    lost: reader.get(base + at.lost),
    earned: reader.get(base + at.earned),
    freezes: reader.get(base + at.freezes),
    covered: reader.list(reader.get(base + at.coveredCount), readCovered),
    notices: reader.list(reader.get(base + at.noticeCount), readNotice),
  };
}

function readOutcome(reader: Reader): Outcome {
  // In these two records, the outcome is the first value.
  if (reader.next === OUTCOME.recorded) return readChanges(reader, 'recorded' as const);
  if (reader.next === OUTCOME.settled) return readSettled(reader);
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
    case OUTCOME.futureSignUp:
      return { status: 'futureSignUp' };
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

/**
 * The values of the breakdown attributes, in their order, from a group's name "<length>:<value>,…" (length in
 * bytes).
 */
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
