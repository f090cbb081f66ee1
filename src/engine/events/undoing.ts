import { type EventOfRun, readRankedValue } from '../../db/leaderboards/readPastValues.ts';
import type { Rows } from '../../db/rows.ts';
import { hasOtherOnDay } from '../../db/users/readCounted.ts';
import { readPeak } from '../../db/users/readUndoable.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { COUNTER_ADDEND, GIVEN_POINTS } from '../../redis/layouts/argumentLayout.ts';
import { COUNTER_PEAK, UNDO } from '../../redis/layouts/lateLayout.ts';
import { toRecord, toRecords } from '../../redis/layouts/recordLayout.ts';
import { ranksGain } from '../../rules/compile/compileLeaderboards.ts';
import type { Achievement, Counter } from '../../rules/config.ts';
import { mayFall } from '../../rules/counterMarks.ts';
import { isComputed } from '../../rules/counting.ts';
import { addendOf } from '../../rules/inForce/counted.ts';
import { isWithinHours } from '../../rules/inForce/lateCalendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import {
  achievementsLost,
  boardsOfUndo,
  countersOf,
  type UndoneBoard,
  type UndoneEvent,
  type UndoScope,
} from '../../rules/inForce/undo.ts';
import { fellIntoPause } from '../../rules/pauses.ts';
import { leastScore, type PastScore, scoreOf } from '../../rules/rankingOrder.ts';
import { EVER, rangeOfRun } from '../../rules/runZones.ts';
import type { ScriptRules } from '../../rules/scriptRules.ts';
import type { Erasures } from '../users/erasures.ts';
import { pastRecords } from '../users/userChangeRecords.ts';

/** An event that an administrator undoes. */
export interface Undoing {
  event: UndoneEvent;
  scope: UndoScope;
  /** Before the event was read: nothing is undone of users who were erased since. */
  erasures: Erasures;
}

/** What an undo changes of a user with this state, beside totals and sums. */
export interface UndoFindings {
  boards: UndoneBoard[];
  /** The scores on leaderboards of best or latest values, without the event. */
  scores: PastScore[];
  /** The highest values of counters without the event, if its points are taken back. */
  peaks: { counter: number; peak: number }[];
  /** What counters with a condition or an aggregate lose, negated. */
  addends: { counter: number; addend: number }[];
  achievements: Achievement[];
}

interface UndoOfUser {
  rules: Rules;
  key: UserKey;
  user: UserState;
  zone: string;
  now: number;
}

/** Finds out from the history what an undo changes. */
export async function findUndone(
  rows: Rows,
  { rules, key, user, zone, now }: UndoOfUser,
  { event, scope }: Pick<Undoing, 'event' | 'scope'>,
): Promise<UndoFindings> {
  const boards = boardsOfUndo(rules, event, scope, zone, now);
  const scores: PastScore[] = [];
  for (const one of boards) {
    const { board } = one;
    if (board.aggregation === 'sum') continue;
    const value = await valueWithout(rows, rules, key, event, one, zone);
    scores.push({ board: board.no, score: value === null ? leastScore(board) : scoreOf(board, value) });
  }
  const peaks = scope.points ? await peaksWithout(rows, rules, key, user, event) : [];
  const peakOf = new Map(peaks.map(({ counter, peak }) => [counter.no, peak]));
  const lost = scope.achievements ? achievementsLost(rules, event, user.achievements, peakOf) : [];
  return {
    boards,
    scores,
    // Within periods, scripts keep no peaks.
    peaks: peaks.flatMap(({ counter, peak }) =>
      (counter.per ?? null) === null ? { counter: counter.no, peak } : [],
    ),
    addends: await readAddends(rows, rules, key, event),
    achievements: lost,
  };
}

async function peaksWithout(
  rows: Rows,
  rules: Rules,
  key: UserKey,
  { counters }: UserState,
  event: UndoneEvent,
): Promise<{ counter: Counter; peak: number }[]> {
  const peaks: { counter: Counter; peak: number }[] = [];
  for (const counter of countersOf(rules, event).filter(mayFall)) {
    const peak = await readPeak(rows, rules, key, {
      metric: event.metric.no,
      counting: counter,
      without: event.id,
      total: counters.get(counter.no) ?? 0,
    });
    peaks.push({ counter, peak });
  }
  return peaks;
}

/** What an undo adds to the counters of which the script does not know what the event has added. */
async function readAddends(
  rows: Rows,
  rules: Rules,
  key: UserKey,
  event: UndoneEvent,
): Promise<UndoFindings['addends']> {
  const addends: UndoFindings['addends'] = [];
  for (const counter of countersOf(rules, event).filter(isComputed)) {
    const added = mayFall(counter) ? addendOf(rules, counter, event)! : 0;
    const { day, id } = event;
    const stays =
      counter.aggregate === 'days' &&
      (await hasOtherOnDay(rows, rules, key, counter, { metric: event.metric.no, day, id }));
    addends.push({ counter: counter.no, addend: stays ? 0 : -added });
  }
  return addends;
}

/** The best or latest value of a user in a run without an event; null if there is none. */
async function valueWithout(
  rows: Rows,
  rules: Rules,
  key: UserKey,
  { id, metric, begun }: UndoneEvent,
  { board, run }: UndoneBoard,
  zone: string,
): Promise<number | null> {
  const ofRun: EventOfRun = {
    metric: metric.no,
    // A leaderboard that counts everything is filled with what happened before.
    ...(ranksGain(board)
      ? {
          from: begun.get(board.id) ?? 0,
          range: rangeOfRun(board, rules.config.settings.defaultTimeZone, run),
        }
      : { from: 0, range: EVER }),
    without: id,
  };
  return readRankedValue(
    rows,
    rules,
    key,
    board,
    ofRun,
    (at, arrivedAt) => isWithinHours(board, { zone }, at) && !fellIntoPause(board, at, arrivedAt),
  );
}

/** Rules of the event that undoes another one. */
export const rulesOfUndo = (rules: Rules, { event, scope }: Undoing): ScriptRules => {
  const systems = rules.config.pointsSystems.filter(({ no }) => scope.points && event.points.has(no));
  const { metric, day, arrivedAt } = event;
  return rules.scriptRules({ kind: 'undo', metric, systems, day, arrivedAt });
};

/** The UNDO record. Without findings, the script asks for them. */
export function undoRecord(cell: number, undoing: Undoing, findings: UndoFindings | null) {
  const { event, scope, erasures } = undoing;
  const points = Array.from(event.points, ([system, amount]) => ({ system, amount: -amount }));
  return toRecord(UNDO, {
    erasures: erasures.get(cell) ?? '0',
    scores: pastRecords(findings?.scores ?? []),
    points: scope.points ? toRecords(GIVEN_POINTS, points) : [],
    peaks: toRecords(COUNTER_PEAK, findings?.peaks ?? []),
    addends: toRecords(COUNTER_ADDEND, findings?.addends ?? []),
    achievements: (findings?.achievements ?? []).map(({ no }) => no),
  });
}
