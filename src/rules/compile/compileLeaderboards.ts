import { isLive, secondOfDay } from '../calendar.ts';
import type { ChangeOrigin } from '../changeOrigin.ts';
import type { Leaderboard } from '../config.ts';
import { compileLeague, hasGroups } from '../leagueTiers.ts';
import { isPaused, isPausedForUndo } from '../pauses.ts';
import { isWhole, orderOf } from '../rankingOrder.ts';
import { RANK_BY, type ScriptBoard, type ScriptPointsSystem } from '../scriptRules.ts';
import type { CompileScope } from './compileScope.ts';

/** Best users beyond the last rank, who move up when ranks become free. */
export const LEADERBOARD_RESERVE = 100;

/**
 * The leaderboards on which a change can move the user: by its score, or by the attributes that it sets.
 * @param points the systems whose totals the change may alter
 */
export function compileBoards(scope: CompileScope, points: ScriptPointsSystem[]): ScriptBoard[] {
  const { config, origin, metric } = scope;
  const systemNo = new Map(config.pointsSystems.map(({ id, no }) => [id, no]));
  const attributeNo = new Map(config.attributes.map(({ id, no }) => [id, no]));
  const changedSystems = new Set(points.map(({ no }) => no));

  const mayChangeScore = (board: Leaderboard): boolean => {
    if (board.rankBy === 'streak') return true;
    // Users may return to any leaderboard that is not full.
    if (origin.kind === 'activation') return true;
    if (board.rankBy === 'metric') return board.metricId === metric?.id;
    return changedSystems.has(systemNo.get(board.pointsSystemId!)!);
  };
  const mayChangeGroup = ({ breakdownAttributes }: Leaderboard): boolean =>
    origin.kind !== 'activation' && breakdownAttributes.length > 0;

  const counterOf = (board: Leaderboard): number =>
    board.metricId === metric?.id
      ? scope.useCounter(board.metricId!, board)
      : scope.counterNo(board.metricId!, board);

  return config.leaderboards
    .filter(
      (board) =>
        isLive(board) &&
        !(board.league && isOfTime(origin)) &&
        ((origin.kind === 'visibility' && (origin.board === null || board === origin.board)) ||
          mayChangeScore(board) ||
          mayChangeGroup(board)),
    )
    .map((board) => ({
      no: board.no,
      by: RANK_BY[board.aggregation === 'sum' ? board.rankBy : board.aggregation],
      // The counter of a filter counts in pauses, too.
      of: board.rankBy === 'metric' ? counterOf(board) : (systemNo.get(board.pointsSystemId!) ?? 0),
      gain: ranksGain(board),
      ...((origin.kind === 'undo' ? isPausedForUndo(board) : isPaused(board)) && NOTHING_RANKED),
      order: orderOf(board) ?? false,
      max: board.maxParticipants,
      keep: keptParticipants(board),
      breakdown: hasGroups(board) && board.breakdownAttributes.map((id) => attributeNo.get(id)!),
      window: hasWindow(board) && [
        secondOfDay(board.startTime ?? '00:00'),
        secondOfDay(board.endTime ?? '24:00'),
      ],
      ...(board.league && { league: compileLeague(board.league) }),
    }));
}

/** A paused leaderboard ranks the gains of counter 0. No event raises it, so all scores stay. */
const NOTHING_RANKED = { by: RANK_BY.metric, of: 0, gain: true };

/**
 * What time alone brings does not count in a league: it might count in a run whose first users have been
 * moved to their next tier.
 */
const isOfTime = ({ kind }: ChangeOrigin): boolean => kind === 'time' || kind === 'activation';

/**
 * Members that Redis keeps of a ranking: the ranked users, and a reserve that moves up when ranks become
 * free.
 */
export const keptParticipants = ({ maxParticipants }: Leaderboard): number =>
  maxParticipants + LEADERBOARD_RESERVE;

const hasWindow = ({ startTime, endTime }: Leaderboard): boolean => startTime !== null || endTime !== null;

/** Whether the score is what the user gained in the run, rather than the total. */
export function ranksGain(board: Leaderboard): boolean {
  return board.rankBy !== 'streak' && !isWhole(board);
}
