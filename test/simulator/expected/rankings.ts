import { parseGroup } from '../../../src/redis/decoding/outcome.ts';
import type { Config, Leaderboard } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import { dateOf, type LocalDate, runEnd } from '../../support/modelCalendar.ts';
import type { RankedPlace } from '../../support/modelRankings.ts';
import type { Expected } from '../difference.ts';
import { boardOf, tierOf } from './entities.ts';
import type { Read } from './reads.ts';

/** Final runs of a leaderboard that are read, the latest ones. */
const FINAL_RUNS = 3;
const LIMIT = 100;

/** A ranking by its name: the run of a leaderboard, and the group. */
interface Ranking {
  board: Leaderboard;
  start: LocalDate;
  group: string;
  places: readonly RankedPlace[];
}

/** The pages of all rankings of runs that are not final, and of the latest final ones. @param home date of the tenant */
export function rankingReads(model: Model, home: LocalDate): Read[] {
  const { config, rankings } = model;
  const open = rankings.names().map((name) => openRanking(model, name));
  const final = [...rankings.final].map(([name, places]) => ({ ...partsOf(config, name), places }));
  return [...open, ...latestRuns(config, final)].flatMap((ranking) => readOf(model, ranking, home) ?? []);
}

/** The page of a ranking by its name; null if nothing names its group. */
export const rankingRead = (model: Model, name: string, home: LocalDate): Read | null =>
  readOf(model, openRanking(model, name), home);

function openRanking({ config, rankings }: Model, name: string): Ranking {
  const parts = partsOf(config, name);
  return { ...parts, places: rankings.rankedPlaces(name, parts.board) };
}

/** The parts of the name of a ranking. */
export function partsOf({ leaderboards }: Config, name: string): Omit<Ranking, 'places'> {
  const [no, day, ...rest] = name.split(':');
  const board = leaderboards.find((one) => one.no === Number(no))!;
  const start = dateOf('1970-01-01').plus({ days: Number(day) }) as LocalDate;
  return { board, start, group: rest.join(':') };
}

function latestRuns(config: Config, rankings: readonly Ranking[]): Ranking[] {
  return config.leaderboards.flatMap((board) => {
    const ofBoard = rankings.filter((one) => one.board === board);
    const starts = [...new Set(ofBoard.map(({ start }) => +start))].sort((a, b) => b - a);
    return ofBoard.filter(({ start }) => starts.indexOf(+start) < FINAL_RUNS);
  });
}

/** null if nothing names the group: of a league, a present member does. */
function readOf({ config, users }: Model, ranking: Ranking, home: LocalDate): Read | null {
  const { board, start, group, places } = ranking;
  const member = places.find(({ userId }) => users.has(userId))?.userId;
  // What is read begins with the user who names the group.
  const from = board.league === null ? 0 : places.findIndex(({ userId }) => userId === member);
  if (board.league !== null && member === undefined) return null;
  const query = new URLSearchParams({ limit: String(LIMIT), run: start.toISODate() });
  if (board.league !== null) query.set('userId', member!);
  else if (group !== '') query.set('userAttributes', attributesOf(config, board, group));
  const body: Record<string, Expected> = {
    // Of a leaderboard that is over, too.
    ...boardOf(config, board, { start, end: runEnd({ ...board, status: 'active' }, start) }, home),
    ...(board.league !== null && leagueGroupOf(board, group)),
    rankings: places.slice(from, from + LIMIT).map(({ userId, value, rank }) => ({
      userId,
      userName: users.get(userId)?.name || null,
      rank,
      value,
    })),
  };
  return { path: `/v1/leaderboards/${board.key}?${query}`, status: 200, body };
}

/** The values of a group as a query names them. */
function attributesOf(config: Config, board: Leaderboard, group: string): string {
  const values = parseGroup(group);
  const keys = board.breakdownAttributes.map((id) => config.attributes.find((one) => one.id === id)!.key);
  return keys.map((key, i) => `${key}:${values[i]}`).join(',');
}

function leagueGroupOf(board: Leaderboard, group: string): Record<string, Expected> {
  const [tier, number] = parseGroup(group);
  return { tier: tierOf(board, Number(tier)), group: number! };
}
