import type { Clock } from '../../base/clock.ts';
import { WEBHOOK_FINAL_PLACES_MAX } from '../../base/limits.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import type { LeagueFacts } from '../../engine/leaderboards/leagueRuns.ts';
import {
  type EntryStores,
  type GroupRanking,
  type RankedUser,
  readEntry,
  readRanking,
} from '../../engine/ranks/readRanking.ts';
import type { Subscriptions } from '../../engine/webhooks/subscriptions.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { leagueView, splitGroup } from '../../redis/state/leagueGroups.ts';
import { groupOfUser } from '../../redis/state/rankingEntries.ts';
import { dateOfDay, runHolding } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { tierName } from '../../rules/leagueTiers.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import { breakdownValues } from '../../views/changes.ts';
import { boardView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import type { BoardFacts, RankFacts } from './planWebhooks.ts';
import {
  type AboutUser,
  type PointsDependencies,
  renderPoints,
  renderReminder,
} from './renderUserWebhooks.ts';

const WEBHOOK_PLACES_MAX = 100;

export interface RenderDependencies extends PointsDependencies, EntryStores {
  subscriptions: Subscriptions;
  clock: Clock;
}

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
  const { tenant, type, userId } = delivery;
  const rules = await deps.subscriptions.findOne(tenant);
  if (rules === null) return null;
  if (type in STATUS_OF) return bodyOf(type, await renderRanking(deps, rules, delivery));
  const user = await readUserState(deps.redis, deps.cells, { tenant, userId: userId! });
  if (user === null) return null;
  const about = { rules, delivery, userId: userId!, user };
  if (type === 'points.changed') return renderPoints(deps, about, deps.clock.now());
  if (type === 'emails.streak_reminder_due') return bodyOf(type, await renderReminder(deps, about));
  const board = rules.findByNo('leaderboards', (delivery.facts as BoardFacts).board);
  if (board === null) return null;
  return bodyOf(
    type,
    type === 'leaderboard.rank_changed' ? await renderRank(deps, about, board) : renderLeague(about, board),
  );
}

const bodyOf = (type: string, body: object | null): Rendered | null =>
  body && { body: JSON.stringify({ type, ...body }) };

async function renderRanking(
  deps: RenderDependencies,
  rules: Rules,
  { type, facts }: PendingWebhookDelivery,
): Promise<WebhookBody<'leaderboard.changed'> | null> {
  const shown = facts as BoardFacts;
  const board = rules.findByNo('leaderboards', shown.board);
  if (board === null) return null;
  const page = type === 'leaderboard.finished' ? FINAL_RANKS : FIRST_RANKS;
  return {
    leaderboard: {
      ...boardView(rules, board, runHolding(board, shown.run), shown.run),
      status: STATUS_OF[type as keyof typeof STATUS_OF],
      rankings: await readRanking(deps, rules.tenant, rankingOf(board, shown), page, null),
      ...breakdownView(rules, board, shown.group),
    },
  };
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
  { rules, delivery, userId, user }: AboutUser,
  board: Leaderboard,
): Promise<WebhookBody<'leaderboard.rank_changed'> | null> {
  const shown = delivery.facts as RankFacts;
  const { rank, value } = await readRank(deps, rules, board, { userId, user }, shown);
  if (rank === shown.previousRank) return null;
  return {
    user: userView(rules, userId, user),
    leaderboard: {
      ...boardView(rules, board, runHolding(board, shown.run), shown.run),
      rank,
      value,
      previousRank: shown.previousRank,
      previousValue: shown.previousValue,
      ...breakdownView(rules, board, shown.group),
    },
  };
}

/**
 * The user's present rank; if the user is in another ranking now, the rank and score after the reported
 * change.
 */
async function readRank(
  stores: EntryStores,
  rules: Rules,
  board: Leaderboard,
  ranked: RankedUser,
  shown: RankFacts,
): Promise<{ rank: number | null; value: number | null }> {
  const { user } = ranked;
  const state = user.boards.get(board.no);
  const isElsewhere = state?.ticket !== null && groupOfUser(rules, board, user) !== shown.group;
  if (state?.run !== shown.run || isElsewhere) return { rank: shown.rank, value: shown.value };
  const entry = await readEntry(stores, rules.tenant, rankingOf(board, shown), ranked);
  return { rank: entry?.rank ?? null, value: shownValue(board, state.score) };
}

function renderLeague(
  { rules, delivery, userId, user }: AboutUser,
  board: Leaderboard,
): WebhookBody<'leaderboard.league_changed'> | null {
  const { run, from, to, rank } = delivery.facts as LeagueFacts;
  if (board.league === null) return null;
  return {
    user: userView(rules, userId, user),
    leaderboard: boardView(rules, board, runHolding(board, run), run),
    from: tierName(board.league, from),
    to: tierName(board.league, to),
    run: dateOfDay(run),
    rank,
  };
}
