import { derivedId } from '../base/ids.ts';
import { WEBHOOK_THROTTLE_MS } from '../base/limits.ts';
import type { WebhookEvent } from '../base/webhookEvents.ts';
import type { User } from '../contract/user.ts';
import type { WebhookBody } from '../contract/webhooks.ts';
import type { DeliveryRows, WebhookDeliveryRow } from '../db/writeDeliveries.ts';
import { laterWebhookRows, subscribers, webhookRows } from '../engine/webhookRows.ts';
import type { BoardChange, Changes, PointsChange, Settled } from '../redis/outcome.ts';
import type { UserState } from '../redis/userState.ts';
import { ADJUSTMENT_TRIGGER } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import type { Causes } from '../views/causes.ts';
import { pointsParts } from '../views/changes.ts';
import { achievementView, levelView, pointsSystemView } from '../views/entities.ts';
import { freezesView, streakView } from '../views/streak.ts';
import { userView } from '../views/user.ts';
import type { Batch } from './batch.ts';

/** Facts of a delivery whose body shows the ranking at the time of sending. */
export interface BoardFacts {
  board: number;
  /** First day of the run. */
  run: number;
  group: string;
}

/** Also the user's rank and score before and after the first change in the window that the delivery covers. */
export interface RankFacts extends BoardFacts {
  previousRank: number | null;
  previousValue: number;
  rank: number | null;
  value: number;
}

const POINTS_EVENTS = ['points.changed', 'points.level_changed'] as const;
const BOARD_EVENTS = ['leaderboard.changed', 'leaderboard.rank_changed'] as const;

/** One change of one user, and the data from which bodies are rendered. */
interface Happened {
  rules: Rules;
  userId: string;
  /** Decodes the state, so it is called when there is a webhook to tell; null when the user has been erased since. */
  findUser(): UserState | null;
  at: number;
  outcome: Changes | Settled;
  /** null if the change is not an event. */
  eventId: string | null;
}

/** Plans the webhook deliveries of a batch. */
export function planWebhooks({ entries, rows, rulesOf, causesOf, users }: Batch, planned: DeliveryRows): void {
  const awards = new AwardIds(rows.awards);
  const boards = new BoardWindows(planned.webhookDeliveries);
  for (const { entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined || rules.config.webhooks.length === 0) continue;
    for (const { change, outcome } of entry.changes) {
      const at = 'at' in change ? change.at : entry.now;
      const isSilent = 'isSilent' in change && change.isSilent;
      const { userId } = change;
      const eventId = 'eventId' in change ? change.eventId : null;
      const happened = { rules, userId, at, outcome, eventId, findUser: () => users.find(rules.tenant, userId) };
      planned.webhookDeliveries.push(
        ...(isSilent ? [] : ofAchievements(happened)),
        ...ofStreak(happened),
        ...ofPoints(happened, awards, causesOf.get(rules.tenant)!),
      );
      for (const board of outcome.boards) boards.add(happened, board);
    }
  }
}

/** The deliveries of one type for a user's change. `make` gets the user as shown and as stored. There are none if the user was erased. */
function report<T extends WebhookEvent>(
  { rules, userId, findUser, at, outcome }: Happened,
  type: T,
  parts: (string | number)[],
  make: (shown: User, user: UserState) => WebhookBody<T> | string,
): WebhookDeliveryRow[] {
  return webhookRows(rules, { type, at, userId, parts: [outcome.sequence, ...parts] }, () => {
    const user = findUser();
    return user === null ? null : make(userView(rules, userId, user), user);
  });
}

function ofAchievements(happened: Happened): WebhookDeliveryRow[] {
  const { rules, outcome, at } = happened;
  return outcome.completed.flatMap((no) => {
    const achievement = rules.findByNo('achievements', no);
    if (achievement === null) return [];
    return report(happened, 'achievement.completed', [no], (user) => ({
      user,
      achievement: { ...achievementView(rules, achievement), achievedAt: new Date(at).toISOString() },
    }));
  });
}

function ofStreak(happened: Happened): WebhookDeliveryRow[] {
  const { rules, outcome } = happened;
  const { streak: settings } = rules.config;
  if (!outcome.extended) return 'covered' in outcome ? ofSettling(happened, outcome) : [];
  const type = outcome.streak.length === 1 ? 'streak.started' : 'streak.extended';
  return report(happened, type, [], (user, state) => ({
    user,
    streak: { ...streakView(settings.frequency, outcome.streak, outcome.day), ...freezesView(settings, state) },
  }));
}

/** Settling extends no streak. */
function ofSettling(happened: Happened, { lost, covered, earned, freezes }: Settled): WebhookDeliveryRow[] {
  const consumed = covered.filter(({ by }) => by === 'freeze').length;
  return [
    ...(consumed === 0 ? [] : report(happened, 'streak.freeze_consumed', [], (user) => ({ user, consumed, freezes }))),
    ...(lost === 0 ? [] : report(happened, 'streak.lost', [], (user) => ({ user, length: lost }))),
    ...(earned === 0 ? [] : report(happened, 'streak.freeze_earned', [], (user) => ({ user, earned, freezes }))),
  ];
}

/** Finds the ids that awards have in the history if no event caused them. */
class AwardIds {
  readonly #rows: Batch['rows']['awards'];
  #byChange: Map<string, string[]> | null = null;

  constructor(rows: Batch['rows']['awards']) {
    this.#rows = rows;
  }

  /** Ids of the awards of a change, by the number of the award in the change. */
  find(tenant: number, userId: string, sequence: number): string[] {
    if (this.#byChange === null) {
      this.#byChange = new Map();
      for (const row of this.#rows) {
        const key = `${row.tenant}:${row.sequence}:${row.userId}`;
        const ids = this.#byChange.get(key) ?? [];
        ids[row.n] = row.id;
        this.#byChange.set(key, ids);
      }
    }
    return this.#byChange.get(`${tenant}:${sequence}:${userId}`) ?? [];
  }
}

/** Whether the points system of a change is still configured, and its triggers and boosts can be shown. */
function isKnown(causes: Causes, { system, awards }: PointsChange): boolean {
  return (
    causes.rules.findByNo('pointsSystems', system) !== null &&
    awards.every(
      ({ trigger, boosts }) =>
        (trigger === ADJUSTMENT_TRIGGER || causes.hasTrigger(trigger)) && boosts.every((no) => causes.hasBoost(no)),
    )
  );
}

function ofPoints(happened: Happened, awardIds: AwardIds, causes: Causes): WebhookDeliveryRow[] {
  const { rules } = happened;
  const changes = happened.outcome.points;
  const isWanted = POINTS_EVENTS.some((type) => subscribers(rules, type).length > 0);
  if (!isWanted || !changes.every((change) => isKnown(causes, change))) return [];
  return [...ofTotals(happened, awardIds, causes), ...changes.flatMap((change) => ofLevel(happened, change))];
}

function ofTotals(happened: Happened, awardIds: AwardIds, causes: Causes): WebhookDeliveryRow[] {
  const { rules, userId, at, outcome, eventId } = happened;
  if (subscribers(rules, 'points.changed').length === 0) return [];
  const ids = eventId === null ? awardIds.find(rules.tenant, userId, outcome.sequence) : [];
  const idOf = (n: number): string => (eventId === null ? ids[n]! : derivedId(eventId, n));
  const parts = pointsParts(causes, outcome.points, idOf, new Date(at).toISOString());
  return parts.flatMap(({ json }, i) =>
    report(
      happened,
      'points.changed',
      [outcome.points[i]!.system],
      (user) => `{"type":"points.changed","user":${JSON.stringify(user)},"points":${json}}`,
    ),
  );
}

function ofLevel(happened: Happened, { system: no, total, added }: PointsChange): WebhookDeliveryRow[] {
  const { rules } = happened;
  const system = rules.byNo('pointsSystems', no);
  const [before, after] = [rules.levelAt(system, total - added), rules.levelAt(system, total)];
  if (before === after) return [];
  return report(happened, 'points.level_changed', [no], (user) => ({
    user,
    points: { ...pointsSystemView(system), total },
    previousLevel: before && levelView(before),
    newLevel: after && levelView(after),
  }));
}

/**
 * Changes of rankings within a window of time are reported once, at its end, with the ranking at that moment. This limits the rate and
 * still reports the last state. The first change of a window creates the delivery; further changes add nothing.
 */
class BoardWindows {
  readonly #rows: DeliveryRows['webhookDeliveries'];
  readonly #seen = new Set<string>();

  constructor(rows: DeliveryRows['webhookDeliveries']) {
    this.#rows = rows;
  }

  add({ rules, userId, at }: Happened, change: BoardChange): void {
    const { board, run, group, rank, previousRank, score, previousScore } = change;
    const isWanted = BOARD_EVENTS.some((type) => subscribers(rules, type).length > 0);
    if (!isWanted || rules.findByNo('leaderboards', board) === null) return;
    const start = Math.floor(at / WEBHOOK_THROTTLE_MS) * WEBHOOK_THROTTLE_MS;
    const facts: BoardFacts = { board, run, group };
    const key = `${rules.tenant}:${board}:${run}:${start}:${group}`;
    this.#addOnce(rules, 'leaderboard.changed', start, null, key, facts);
    const rankFacts: RankFacts = { ...facts, previousRank, previousValue: previousScore, rank, value: score };
    this.#addOnce(rules, 'leaderboard.rank_changed', start, userId, `${key}:${userId}`, rankFacts);
  }

  #addOnce(rules: Rules, type: WebhookEvent, at: number, userId: string | null, key: string, facts: BoardFacts): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const parts = [facts.board, facts.run, facts.group];
    this.#rows.push(...laterWebhookRows(rules, { type, at, userId, parts }, at + WEBHOOK_THROTTLE_MS, facts));
  }
}
