import { ServiceError } from '../../base/errors.ts';
import type { LeaderboardWinner, ListWinners } from '../../contract/winners.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { readWinners, type WinnerRow } from '../../db/leaderboards/readRuns.ts';
import { dateOfDay, dayOfDate } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { Rules } from '../../rules/rules.ts';
import { breakdownValues } from '../../views/changes.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** GET /admin/v1/leaderboards/{id}/winners?run=&limit=&skip= */
export async function listWinners({
  service,
  rules: { tenant },
  path,
  query: { run, ...page },
}: OperationRequest<typeof ListWinners>): Promise<OperationResponse<typeof ListWinners>> {
  const rules = new Rules(await loadConfig(service.pool, tenant));
  const board = rules.config.leaderboards.find(({ id }) => id === path.id);
  if (board === undefined) throw new ServiceError('notFound', `There is no leaderboard ${path.id}`);
  const start = run === undefined ? null : dayOfDate(run);
  const winners = await readWinners(service.history.final, tenant, board.no, start, page);
  return ok(winners.map((winner) => winnerView(rules, board, winner)));
}

function winnerView(rules: Rules, board: Leaderboard, winner: WinnerRow): LeaderboardWinner {
  const { start, end, finalizedAt, group, rank, userId, userName, value } = winner;
  return {
    run: { start: dateOfDay(start), end: dateOfDay(end), finalized: finalizedAt.toISOString() },
    breakdownAttributeValues: breakdownValues(rules, board, group),
    rank,
    userId,
    userName,
    value,
  };
}
