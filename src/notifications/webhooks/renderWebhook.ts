import { cellOf } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { WEBHOOK_PLACES_MAX } from '../../base/limits.ts';
import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import { readRunPage } from '../../db/leaderboards/readRuns.ts';
import type { Subscriptions } from '../../engine/webhooks/subscriptions.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import { readUserNames } from '../../redis/state/userNames.ts';
import { decodeUserState, type UserState } from '../../redis/state/userState.ts';
import { runHolding } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { breakdownValues } from '../../views/changes.ts';
import { boardView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import type { BoardFacts, PointsFacts, RankFacts } from './planWebhooks.ts';
import { type PointsDependencies, renderPoints } from './renderPoints.ts';
import { renderReminder } from './renderReminder.ts';

export interface RenderDependencies extends PointsDependencies {
  scripts: Scripts;
  subscriptions: Subscriptions;
  clock: Clock;
}

const STATUS_OF = {
  'leaderboard.started': 'active',
  'leaderboard.changed': 'active',
  'leaderboard.finished': 'finished',
} as const;

/** Renders the body of a delivery about points, a leaderboard or a streak from the present state; null if there is nothing left to report. */
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
  const shown = facts as BoardFacts;
  const leaderboard: WebhookBody<'leaderboard.changed'>['leaderboard'] = {
    ...boardView(rules, board, runHolding(board, shown.run), shown.run),
    status: STATUS_OF[type as keyof typeof STATUS_OF],
    rankings: await readEntries(deps, rules, shown),
    ...breakdownView(rules, board, shown.group),
  };
  return JSON.stringify({ type, leaderboard });
}

/** The breakdown attributes of a ranking, in the form of responses to events. */
function breakdownView(rules: Rules, { breakdownAttributes }: Leaderboard, group: string) {
  if (breakdownAttributes.length === 0 || group === '') return {};
  const values = breakdownValues(rules, breakdownAttributes, group);
  return { breakdownAttributeValue: values[0]!.value, breakdownAttributeValues: values };
}

/** The first entries of a ranking: from Redis until the run is final, then from PostgreSQL. */
async function readEntries(
  { pool, redis, scripts, cells }: RenderDependencies,
  rules: Rules,
  { board, run, group }: BoardFacts,
): Promise<LeaderboardRanking[]> {
  const { tenant } = rules;
  const page = { offset: 0, limit: WEBHOOK_PLACES_MAX };
  const standing = await scripts.readLeaderboard(tenant, keys.board(tenant, cellOf(tenant, cells), board, run, group), {
    ...page,
    member: '',
    maxParticipants: rules.byNo('leaderboards', board).maxParticipants,
  });
  if (standing !== null) {
    return standing.entries.map(({ userId, userName, score }, i) => ({ userId, userName, rank: i + 1, value: score }));
  }
  const final = await readRunPage(
    async (statement, values) => (await pool.query({ ...statement, values })).rows,
    tenant,
    { leaderboard: board, start: run },
    group,
    { ...page, userId: null },
  );
  const userIds = final.map(({ userId }) => userId);
  const names = await readUserNames(redis, tenant, cells, userIds);
  return final.map(({ userId, rank, value }, i) => ({ userId, userName: names[i] ?? null, rank, value }));
}

async function renderRank(
  deps: RenderDependencies,
  rules: Rules,
  board: Leaderboard,
  { userId, type, facts }: PendingWebhookDelivery,
): Promise<string | null> {
  const { redis, cells } = deps;
  const shown = facts as RankFacts;
  const [hot, cold] = await redis.hmgetBuffer(keys.user(rules.tenant, cellOf(rules.tenant, cells), userId!), 'h', 'c');
  if (!hot || !cold) return null;
  const user = decodeUserState(hot, cold);
  const { rank, value } = await readRank({ redis, cells }, rules, board, userId!, user, shown);
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

/** The user's present rank; if the user is in another ranking now, the rank and score after the reported change. */
async function readRank(
  { redis, cells }: Pick<RenderDependencies, 'redis' | 'cells'>,
  rules: Rules,
  board: Leaderboard,
  userId: string,
  user: UserState,
  { run, group, rank, value }: RankFacts,
): Promise<{ rank: number | null; value: number }> {
  const state = user.boards.get(board.no);
  const entry = rankingEntryOf(rules, cells, board, run, userId, user);
  if (entry === null)
    return state?.run === run && state.ticket === null ? { rank: null, value: state.score } : { rank, value };
  if (entry.key !== keys.board(rules.tenant, cellOf(rules.tenant, cells), board.no, run, group)) return { rank, value };
  const at = await redis.zrevrank(entry.key, entry.member);
  return at === null ? { rank, value } : { rank: at < board.maxParticipants ? at + 1 : null, value: entry.score };
}
