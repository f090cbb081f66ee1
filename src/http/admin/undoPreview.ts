import { decimalSum } from '../../base/numbers.ts';
import type { EventUndo } from '../../contract/eventUndo.ts';
import { findUndone } from '../../engine/events/undoing.ts';
import { previewRank } from '../../engine/ranks/previewRank.ts';
import type { RankedUser } from '../../engine/ranks/readRanking.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { ranksGain } from '../../rules/compile/compileLeaderboards.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { addendOf } from '../../rules/inForce/counted.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { UndoneBoard, UndoneEvent, UndoScope } from '../../rules/inForce/undo.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import { namedView } from '../history/timelineView.ts';
import type { Service } from '../request/service.ts';
import { undoneChallenges } from './undoneChallenges.ts';

type UndoEffect = Pick<EventUndo, 'leaderboards' | 'points' | 'achievements' | 'challenges'>;

export const NO_EFFECT: UndoEffect = { leaderboards: [], points: [], achievements: [], challenges: [] };

const EVERYTHING: UndoScope = { points: true, achievements: true };

/** What undoing an event would change at `now` (ms), with everything that can be taken back. */
export async function previewUndo(
  service: Service,
  rules: Rules,
  ranked: RankedUser,
  event: UndoneEvent,
  now: number,
): Promise<UndoEffect> {
  const { userId, user } = ranked;
  const ofUser = {
    rules,
    key: { tenant: rules.tenant, userId },
    user,
    zone: user.tz ?? rules.config.settings.defaultTimeZone,
    now,
  };
  const undoing = { event, scope: EVERYTHING };
  const found = await service.history.readUser(ofUser.key, (rows) => findUndone(rows, ofUser, undoing));
  const corrected = new Map(found.scores.map(({ board, score }) => [board, score]));
  const leaderboards: UndoEffect['leaderboards'] = [];
  // One after the other, so that events come between the reads.
  for (const one of found.boards) {
    const { board, run } = one;
    const ranks = await previewRank(service, rules, one, ranked, (score) =>
      scoreAfter(rules, event, one, corrected, score),
    );
    if (ranks.now.score === ranks.after.score) continue;
    leaderboards.push({
      leaderboard: namedView(rules, 'leaderboards', board.no),
      run: dateOfDay(run.start),
      isTotal: !ranksGain(board),
      needsPoints: board.rankBy === 'points',
      value: shownValue(board, ranks.now.score),
      valueAfter: shownValue(board, ranks.after.score),
      rank: ranks.now.rank,
      rankAfter: ranks.after.rank,
    });
  }
  return {
    leaderboards,
    points: Array.from(event.points, ([system, awarded]) => ({
      pointsSystem: namedView(rules, 'pointsSystems', system),
      awarded,
      total: user.points.get(system) ?? 0,
    })),
    achievements: found.achievements.map(({ no }) => namedView(rules, 'achievements', no)),
    challenges: undoneChallenges(rules, ranked, event, found),
  };
}

function scoreAfter(
  rules: Rules,
  event: UndoneEvent,
  { board }: UndoneBoard,
  corrected: ReadonlyMap<number, number>,
  score: number,
): number {
  if (board.aggregation !== 'sum') return corrected.get(board.no) ?? score;
  const amount =
    board.rankBy === 'points'
      ? (event.points.get(systemOf(rules, board)) ?? 0)
      : (addendOf(rules, board, event) ?? 0);
  return decimalSum(score, -amount);
}

const systemOf = (rules: Rules, { pointsSystemId }: Leaderboard): number =>
  rules.byId('pointsSystems', pointsSystemId!).no;
