import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery } from '../../db/deliveries/webhookAttempts.ts';
import type { LeagueFacts } from '../../engine/leaderboards/leagueWebhooks.ts';
import type { RankingStores } from '../../engine/leaderboards/readRanking.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { dateOfDay, runHolding } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { tierName } from '../../rules/leagueTiers.ts';
import type { Rules } from '../../rules/rules.ts';
import { boardView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';

/** The body of a delivery about a changed tier; null if the user has been erased. */
export async function renderLeague(
  { redis, cells }: Pick<RankingStores, 'redis' | 'cells'>,
  rules: Rules,
  board: Leaderboard,
  { userId, type, facts }: PendingWebhookDelivery,
): Promise<string | null> {
  const { run, from, to, rank } = facts as LeagueFacts;
  const user = await readUserState(redis, cells, { tenant: rules.tenant, userId: userId! });
  if (user === null || board.league === null) return null;
  const body: WebhookBody<'leaderboard.league_changed'> = {
    user: userView(rules, userId!, user),
    leaderboard: boardView(rules, board, runHolding(board, run), run),
    from: tierName(board.league, from),
    to: tierName(board.league, to),
    run: dateOfDay(run),
    rank,
  };
  return JSON.stringify({ type, ...body });
}
