import { LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import { Leaderboards } from '../../contract/adminLeaderboards.ts';
import type { LeagueInput } from '../../contract/leagues.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import { dateOfDay, dayOfDate, statusOn } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { changeLeague, leagueInput } from '../../rules/leagueTiers.ts';
import { isPaused } from '../../rules/pauses.ts';
import { DEFAULT_ORDER, givenOrder } from '../../rules/rankingOrder.ts';
import type { EntityForm, Surroundings } from './entityForm.ts';
import { clearOnChoice, filters, present } from './formFields.ts';
import { readRewards, rewardView } from './rewardRules.ts';
import { runOf } from './weeks.ts';

const LEADERBOARD_CHOICE = {
  metricId: null,
  pointsSystemId: null,
  aggregation: DEFAULT_ORDER.aggregation,
  sortOrder: DEFAULT_ORDER.sortOrder,
  eventAttributes: [],
  runUnit: null,
  runInterval: null,
};

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

/** A user attribute is named by its id or its key. What names none stays as it is, and is refused later. */
function readBreakdown(value: string[] | null, { config }: Surroundings) {
  const ofUsers = config.attributes.filter(({ type }) => type === 'user');
  const idOf = (name: string): string =>
    (ofUsers.find(({ id }) => id === name) ?? ofUsers.find(({ key }) => key === name))?.id ?? name;
  return { breakdownAttributes: (value ?? []).map(idOf) };
}

export const leaderboardForm: EntityForm<'leaderboards'> = {
  kind: 'leaderboards',
  schemas: Leaderboards,
  defaults: ({ today }) => ({
    ...LEADERBOARD_CHOICE,
    ties: DEFAULT_ORDER.ties,
    description: null,
    status: 'inactive',
    maxParticipants: LEADERBOARD_PARTICIPANTS_MAX,
    start: dateOfDay(today),
    end: null,
    startTime: null,
    endTime: null,
    timeZone: null,
    breakdownAttributes: [],
    rewards: [],
    league: null,
    runEnds: [],
    pauses: [],
  }),
  read: {
    eventAttributes: filters.eventAttributes,
    breakdownAttributes: readBreakdown,
    rewards: readRewards,
    league: (value: LeagueInput | null) => ({ league: changeLeague(value, null, 0) }),
  },
  complete: (body, given, before, at) => {
    const chosen = clearOnChoice<Body<Leaderboard>>('rankBy', LEADERBOARD_CHOICE)(body, given, before);
    const board = withWeeks(chosen, given);
    return withStatus(withLeague(withoutRuns(board, given), given, before, at), given, before, at);
  },
  view: (board, { today }) => {
    const { id, name, key, rankBy, maxParticipants, start, breakdownAttributes, eventAttributes } = board;
    const { rewards } = board;
    const status = board.status === 'inactive' ? board.status : statusOn(board, today);
    const { description, metricId, pointsSystemId, end, startTime, endTime, timeZone } = board;
    const { runUnit, runInterval } = board;
    return {
      id,
      name,
      key,
      status,
      rankBy,
      maxParticipants,
      start,
      breakdownAttributes,
      ...givenOrder(board),
      ...(board.league && { league: leagueInput(board.league) }),
      ...(eventAttributes.length > 0 && { eventAttributes }),
      ...(rewards.length > 0 && { rewards: rewards.map(rewardView) }),
      ...(isPaused(board) && { paused: true }),
      ...present({
        description,
        metricId,
        pointsSystemId,
        end,
        startTime,
        endTime,
        timeZone,
        runUnit,
        runInterval,
      }),
    };
  },
};
