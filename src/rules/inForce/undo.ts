import { prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import { computeLocalTime, isLive, type Run, runOf } from '../calendar.ts';
import { ranksGain } from '../compile/compileLeaderboards.ts';
import type { Achievement, Counter, Leaderboard, Metric } from '../config.ts';
import { fellIntoPause, isPausedForUndo } from '../pauses.ts';
import { dayOfRuns } from '../runZones.ts';
import { addendOf, type CountedEvent } from './counted.ts';
import { isWithinHours, leaguesAfter, openRunOf } from './lateCalendar.ts';
import type { Rules } from './rules.ts';

/*
 * An administrator undoes an event by one with the opposite value, which is recorded as of the same instant.
 * The history says so in the origin of the second event. docs/analytics.md says what follows.
 */

/** How origins of events that undo others begin; the id of the undone event follows. */
export const UNDO_ORIGIN = 'undo ';
/** How they end if the points of the event are taken back. */
export const WITH_POINTS = ' points';
export const undoOrigin = (eventId: string, { points }: UndoScope): string =>
  UNDO_ORIGIN + eventId + (points ? WITH_POINTS : '');
/** The id of the event that is undone by an event with this origin; null if none is. */
export const undoneBy = (origin: string | undefined): string | null =>
  origin?.startsWith(UNDO_ORIGIN) ? origin.split(' ')[1]! : null;

export interface UndoneEvent extends CountedEvent {
  id: string;
  metric: Metric;
  /** When it happened, and when it was recorded, ms. */
  at: number;
  arrivedAt: number;
  /** Points that its metric triggers gave, by number of the system. */
  points: ReadonlyMap<number, number>;
  /** When leaderboards (by id) last began to rank users, ms: they have not counted what arrived before. */
  begun: ReadonlyMap<string, number>;
}

/** What is taken back with an event, beside its value. */
export interface UndoScope {
  points: boolean;
  achievements: boolean;
}

/** A leaderboard whose score an undo may change, and the run. */
export interface UndoneBoard {
  board: Leaderboard;
  run: Run;
}

/** Whether a leaderboard ranks by the metric of an event or by points that are taken back with it. */
const ranks = (
  rules: Rules,
  board: Leaderboard,
  { metric, points }: UndoneEvent,
  scope: UndoScope,
): boolean => {
  if (!isLive(board)) return false;
  if (board.rankBy === 'metric') return board.metricId === metric.id;
  if (board.rankBy !== 'points' || !scope.points) return false;
  return points.has(rules.byId('pointsSystems', board.pointsSystemId!).no);
};

/** The counters that an event has raised. */
export const countersOf = (rules: Rules, event: UndoneEvent): Counter[] =>
  rules.config.counters.filter(
    (counter) => counter.metricId === event.metric.id && addendOf(rules, counter, event) !== null,
  );

/**
 * The leaderboards whose scores may change if an event is undone at `now` (ms), with their runs.
 * @param zone of the user
 */
export function boardsOfUndo(
  rules: Rules,
  event: UndoneEvent,
  scope: UndoScope,
  zone: string,
  now: number,
): UndoneBoard[] {
  const { at, arrivedAt, begun } = event;
  const [then, today] = [computeLocalTime(zone, at), computeLocalTime(zone, now)];
  const over = leaguesAfter(rules, at, now);
  const counts = (board: Leaderboard): boolean =>
    ranks(rules, board, event, scope) &&
    // A total is that of all events, whenever the leaderboard began.
    (!ranksGain(board) || (begun.get(board.id) ?? 0) <= arrivedAt) &&
    !over.includes(board.no) &&
    !isPausedForUndo(board) &&
    !fellIntoPause(board, at, arrivedAt) &&
    isWithinHours(board, then, at) &&
    // What ranks points counts all events.
    addendOf(rules, board, event) !== null;
  return rules.config.leaderboards.filter(counts).flatMap((board) => {
    const gained = ranksGain(board) && board.league === null;
    const run = gained
      ? openRunOf(rules, board, then, at, now)
      : runOf(board, dayOfRuns(board, rules.config.settings.defaultTimeZone, today, now));
    return run === null ? [] : [{ board, run }];
  });
}

/** Numbers of the leaderboards that the undo does not touch, although they rank by what it takes back. */
export function boardsBesideUndo(
  rules: Rules,
  event: UndoneEvent,
  scope: UndoScope,
  touched: readonly UndoneBoard[],
): number[] {
  const isTouched = new Set(touched.map(({ board }) => board));
  return rules.config.leaderboards
    .filter((board) => ranks(rules, board, event, scope) && !isTouched.has(board))
    .map(({ no }) => no);
}

/**
 * Achievements that a user has completed and that no longer hold without an event: those of totals that have
 * then never been reached, and those that require them.
 * @param completed numbers of the user's achievements
 * @param peaks the highest values of the counters without the event
 */
export function achievementsLost(
  rules: Rules,
  { metric }: UndoneEvent,
  completed: ReadonlyMap<number, unknown>,
  peaks: ReadonlyMap<number, number>,
): Achievement[] {
  const held = rules.config.achievements.filter(({ no, status }) => status === 'active' && completed.has(no));
  const isLost = (achievement: Achievement): boolean => {
    const { trigger, metricId, metricValue } = achievement;
    if (trigger !== 'metric' || metricId !== metric.id) return false;
    return (peaks.get(rules.counterOf(metric.id, achievement).no) ?? Infinity) < metricValue!;
  };
  const lost = new Set(held.filter(isLost));
  const chained = held.filter(({ trigger }) => trigger === 'achievement');
  for (let before = -1; before !== lost.size; ) {
    before = lost.size;
    const kept = new Set(held.filter((one) => !lost.has(one)).map(({ id }) => id));
    for (const one of chained) {
      const { ids, needed } = prerequisitesOf(one);
      if (ids.filter((id) => kept.has(id)).length < needed) lost.add(one);
    }
  }
  return [...lost];
}
