import { computeLocalTime, isLive, runOf } from './calendar.ts';
import { ranksGain } from './compile/compileLeaderboards.ts';
import type { Leaderboard, Metric } from './config.ts';
import { isWithinHours, leaguesAfter, openRunOf } from './lateCalendar.ts';
import type { Rules } from './rules.ts';

/**
 * An administrator undoes an event by one with the opposite value, which is recorded as of the same instant.
 * The history says so in the origin of the second event.
 */
export interface UndoneEvent {
  id: string;
  /** Ids of leaderboards that began to rank users after the event: they have not counted it. */
  begunLater: readonly string[];
}

/** How origins of events that undo others begin; the id of the undone event follows. */
export const UNDO_ORIGIN = 'undo ';
export const undoOrigin = (eventId: string): string => UNDO_ORIGIN + eventId;
/** The id of the event that is undone by an event with this origin; null if none is. */
export const undoneBy = (origin: string | undefined): string | null =>
  origin?.startsWith(UNDO_ORIGIN) ? origin.slice(UNDO_ORIGIN.length) : null;

/** An event in the history that is to be undone. */
export interface PastEventOfMetric {
  metric: Metric;
  /** Values of event attributes, by number. */
  attributes: ReadonlyMap<number, string>;
  /** ms */
  at: number;
}

const ranks = (board: Leaderboard, metric: Metric): boolean =>
  isLive(board) && board.rankBy === 'metric' && board.metricId === metric.id;

/** A best or latest value stays. A total is that of all events, whenever the leaderboard began. */
const mayFall = (board: Leaderboard, begunLater: readonly string[]): boolean =>
  board.aggregation === 'sum' && (!ranksGain(board) || !begunLater.includes(board.id));

/** Numbers of the leaderboards of a metric whose scores do not fall if an event is undone. */
export const unrankedByUndo = ({ config }: Rules, metric: Metric, { begunLater }: UndoneEvent): number[] =>
  config.leaderboards
    .filter((board) => ranks(board, metric) && !mayFall(board, begunLater))
    .map(({ no }) => no);

/**
 * The leaderboards whose scores fall if an event is undone at `now` (ms), with the first days of the runs.
 * @param zone of the user
 */
export function boardsOfUndo(
  rules: Rules,
  { metric, attributes, at }: PastEventOfMetric,
  { begunLater }: UndoneEvent,
  zone: string,
  now: number,
): { board: Leaderboard; run: number }[] {
  const [then, today] = [computeLocalTime(zone, at), computeLocalTime(zone, now)];
  const over = leaguesAfter(rules, at, now);
  const home = computeLocalTime(rules.config.settings.defaultTimeZone, now);
  const counts = (board: Leaderboard): boolean =>
    ranks(board, metric) &&
    mayFall(board, begunLater) &&
    !over.includes(board.no) &&
    isWithinHours(board, then, at) &&
    board.eventAttributes.every(
      ({ attributeId, attributeValue }) =>
        attributes.get(rules.byId('attributes', attributeId).no) === attributeValue,
    );
  return rules.config.leaderboards.filter(counts).flatMap((board) => {
    const gained = board.league ? runOf(board, home.day) : openRunOf(board, then, now);
    const run = ranksGain(board) ? gained : runOf(board, today.day);
    return run === null ? [] : [{ board, run: run.start }];
  });
}
