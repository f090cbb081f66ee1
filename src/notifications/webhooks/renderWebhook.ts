import type { Clock } from '../../base/clock.ts';
import { WEBHOOK_FINAL_PLACES_MAX, WEBHOOK_PLACES_MAX } from '../../base/limits.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import {
  type GroupRanking,
  type RankedUser,
  type RankingStores,
  readRanking,
} from '../../engine/leaderboards/readRanking.ts';
import type { Subscriptions } from '../../engine/webhooks/subscriptions.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { leagueView, splitGroup } from '../../redis/state/leagueGroups.ts';
import { groupOfUser } from '../../redis/state/rankingEntries.ts';
import { runHolding } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import { breakdownValues } from '../../views/changes.ts';
import { boardView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import type { BoardFacts, PointsFacts, RankFacts } from './planWebhooks.ts';
import { renderLeague } from './renderLeague.ts';
import { type PointsDependencies, renderPoints } from './renderPoints.ts';
import { renderReminder } from './renderReminder.ts';

export interface RenderDependencies extends PointsDependencies, RankingStores {
  subscriptions: Subscriptions;
  clock: Clock;
}

/** The entries that a body shows. */
const FIRST_RANKS = { offset: 0, limit: WEBHOOK_PLACES_MAX };
const FINAL_RANKS = { offset: 0, limit: WEBHOOK_FINAL_PLACES_MAX };

const STATUS_OF = {
  'leaderboard.started': 'active',
  'leaderboard.changed': 'active',
  'leaderboard.finished': 'finished',
} as const;

/**
 * Renders the body of a delivery about points, a leaderboard or a streak from the present state; null if
 * there is nothing left to report.
 */
export async function renderWebhook(
  deps: RenderDependencies,
  delivery: PendingWebhookDelivery,
): Promise<Rendered | null> {
  const { tenant, type, facts } = delivery;
  const rules = await deps.subscriptions.findOne(tenant);
  if (rules === null) return null;
  if (type === 'points.changed') {
    return renderPoints(deps, rules, delivery, facts as PointsFacts, deps.clock.now());
  }
  const body = await (type === 'emails.streak_reminder_due'
    ? renderReminder(deps, rules, delivery)
    : renderBoard(deps, rules, delivery));
  return body === null ? null : { body };
}

async function renderBoard(
  deps: RenderDependencies,
  rules: Rules,
  delivery: PendingWebhookDelivery,
): Promise<string | null> {
  const { type, facts } = delivery;
  const board = rules.findByNo('leaderboards', (facts as BoardFacts).board);
  if (board === null) return null;
  if (type === 'leaderboard.rank_changed') return renderRank(deps, rules, board, delivery);
  if (type === 'leaderboard.league_changed') return renderLeague(deps, rules, board, delivery);
  const shown = facts as BoardFacts;
  const page = type === 'leaderboard.finished' ? FINAL_RANKS : FIRST_RANKS;
  const leaderboard: WebhookBody<'leaderboard.changed'>['leaderboard'] = {
    ...boardView(rules, board, runHolding(board, shown.run), shown.run),
    status: STATUS_OF[type as keyof typeof STATUS_OF],
    rankings: await readRanking(deps, rules.tenant, rankingOf(board, shown), page, null),
    ...breakdownView(rules, board, shown.group),
  };
  return JSON.stringify({ type, leaderboard });
}

/** The breakdown attributes of a ranking, in the form of responses to events. */
function breakdownView(rules: Rules, board: Leaderboard, group: string) {
  if (group === '') return {};
  const values = breakdownValues(rules, board, group);
  return {
    ...(values.length > 0 && {
      breakdownAttributeValue: values[0]!.value,
      breakdownAttributeValues: values,
    }),
    ...leagueView(board, splitGroup(board, group)),
  };
}

/** The ranking that a delivery is about. Its run may be final by now. */
function rankingOf(board: Leaderboard, { run, group }: BoardFacts): GroupRanking {
  return { board, start: run, group, isOver: true };
}

async function renderRank(
  deps: RenderDependencies,
  rules: Rules,
  board: Leaderboard,
  { userId, type, facts }: PendingWebhookDelivery,
): Promise<string | null> {
  const shown = facts as RankFacts;
  const user = await readUserState(deps.redis, deps.cells, { tenant: rules.tenant, userId: userId! });
  if (user === null) return null;
  const { rank, value } = await readRank(deps, rules, board, { userId: userId!, user }, shown);
  if (rank === shown.previousRank) return null;
  const leaderboard: WebhookBody<'leaderboard.rank_changed'>['leaderboard'] = {
    ...boardView(rules, board, runHolding(board, shown.run), shown.run),
    rank,
    value,
    previousRank: shown.previousRank,
    previousValue: shown.previousValue,
    ...breakdownView(rules, board, shown.group),
  };
  return JSON.stringify({ type, user: userView(rules, userId!, user), leaderboard });
}

/**
 * The user's present rank; if the user is in another ranking now, the rank and score after the reported
 * change.
 */
async function readRank(
  stores: RankingStores,
  rules: Rules,
  board: Leaderboard,
  ranked: RankedUser,
  shown: RankFacts,
): Promise<{ rank: number | null; value: number | null }> {
  const { user } = ranked;
  const state = user.boards.get(board.no);
  const isElsewhere = state?.ticket !== null && groupOfUser(rules, board, user) !== shown.group;
  if (state?.run !== shown.run || isElsewhere) return { rank: shown.rank, value: shown.value };
  const page = { offset: 0, limit: 1 };
  const [entry] = await readRanking(stores, rules.tenant, rankingOf(board, shown), page, ranked);
  return { rank: entry?.rank ?? null, value: shownValue(board, state.score) };
}
