import { WEBHOOK_THROTTLE_MS } from '../base/limits.ts';
import type { WebhookEvent } from '../base/webhookEvents.ts';
import type { DeliveryRows } from '../db/writeDeliveries.ts';
import { laterWebhookRows, subscribers, webhookRows } from '../engine/webhookRows.ts';
import type { BoardChange, Changes, PointsChange, Settled } from '../redis/outcome.ts';
import type { UserState } from '../redis/userState.ts';
import { ADJUSTMENT_TRIGGER } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { pointsParts } from '../views/changes.ts';
import { achievementView, levelView, pointsSystemView } from '../views/entities.ts';
import { freezesView, streakView } from '../views/streak.ts';
import { userView } from '../views/user.ts';
import type { Batch } from './batch.ts';

/** Facts of what is shown as it is when it is sent. */
export interface BoardFacts {
  board: number;
  /** First day of the run. */
  run: number;
  group: string;
}

/** Where a user was before the first change of the time that one delivery covers, and after it. */
export interface RankFacts extends BoardFacts {
  previousRank: number | null;
  previousValue: number;
  rank: number | null;
  value: number;
}

/** One change of one user, and what bodies about it are made of. */
interface Happened {
  rules: Rules;
  userId: string;
  user: UserState;
  at: number;
  outcome: Changes | Settled;
}

/** Adds what the webhooks of the tenants are to be told of a batch. */
export function planWebhooks({ entries, rows, rulesOf, users }: Batch, planned: DeliveryRows): void {
  const awards = new AwardIds(rows.awards);
  const boards = new BoardWindows(planned.webhookDeliveries);
  for (const { entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined || rules.config.webhooks.length === 0) continue;
    for (const { change, outcome } of entry.changes) {
      const user = users.find(entry.tenant, change.userId);
      if (user === null) continue;
      const at = 'at' in change ? change.at : entry.now;
      const isSilent = 'isSilent' in change && change.isSilent;
      const happened = { rules, userId: change.userId, user, at, outcome };
      planned.webhookDeliveries.push(
        ...(isSilent ? [] : ofAchievements(happened)),
        ...ofStreak(happened),
        ...ofPoints(happened, awards),
      );
      for (const board of outcome.boards) boards.add(happened, board);
    }
  }
}

const occurrence = <T extends WebhookEvent>(
  { userId, at, outcome }: Happened,
  type: T,
  ...parts: (string | number)[]
) => ({
  ...{ type, at, userId, parts: [outcome.sequence, ...parts] },
});

const shownUser = ({ rules, userId, user }: Happened) => userView(rules, userId, user);

function ofAchievements(happened: Happened) {
  const { rules, outcome, at } = happened;
  return outcome.completed.flatMap((no) => {
    const achievement = rules.findByNo('achievements', no);
    if (achievement === null) return [];
    return webhookRows(rules, occurrence(happened, 'achievement.completed', no), () => ({
      user: shownUser(happened),
      achievement: { ...achievementView(rules, achievement), achievedAt: new Date(at).toISOString() },
    }));
  });
}

function ofStreak(happened: Happened) {
  const { rules, user, outcome } = happened;
  const { streak: settings } = rules.config;
  const rows = [];
  if (outcome.extended) {
    const type = outcome.streak.length === 1 ? 'streak.started' : 'streak.extended';
    rows.push(
      ...webhookRows(rules, occurrence(happened, type), () => ({
        user: shownUser(happened),
        streak: { ...streakView(settings.frequency, outcome.streak, outcome.day), ...freezesView(settings, user) },
      })),
    );
  }
  return 'covered' in outcome ? [...rows, ...ofSettling(happened, outcome)] : rows;
}

function ofSettling(happened: Happened, { lost, covered, earned, freezes }: Settled) {
  const { rules } = happened;
  const consumed = covered.filter(({ by }) => by === 'freeze').length;
  const user = () => shownUser(happened);
  return [
    ...(consumed === 0
      ? []
      : webhookRows(rules, occurrence(happened, 'streak.freeze_consumed'), () => ({
          user: user(),
          consumed,
          freezes,
        }))),
    ...(lost === 0
      ? []
      : webhookRows(rules, occurrence(happened, 'streak.lost'), () => ({ user: user(), length: lost }))),
    ...(earned === 0
      ? []
      : webhookRows(rules, occurrence(happened, 'streak.freeze_earned'), () => ({ user: user(), earned, freezes }))),
  ];
}

/** The ids of awards as the history has them. */
class AwardIds {
  readonly #rows: Batch['rows']['awards'];
  #byChange: Map<string, string[]> | null = null;

  constructor(rows: Batch['rows']['awards']) {
    this.#rows = rows;
  }

  /** By the number of the award among those of the change. */
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

/** Whether all that a change names is still configured. */
function isKnown(rules: Rules, { system, awards }: PointsChange): boolean {
  return (
    rules.findByNo('pointsSystems', system) !== null &&
    awards.every(
      ({ trigger, boosts }) =>
        (trigger === ADJUSTMENT_TRIGGER || rules.findByNo('pointsTriggers', trigger) !== null) &&
        boosts.every((no) => rules.findByNo('pointsBoosts', no) !== null),
    )
  );
}

function ofPoints(happened: Happened, awardIds: AwardIds) {
  const { rules, userId, at, outcome } = happened;
  const changes = outcome.points;
  if (changes.length === 0 || !changes.every((change) => isKnown(rules, change))) return [];
  const rows = [];
  if (subscribers(rules, 'points.changed').length > 0) {
    const ids = awardIds.find(rules.tenant, userId, outcome.sequence);
    const parts = pointsParts(rules, changes, (n) => ids[n]!, new Date(at).toISOString());
    for (const [i, { json }] of parts.entries()) {
      const { system } = changes[i]!;
      const body = () => `{"type":"points.changed","user":${JSON.stringify(shownUser(happened))},"points":${json}}`;
      rows.push(...webhookRows(rules, occurrence(happened, 'points.changed', system), body));
    }
  }
  for (const { system: no, total, added } of changes) {
    const system = rules.byNo('pointsSystems', no);
    const [before, after] = [rules.levelAt(system, total - added), rules.levelAt(system, total)];
    if (before === after) continue;
    rows.push(
      ...webhookRows(rules, occurrence(happened, 'points.level_changed', no), () => ({
        user: shownUser(happened),
        points: { ...pointsSystemView(system), total },
        previousLevel: before && levelView(before),
        newLevel: after && levelView(after),
      })),
    );
  }
  return rows;
}

/**
 * What happens within one window of time is reported at its end, as it is then: so nothing is reported more often, and the last state is
 * never missing. The first change of a window makes the row; the others find it there.
 */
class BoardWindows {
  readonly #rows: DeliveryRows['webhookDeliveries'];
  readonly #seen = new Set<string>();

  constructor(rows: DeliveryRows['webhookDeliveries']) {
    this.#rows = rows;
  }

  add({ rules, userId, at }: Happened, change: BoardChange): void {
    const { board, run, group, rank, previousRank, score, previousScore } = change;
    if (rules.findByNo('leaderboards', board) === null) return;
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
