import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import type { Config, Leaderboard } from '../../src/rules/config.ts';
import { pauseBounds } from '../../src/rules/pauses.ts';
import { type EventOfCall, Model } from './model.ts';
import {
  addDays,
  dateOf,
  dateOfRuns,
  type LocalDate,
  localDate,
  ordinal,
  runEnd,
  runStart,
  startOfDate,
} from './modelCalendar.ts';
import { isWhole } from './modelRankings.ts';

/** Imports of events, by docs/moving-in.md. */

/** A row of the file: an event for each metric. */
export interface PastEvent {
  at: number;
  ofMetrics: readonly EventOfCall[];
}

/** Leaderboards without runs have begun long before all events. */
const LONG_AGO = dateOf('2000-01-01');

/**
 * Gives an unknown user a past. A second model, in which nobody else lives, records each event at its own instant;
 * then the user moves into the model, and onto the rankings of runs that are not over.
 * @param events the oldest first, before `mayImport` says that they are too recent
 * @returns outcomes of each event by metric
 */
export function importPast(
  model: Model,
  userId: string,
  events: readonly PastEvent[],
  now: number,
): Outcome[][] {
  const past = new Model(configOfPast(model.config));
  past.isOfPast = true;
  const changes: Parameters<Model['onChange']>[] = [];
  past.onChange = (...change) => changes.push(change);
  const outcomes = events.map(({ at, ofMetrics }) => past.recordAll([ofMetrics], at)[0]!);
  past.settle(userId, now);
  const user = past.users.get(userId);
  if (user === undefined) return outcomes;
  model.users.set(userId, user);
  const runOf = (board: Leaderboard, run: LocalDate): LocalDate | null => {
    const start = isWhole(board) ? runStart(board, dateOfRuns(board, model.today(user, now), now)) : run;
    const end = start && runEnd(board, start);
    return end && model.finalAt(board, end) <= now ? null : start;
  };
  for (const name of past.rankings.namesWith(userId)) {
    const [no, run, ...group] = name.split(':');
    const board = model.config.leaderboards.find((one) => one.no === Number(no))!;
    const start = runOf(board, addDays(dateOf('1970-01-01'), Number(run)));
    if (start === null) continue;
    const { value } = past.rankings.ranking(name)[0]!;
    model.rankings.enter([no, ordinal('daily', start), ...group].join(':'), userId, value, board);
  }
  for (const [id, place] of user.boards) {
    const board = model.config.leaderboards.find((one) => one.id === id)!;
    const run = runOf(board, place.run);
    if (run === null) user.boards.delete(id);
    else user.boards.set(id, { ...place, run });
  }
  for (const [id, outcome, change] of changes)
    model.onChange(id, inRuns(outcome, model.config, runOf), change);
  return outcomes;
}

/** A change of the past with its places in runs that are not over. */
function inRuns(
  outcome: Outcome,
  { leaderboards }: Config,
  runOf: (board: Leaderboard, run: LocalDate) => LocalDate | null,
): Outcome {
  if (outcome.status !== 'recorded') return outcome;
  const boards = outcome.boards.flatMap((place) => {
    const board = leaderboards.find(({ no }) => no === place.board)!;
    const run = runOf(board, addDays(dateOf('1970-01-01'), place.run));
    return run === null ? [] : { ...place, run: ordinal('daily', run) };
  });
  return { ...outcome, boards };
}

/**
 * Whether the plain model knows what an event of an instant does: it is older than the present runs of leagues, no
 * leaderboard was paused since, and none begins these days, somewhere before elsewhere.
 */
export function mayImport({ leaderboards, settings }: Config, at: number, now: number): boolean {
  const home = settings.defaultTimeZone;
  return leaderboards.every((board) => {
    const days = dateOf(board.start).diff(localDate(home, now), 'days').days;
    if (Math.abs(days) <= 2 || pauseBounds(board).some((bound) => bound >= at)) return false;
    if (board.pauses.at(-1)?.to === null) return false;
    const run = board.league === null ? null : runStart(board, localDate(home, now));
    return run === null || at < startOfDate(home, run);
  });
}

/** As evaluated for the past: challenges give nothing, and nobody joins a league. */
function configOfPast(config: Config): Config {
  return {
    ...config,
    challenges: config.challenges.map((one) => ({ ...one, rewards: null, claim: 'automatic' })),
    leaderboards: config.leaderboards
      .filter(({ league }) => league === null)
      .map((board) => ({ ...board, pauses: [], ...(isWhole(board) && { start: LONG_AGO.toISODate()! }) })),
  };
}
