import { LEADERBOARD_MOVES_DAYS } from '../../base/consoleLimits.ts';
import { LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { GetLeaderboardAnalytics } from '../../contract/progressAnalytics.ts';
import { readCounts } from '../../db/analytics/readAnalytics.ts';
import { readRecentMoves } from '../../db/leaderboards/readRuns.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { hasGroups } from '../../rules/leagueTiers.ts';
import { gapsOf, medianOf } from '../../rules/rankGaps.ts';
import { dayOfReader, findBoard, findRun, getRankings } from '../leaderboards/leaderboardHandlers.ts';
import { type Caller, endpoint, ok, type Unwritten } from '../request/endpoint.ts';
import { type AnalyticsRange, periodView, rangeView, rateOf, readRange, rounded } from './range.ts';

export const getLeaderboardAnalytics = endpoint(GetLeaderboardAnalytics, async (call) => {
  const { service, rules, path, query } = call;
  const board = findBoard(rules, path.key);
  const range = readRange(call, query);
  const found = await service.history.read(rules.tenant, (rows) =>
    readCounts(rows, rules.tenant, ['participants', 'rankChanges'], range, 'both', board.no),
  );
  const periods = range.periods.map((period) => {
    const own = found.filter(({ start }) => start === period.start);
    const countOf = (detail: string, kind = 'rankChanges'): number =>
      own.reduce((all, row) => (row.kind === kind && row.detail === detail ? all + row.count : all), 0);
    const days = Math.max(1, Math.min(period.end, range.today) - period.start + 1);
    return {
      ...periodView(period),
      participants: rounded(countOf('', 'participants') / days, 2),
      entered: countOf('entered'),
      left: countOf('left'),
      up: countOf('up'),
      down: countOf('down'),
    };
  });
  const { userAttributes } = query;
  const isNamed = !hasGroups(board) || userAttributes !== undefined;
  const all = {
    offset: 0,
    limit: LEADERBOARD_PARTICIPANTS_MAX,
    ...(userAttributes !== undefined && { userAttributes }),
  };
  const rankings = isNamed ? (await getRankings({ ...call, query: all })).body.rankings : null;
  return ok({
    ...rangeView(range),
    periods,
    ranked: rankings?.length ?? null,
    health: rankings && (await healthOf(call, board, range, rankings)),
    scores: scoresOf(rankings?.map(({ value }) => value) ?? []),
  });
});

type Health = NonNullable<ResponseOf<typeof GetLeaderboardAnalytics>['health']>;

/** How much moves in the ranking of a run, and how near the next rank is. */
async function healthOf(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  board: Leaderboard,
  { today }: Pick<AnalyticsRange, 'today'>,
  rankings: readonly Unwritten<LeaderboardRanking>[],
): Promise<Health> {
  const since = today - LEADERBOARD_MOVES_DAYS + 1;
  const { start } = findRun(board, undefined, dayOfReader(rules, board, null, service.clock.now()));
  const run = { leaderboard: board.no, start };
  const { moved, entered } = await service.history.read(rules.tenant, (rows) =>
    readRecentMoves(
      rows,
      rules.tenant,
      run,
      rankings.map(({ userId }) => String(userId)),
      since,
    ),
  );
  const gaps = gapsOf(rankings);
  return {
    moved,
    movedRate: rateOf(moved, rankings.length),
    entered,
    topGap: gaps[0] ?? null,
    medianGap: medianOf(gaps),
  };
}

const SCORE_RANGES_MAX = 10;

/** Up to ten equal ranges from the lowest to the highest score; whole scores have ranges of whole scores. */
function scoresOf(values: number[]) {
  if (values.length === 0) return [];
  const [highest, lowest] = [Math.max(...values), Math.min(...values)];
  const step = values.every(Number.isInteger) ? 1 : 0;
  const share = (highest - lowest + step) / SCORE_RANGES_MAX;
  const width = step === 1 ? Math.ceil(share) : share;
  if (width === 0) return [{ from: lowest, to: highest, users: values.length }];
  const count = step === 1 ? Math.ceil((highest - lowest + 1) / width) : SCORE_RANGES_MAX;
  const ranges = Array.from({ length: count }, (_, i) => ({
    from: lowest + i * width,
    to: lowest + (i + 1) * width - step,
    users: 0,
  }));
  for (const value of values) ranges[Math.min(count - 1, Math.floor((value - lowest) / width))]!.users++;
  return ranges;
}
