import type { User } from '../../contract/user.ts';
import type { WebhookBody, WebhookEvent } from '../../contract/webhooks.ts';
import type { Topic } from '../../db/deliveries/webhookWindows.ts';
import type { DeliveryRows, WebhookDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import { isSubscribed, pointsSubject, webhookRows } from '../../engine/webhooks/webhookRows.ts';
import type { BoardChange, Changes, PointsChange, Settled } from '../../redis/decoding/outcome.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { userChallengeView } from '../../views/challengeView.ts';
import { completionsOf, timesView } from '../../views/changes.ts';
import { achievementView, levelView, pointsSystemView } from '../../views/entityViews.ts';
import { freezesView, streakView } from '../../views/streakView.ts';
import { userView } from '../../views/userView.ts';
import type { BatchUsers, EntryBatch } from '../entryBatch.ts';
import { type CoveredSubjects, topicOfBoard, topicOfSystem } from './coveredSubjects.ts';
import { Throttle } from './throttle.ts';

/** Facts of a delivery whose body shows the ranking at the time of sending. */
export interface BoardFacts {
  board: number;
  /** First day of the run. */
  run: number;
  group: string;
}

/** Also the user's rank and score before and after the first change that the delivery covers. */
export interface RankFacts extends BoardFacts {
  previousRank: number | null;
  previousValue: number | null;
  rank: number | null;
  value: number;
}

/** Facts of a delivery whose body shows the awards of a user in a points system since the delivery before. */
export interface PointsFacts {
  system: number;
  /** As in `webhook_windows`. */
  subject: string;
  /** Earliest date (ms) of the awards that the delivery covers. */
  since: number;
  /** Sequence number of the first change that it covers. */
  sequence: number;
}

/** One change of one user, and the data from which bodies are rendered. */
interface Happened {
  rules: Rules;
  userId: string;
  /** The position of its entry among all outboxes. */
  entryId: string;
  /**
   * Decodes the state, so it is called when there is a webhook to tell; null when the user has been erased
   * since.
   */
  findUser(): UserState | null;
  at: number;
  /** Date of the awards: before `at` for an event of the past. */
  awardedAt: number;
  outcome: Changes | Settled;
}

/** The webhook deliveries that report the changes of a batch. `now` is in ms. */
export function planWebhooks(
  { entries }: EntryBatch,
  rulesOf: ReadonlyMap<number, Rules>,
  users: BatchUsers,
  covered: Pick<CoveredSubjects, 'has' | 'forget'>,
  now: number,
): Pick<DeliveryRows, 'webhookDeliveries' | 'throttledDeliveries'> {
  const webhookDeliveries: WebhookDeliveryRow[] = [];
  const throttle = new Throttle(covered, now);
  for (const { source, entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined || rules.config.webhooks.length === 0) continue;
    const entryId = `${source.cell}:${source.id}`;
    for (const { change, outcome } of entry.changes) {
      const at = 'at' in change ? change.at : entry.now;
      const awardedAt = ('late' in change ? change.late?.at : null) ?? at;
      const { userId } = change;
      if ('isNew' in outcome && outcome.isNew) covered.forget(userId);
      const findUser = (): UserState | null => users.find(rules.tenant, userId);
      const happened = { rules, userId, entryId, at, awardedAt, outcome, findUser };
      webhookDeliveries.push(
        ...ofAchievements(happened),
        ...('isActivation' in change && change.isActivation ? [] : ofChallenges(happened)),
        ...ofStreak(happened),
        ...ofLevels(happened),
      );
      addTotals(happened, throttle);
      addBoards(happened, throttle);
    }
  }
  return { webhookDeliveries, throttledDeliveries: throttle.deliveries };
}

/**
 * The deliveries of one type for a user's change. `make` gets the user as shown and as stored. There are none
 * if the user was erased.
 */
function report<T extends WebhookEvent>(
  { rules, userId, entryId, findUser, at, outcome }: Happened,
  type: T,
  ids: (string | number)[],
  make: (shown: User, user: UserState) => WebhookBody<T> | string,
): WebhookDeliveryRow[] {
  return webhookRows(rules, { type, at, userId, ids: [entryId, outcome.sequence, ...ids] }, () => {
    const user = findUser();
    return user === null ? null : make(userView(rules, userId, user), user);
  });
}

function ofAchievements(happened: Happened): WebhookDeliveryRow[] {
  const { rules, outcome, at } = happened;
  return completionsOf(outcome).flatMap(({ achievement: no, times }) => {
    const achievement = rules.findByNo('achievements', no);
    if (achievement === null) return [];
    const completed = { achievedAt: new Date(at).toISOString(), ...timesView(achievement, times) };
    return report(happened, 'achievement.completed', [no], (user) => ({
      user,
      achievement: { ...achievementView(rules, achievement), ...completed },
    }));
  });
}

function ofChallenges(happened: Happened): WebhookDeliveryRow[] {
  const { rules, outcome, userId } = happened;
  return (outcome.challenges ?? []).flatMap((change) => {
    const challenge = rules.findByNo('challenges', change.challenge);
    const { step } = change;
    if (step === null || step === 'left' || challenge === null) return [];
    return report(happened, `challenge.${step}`, [change.challenge, change.run], (user, state) => ({
      user,
      challenge: userChallengeView(rules, challenge, { userId, user: state, now: happened.at }, change),
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
    streak: {
      ...streakView(settings.frequency, outcome.streak, outcome.day),
      ...freezesView(settings, state),
    },
  }));
}

/** Settling extends no streak. */
function ofSettling(happened: Happened, { lost, covered, earned, freezes }: Settled): WebhookDeliveryRow[] {
  const consumed = covered.filter(({ by }) => by === 'freeze').length;
  return [
    ...(consumed === 0
      ? []
      : report(happened, 'streak.freeze_consumed', [], (user) => ({ user, consumed, freezes }))),
    ...(lost === 0 ? [] : report(happened, 'streak.lost', [], (user) => ({ user, length: lost }))),
    ...(earned === 0
      ? []
      : report(happened, 'streak.freeze_earned', [], (user) => ({ user, earned, freezes }))),
  ];
}

function ofLevels(happened: Happened): WebhookDeliveryRow[] {
  const { rules, outcome } = happened;
  if (!isSubscribed(rules, 'points.level_changed')) return [];
  return outcome.points.flatMap((change) => ofLevel(happened, change));
}

function ofLevel(happened: Happened, { system: no, total, added }: PointsChange): WebhookDeliveryRow[] {
  const { rules } = happened;
  const system = rules.findByNo('pointsSystems', no);
  if (system === null) return [];
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
 * The body of `points.changed` lists all awards since the delivery before, which are read from the history
 * when it is sent. Late events that come until then have awards of the past.
 */
function addTotals(happened: Happened, throttle: Throttle): void {
  const { rules, userId, at, awardedAt, outcome } = happened;
  const type = 'points.changed';
  const since = Math.min(awardedAt, at - rules.config.settings.lateEvents.maxAgeSeconds * 1_000);
  const { sequence } = outcome;
  for (const { system, awards } of outcome.points) {
    if (awards.length === 0) continue;
    const topic = topicOfSystem(system);
    const webhooks = throttle.uncovered(happened, type, topic, userId);
    if (webhooks.length === 0) continue;
    throttle.add(
      happened,
      webhooks,
      { type, topic, userId, subject: pointsSubject(system, userId) },
      (subject): PointsFacts => ({ system, subject, since, sequence }),
    );
  }
}

/** Bodies about rankings show the ranking at the time of sending. */
function addBoards(happened: Happened, throttle: Throttle): void {
  const { rules, outcome } = happened;
  if (!isSubscribed(rules, 'leaderboard.changed') && !isSubscribed(rules, 'leaderboard.rank_changed')) return;
  for (const change of outcome.boards) {
    if (rules.findByNo('leaderboards', change.board) === null) continue;
    const { board, run, group, leftGroup } = change;
    const topic = topicOfBoard(board, run, group);
    addBoard(happened, { board, run, group }, topic, throttle);
    if (leftGroup !== null) {
      addBoard(happened, { board, run, group: leftGroup }, topicOfBoard(board, run, leftGroup), throttle);
    }
    if (change.rank !== change.previousRank) addRank(happened, change, topic, throttle);
  }
}

function addBoard(happened: Happened, facts: BoardFacts, topic: Topic, throttle: Throttle): void {
  const type = 'leaderboard.changed';
  const webhooks = throttle.uncovered(happened, type, topic, null);
  if (webhooks.length === 0) return;
  const subject = [facts.board, facts.run, facts.group];
  throttle.add(happened, webhooks, { type, topic, userId: null, subject }, () => facts);
}

function addRank(
  happened: Happened,
  { board, run, group, previousRank, previousValue, rank, value }: BoardChange,
  topic: Topic,
  throttle: Throttle,
): void {
  const type = 'leaderboard.rank_changed';
  const { userId } = happened;
  const webhooks = throttle.uncovered(happened, type, topic, userId);
  if (webhooks.length === 0) return;
  const facts: RankFacts = { board, run, group, previousRank, previousValue, rank, value };
  throttle.add(
    happened,
    webhooks,
    { type, topic, userId, subject: [board, run, group, userId] },
    () => facts,
  );
}
