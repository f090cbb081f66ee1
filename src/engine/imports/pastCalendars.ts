import { packOnce } from '../../redis/scripts/codec.ts';
import { PAST_CALENDAR } from '../../redis/scripts/importLayout.ts';
import { toRecord } from '../../redis/state/recordLayout.ts';
import {
  DAY_MS,
  endsOfPeriods,
  type LocalTime,
  localTime,
  overEverywhere,
  runOf,
  startOfLocalDay,
} from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import type { ScriptCalendar } from '../../rules/scriptRules.ts';

/** A calendar of the past, and from when to when it holds, seconds since 1970. */
interface Piece {
  zone: string;
  from: number;
  till: number;
  calendar: ScriptCalendar;
}

/** Days whose calendars are kept in memory, of all zones together: 80 years. */
const KEPT_MAX = 30_000;

/**
 * Calendars at instants of the past, as the scripts take them. They have no notices, because nothing is sent
 * for the past, and only runs that are not over: the others are final, or were never ranked here.
 */
export class PastCalendars {
  readonly #rules: Rules;
  readonly #now: number;
  /** By zone and day in UTC, which has at most a few of them. */
  readonly #pieces = new Map<string, Piece[]>();

  constructor(rules: Rules, now: number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** @param at seconds since 1970 */
  pieceAt(zone: string, at: number): Piece {
    const key = `${zone} ${Math.floor((at * 1000) / DAY_MS)}`;
    let pieces = this.#pieces.get(key);
    if (pieces === undefined) {
      if (this.#pieces.size >= KEPT_MAX) this.#pieces.clear();
      pieces = [];
      this.#pieces.set(key, pieces);
    }
    let piece = pieces.find(({ from, till }) => at >= from && at < till);
    if (piece === undefined) {
      piece = this.#compute(zone, at);
      pieces.push(piece);
    }
    return piece;
  }

  #compute(zone: string, at: number): Piece {
    const time = localTime(zone, at * 1000);
    const midnight = startOfLocalDay(zone, time.day);
    // The offset may have changed since midnight.
    const first = localTime(zone, midnight).untilMs;
    const from = first > at * 1000 ? midnight : first;
    return { zone, from: from / 1000, till: time.untilMs / 1000, calendar: this.#calendarOf(time) };
  }

  #calendarOf(time: LocalTime): ScriptCalendar {
    const runs = this.#rules.config.leaderboards.flatMap((board) => {
      const run = runOf(board, time.day);
      const isOpen = run !== null && (run.end === null || overEverywhere(run.end) > this.#now);
      return isOpen ? [board.no, run.start] : [];
    });
    const { zone, day, week, month, offsetMs } = time;
    return { zone, periods: [day, week, month], offsetMs, runs, ends: endsOfPeriods(time), notices: false };
  }
}

/** Pieces with their index (PAST_CALENDAR). */
export function packPieces(pieces: Iterable<Piece>): { index: unknown[]; packed: Buffer } {
  const index: unknown[] = [];
  const buffers: Buffer[] = [];
  let last = 0;
  for (const { zone, from, till, calendar } of [...pieces].sort((a, b) => a.from - b.from)) {
    const buffer = packOnce(calendar, 'ends', 'notices');
    const first = last + 1;
    last += buffer.length;
    index.push(...toRecord(PAST_CALENDAR, { zone, from, till, first, last }));
    buffers.push(buffer);
  }
  return { index, packed: Buffer.concat(buffers) };
}
