import type { Leaderboard } from '../../../../src/rules/config.ts';
import { addDays, dateOf, dateOfRuns } from '../../../support/modelCalendar.ts';
import type { RankedPlace } from '../../../support/modelRankings.ts';
import { Excused, type Expected } from '../../difference.ts';
import type { LoggedMove } from '../../worldLog.ts';
import { listedRun } from '../reads.ts';
import {
  datesOf,
  type FigureRead,
  type Figures,
  homeDate,
  INTERVALS,
  type Period,
  Range,
  round,
} from './range.ts';

const RANKS = 'ranks are those after a call of a script, and of spread users up to a second old';
const MOVES = 'analytics.slow; changes of ranks are counted by day';
const EPOCH = dateOf('1970-01-01');

/** Participants of leaderboards, changes of their ranks, and the health of the present rankings. */
export const leaderboardReads = (figures: Figures): FigureRead[] =>
  figures.model.config.leaderboards
    .filter(({ status }) => status !== 'inactive')
    .flatMap((board) => INTERVALS.map((interval) => boardRead(figures, board, new Range(figures, interval))));

function boardRead(figures: Figures, board: Leaderboard, range: Range): FigureRead {
  const { everybody } = figures.log;
  const movesOfUsers = everybody.map(({ moves }) => moves.filter((one) => isPlaceOn(board, one)));
  const areParticipantsKnown =
    !figures.isSpread &&
    everybody.every(({ movedTogether }) => !movedTogether.has(board.no)) &&
    movesOfUsers.flat().every((move) => move.call !== 'past' || staysIn(move, everybody.length));
  const periods = range.periods.map((period) => ({
    ...datesOf(period),
    ...(areParticipantsKnown ? movesIn(range, period, movesOfUsers) : NOT_KNOWN),
  }));
  const places = placesOf(figures, board);
  const body = {
    ...range.fields,
    periods,
    ranked: places?.length ?? null,
    health: places && healthOf(places),
    scores: places?.length ?? 0,
  };
  return {
    path: `leaderboards/${board.key}?${range.query}`,
    body,
    // The users of all ranges, whose bounds the analytics choose.
    arrange: (found: { scores: unknown }) => {
      found.scores = (found.scores as { users: number }[]).reduce((sum, { users }) => sum + users, 0);
    },
  };
}

const ANY_COUNT = new Excused('number', RANKS);
const RANKS_NOT_KNOWN = { entered: ANY_COUNT, left: ANY_COUNT, up: ANY_COUNT, down: ANY_COUNT };
const NOT_KNOWN = { participants: ANY_COUNT, ...RANKS_NOT_KNOWN };

/** Whether a move leaves the user on a leaderboard that had room for so many users. */
const staysIn = ({ change, places }: LoggedMove, users: number): boolean =>
  change.rank !== null && users <= places;

const isPlaceOn = ({ no }: Leaderboard, { change }: LoggedMove): boolean =>
  change.board === no && (change.rank !== null || change.previousRank !== null);

function movesIn(range: Range, period: Period, ofUsers: readonly (readonly LoggedMove[])[]) {
  const all = ofUsers.flat();
  // Imports of users are no activity.
  const counted = all.filter(({ call }) => call !== 'importUser');
  const inPeriod = range.in(period, counted);
  const moves = inPeriod.map(({ change }) => change);
  const count = (isCounted: (before: number, after: number) => boolean): number =>
    moves.filter(({ rank, previousRank }) => isCounted(previousRank ?? Infinity, rank ?? Infinity)).length;
  // A user takes part once on each day of the user's own, in each group of each run.
  const days = ofUsers.flatMap((own) => {
    const ofDays = own.filter(({ day }) => {
      const date = addDays(EPOCH, day);
      return date >= period.start && date <= period.end;
    });
    return [...new Set(ofDays.map(({ day, change }) => `${day} ${change.run} ${change.group}`))];
  });
  const participants = round(days.length / range.begun(period), 2);
  if (all.some(({ call }) => call === 'past')) return { participants, ...RANKS_NOT_KNOWN };
  return {
    participants,
    entered: count((before, after) => before === Infinity && after < before),
    left: count((before, after) => after === Infinity && before < after),
    up: count((before, after) => before !== Infinity && after < before),
    down: count((before, after) => after !== Infinity && after > before),
  };
}

/** The present ranking; null if there are several. */
function placesOf({ model, now }: Figures, board: Leaderboard): readonly RankedPlace[] | null {
  if (board.league !== null || board.breakdownAttributes.length > 0) return null;
  // Of a leaderboard that is over, too.
  const { start } = listedRun(
    { ...board, status: 'active' },
    dateOfRuns(board, homeDate(model.config, now), now),
  );
  const name = `${board.no}:${Math.round(start.diff(EPOCH, 'days').days)}:`;
  return model.rankings.final.get(name) ?? model.rankings.rankedPlaces(name, board);
}

function healthOf(places: readonly RankedPlace[]): Expected {
  const gaps = places.flatMap(({ rank, value }) => {
    const better = places.filter((one) => one.rank < rank);
    const next = better.filter((one) => one.rank === better.at(-1)!.rank)[0];
    return next === undefined ? [] : [round(Math.abs(value - next.value), 6)];
  });
  const sorted = gaps.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(gaps.length / 2) - 1], sorted[Math.floor(gaps.length / 2)]];
  const moved = new Excused('any', MOVES);
  return {
    ...{ moved, movedRate: moved, entered: moved, topGap: gaps[0] ?? null },
    medianGap: low === undefined ? null : round((low + high!) / 2, 6),
  };
}
