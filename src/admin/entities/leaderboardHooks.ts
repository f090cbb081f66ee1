import type { Body } from '../../engine/configuration/configDraft.ts';
import { dateOfDay, dayOfDate, statusOn } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { changeLeague, leagueInput } from '../../rules/leagueTiers.ts';
import { isPaused } from '../../rules/pauses.ts';
import { DEFAULT_ORDER } from '../../rules/rankingOrder.ts';
import type { Surroundings } from '../kinds/findEntity.ts';
import type { KindHooks } from '../kinds/kindHooks.ts';

const DAYS_OF_WEEK = 7;

/**
 * The length of a run as it is stored. A week is 7 days from the start of the leaderboard, so answers need no
 * unit that clients of the published API do not know.
 */
function runOf(
  unit: Leaderboard['runUnit'] | 'week',
  interval: number | null,
): Pick<Leaderboard, 'runUnit' | 'runInterval'> {
  if (unit !== 'week') return { runUnit: unit, runInterval: interval };
  return { runUnit: 'day', runInterval: interval === null ? null : interval * DAYS_OF_WEEK };
}

/** The published API makes a board perpetual by `runUnit` null alone. */
function withoutRuns(board: Body<Leaderboard>, given: Partial<Body<Leaderboard>>): Body<Leaderboard> {
  return given.runUnit === null && given.runInterval === undefined ? { ...board, runInterval: null } : board;
}

/** A stored interval counts days, so weeks need one of their own. */
function withWeeks(board: Body<Leaderboard>, given: Partial<Body<Leaderboard>>): Body<Leaderboard> {
  const unit = given.runUnit as Leaderboard['runUnit'] | 'week' | undefined;
  return unit === 'week' ? { ...board, ...runOf(unit, given.runInterval ?? null) } : board;
}

/**
 * A start in the future makes the board scheduled, unless a status is given. An active board is finished by
 * its end: `finished` ends it with today, and is allowed for a new one whose end has passed.
 */
function withStatus(
  board: Body<Leaderboard>,
  given: Partial<Body<Leaderboard>>,
  before: Body<Leaderboard> | null,
  { today }: Surroundings,
): Body<Leaderboard> {
  if (given.status === 'finished') {
    const date = dateOfDay(today);
    const isOver = board.end !== null && board.end < date;
    if (before?.status === 'active') return { ...board, status: 'active', end: isOver ? board.end : date };
    return before === null && isOver ? { ...board, status: 'active' } : board;
  }
  const begins = given.start !== undefined && dayOfDate(board.start) > today;
  return begins && given.status === undefined && (before === null || before.status === 'inactive')
    ? { ...board, status: 'scheduled' }
    : board;
}

/** New settings of a league take effect with the next run. */
function withLeague(
  board: Body<Leaderboard>,
  given: Partial<Body<Leaderboard>>,
  before: Body<Leaderboard> | null,
  { today }: Surroundings,
): Body<Leaderboard> {
  if (given.league === undefined || given.league === null) return board;
  return { ...board, league: changeLeague(leagueInput(given.league), before, today) };
}

/** How scores are ranked goes with what is ranked, unless it was given. */
function withOrder(
  board: Body<Leaderboard>,
  given: Partial<Body<Leaderboard>>,
  before: Body<Leaderboard> | null,
): Body<Leaderboard> {
  if (before === null || board.rankBy === before.rankBy) return board;
  const { aggregation, sortOrder } = DEFAULT_ORDER;
  return { ...board, aggregation, sortOrder, ...given };
}

const STATUSES_IN_TIME: readonly Leaderboard['status'][] = ['scheduled', 'active', 'finished'];

/**
 * True if the stored leaderboard has, by its dates, reached the declared status or a later one. The schedule
 * starts and finishes leaderboards, and applying the same file again must not fail because of that.
 */
function hasComeToPass(
  declared: Leaderboard['status'],
  stored: Leaderboard,
  start: string,
  end: string | null,
  today: string,
): boolean {
  if (declared === 'inactive' || stored.status === 'inactive' || stored.start !== start) return false;
  const stages = [stored.status, statusOn(stored, dayOfDate(today))].map((status) =>
    STATUSES_IN_TIME.indexOf(status),
  );
  const reached = Math.max(...stages);
  return (
    STATUSES_IN_TIME.indexOf(declared) <= reached &&
    (STATUSES_IN_TIME[reached] !== 'finished' || stored.end === end)
  );
}

/** The status by the dates, unless the leaderboard is inactive. */
const shownStatus = (board: Leaderboard, today: number): Leaderboard['status'] =>
  board.status === 'inactive' ? board.status : statusOn(board, today);

export const leaderboardHooks: KindHooks<'leaderboards'> = {
  defaults: ({ today }) => ({ status: 'inactive', start: dateOfDay(today), runEnds: [], pauses: [] }),
  complete: (body, given, before, at) => {
    const board = withWeeks(withOrder(body, given, before), given);
    return withStatus(withLeague(withoutRuns(board, given), given, before, at), given, before, at);
  },
  shown: (board, { today }) => ({
    status: shownStatus(board, today),
    ...(isPaused(board) && { paused: true }),
  }),
  fromFile: (board, item, { stored, date }) => {
    const start = item.start ?? stored?.start ?? date;
    const { end } = board;
    const isNewAndOver = stored === undefined && item.status === 'finished' && end !== null && end < date;
    // An active leaderboard whose end has passed becomes finished by itself.
    const status = isNewAndOver ? 'active' : (item.status ?? (start > date ? 'scheduled' : 'active'));
    return {
      ...board,
      start,
      status: stored && hasComeToPass(status, stored, start, end, date) ? stored.status : status,
      ...runOf(board.runUnit, board.runInterval),
      league: changeLeague(item.league ?? null, stored ?? null, dayOfDate(date)),
      runEnds: stored?.runEnds ?? [],
      pauses: stored?.pauses ?? [],
    };
  },
  toFile: (item, board, today) => ({ ...item, status: shownStatus(board, today) }),
};
