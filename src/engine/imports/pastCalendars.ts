import { packOnce } from '../../redis/decoding/codec.ts';
import { PAST_CALENDAR } from '../../redis/layouts/importLayout.ts';
import { toRecord } from '../../redis/layouts/recordLayout.ts';
import { endsOfPeriods, type LocalTime, runOf, runsOn } from '../../rules/calendar.ts';
import { challengeRunsOn } from '../../rules/challenges/challengeRuns.ts';
import { ranksGain } from '../../rules/compile/compileLeaderboards.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { LocalTimes } from '../../rules/localTimes.ts';
import { pauseBounds, wasPausedAt } from '../../rules/pauses.ts';
import { finalAt, zoneOfRuns } from '../../rules/runZones.ts';
import type { ScriptCalendar } from '../../rules/scriptRules.ts';

/** A calendar of the past, and from when to when it holds, seconds since 1970. */
interface Piece {
  zone: string;
  from: number;
  till: number;
  calendar: ScriptCalendar;
}

/** A piece, and until when it holds, ms: a run is over then, or may begin. */
interface KnownPiece {
  piece: Piece;
  overAt: number;
}

/**
 * Calendars at instants of the past, as the scripts take them. They have no notices, because nothing is sent
 * for the past, and only runs that are not over: the others are final, or were never ranked here.
 * Leaderboards that rank totals have their present run, also if it began later.
 */
export class PastCalendars {
  readonly #rules: Rules;
  readonly #times = new LocalTimes();
  /** As long as the times are kept. A day has several pieces if runs begin in another zone. */
  readonly #known = new WeakMap<LocalTime, KnownPiece[]>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** @param at seconds since 1970 @param now ms */
  pieceAt(zone: string, at: number, now: number): Piece {
    const time = this.#times.at(zone, at * 1000);
    const pieces = (this.#known.get(time) ?? []).filter(({ overAt }) => now < overAt);
    let known = pieces.find(({ piece: { from, till } }) => at >= from && at < till);
    if (known === undefined) {
      known = this.#compute(time, at * 1000, now);
      this.#known.set(time, [...pieces, known]);
    }
    return known.piece;
  }

  #compute(time: LocalTime, at: number, now: number): KnownPiece {
    let overAt = Infinity;
    const { config, runZones } = this.#rules;
    const zoneOf = (board: Leaderboard): string =>
      zoneOfRuns(board, config.settings.defaultTimeZone) ?? time.zone;
    const runs = config.leaderboards.flatMap((board) => {
      const present = this.#times.at(zoneOf(board), now);
      const { day } = ranksGain(board) ? this.#times.at(zoneOf(board), at) : present;
      const run = runOf(board, day);
      if (run === null && !ranksGain(board)) overAt = Math.min(overAt, present.untilMs);
      const ends =
        run === null || run.end === null
          ? Infinity
          : finalAt(board, config.settings.defaultTimeZone, run.end);
      if (run === null || ends <= now || wasPausedAt(board, at)) return [];
      overAt = Math.min(overAt, ends);
      return runsOn(board, day);
    });
    const { zone, day, week, month, offsetMs } = time;
    const times = [time, ...runZones.map((one) => this.#times.at(one, at))];
    const bounds = config.leaderboards.flatMap(pauseBounds);
    const fromMs = Math.max(...times.map((one) => one.fromMs), ...bounds.filter((bound) => bound <= at));
    const untilMs = Math.min(...times.map((one) => one.untilMs), ...bounds.filter((bound) => bound > at));
    const periods: ScriptCalendar['periods'] = [day, week, month];
    const ends = endsOfPeriods(time);
    const challengeRuns = challengeRunsOn(config, day);
    const calendar = { zone, periods, offsetMs, runs, ...challengeRuns, ends, notices: false as const };
    return { piece: { zone, from: fromMs / 1000, till: untilMs / 1000, calendar }, overAt };
  }
}

const calendarsOf = new WeakMap<Rules, PastCalendars>();

/** The calendars by some rules. They are kept as long as the rules are. */
export function pastCalendarsOf(rules: Rules): PastCalendars {
  let calendars = calendarsOf.get(rules);
  if (calendars === undefined) {
    calendars = new PastCalendars(rules);
    calendarsOf.set(rules, calendars);
  }
  return calendars;
}

/** Pieces with their index (PAST_CALENDAR). */
export function packPieces(pieces: Iterable<Piece>): { index: unknown[]; packed: Buffer } {
  const index: unknown[] = [];
  const buffers: Buffer[] = [];
  let last = 0;
  for (const { zone, from, till, calendar } of [...pieces].sort((a, b) => a.from - b.from)) {
    // Nearly every event of the past needs the ends of its periods, so they are no JSON.
    const buffer = packOnce(calendar);
    const first = last + 1;
    last += buffer.length;
    index.push(...toRecord(PAST_CALENDAR, { zone, from, till, first, last }));
    buffers.push(buffer);
  }
  return { index, packed: Buffer.concat(buffers) };
}
