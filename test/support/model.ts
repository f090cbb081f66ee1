import type { EventRequest } from '../../src/contract/event.ts';
import type { UpdatedUser } from '../../src/contract/user.ts';
import type { StreakAmendment } from '../../src/engine/users/userChangeRecords.ts';
import type { BoardChange, Outcome, StreakNow } from '../../src/redis/decoding/outcome.ts';
import { boostOfChallenge } from '../../src/rules/award.ts';
import {
  type Achievement,
  ADJUSTMENT_TRIGGER,
  type Challenge,
  type Config,
  type Frequency,
  type Leaderboard,
  type Metric,
} from '../../src/rules/config.ts';
import { daysOffOf } from '../../src/rules/daysOff.ts';
import { isInControlGroup } from '../../src/rules/inForce/prepare.ts';
import { isPaused } from '../../src/rules/pauses.ts';
import {
  clockAt,
  dateOf,
  dateOfRuns,
  finalAt,
  inWindow,
  type LocalDate,
  localDate,
  ordinal,
  runCount,
  runEnd,
  runStart,
} from './modelCalendar.ts';
import {
  challengesOf,
  countChallenges,
  fillChallenges,
  type ModelStep,
  takeStep,
  withCompletions,
} from './modelChallenges.ts';
import { type Attributes, addedBy, matches, prerequisites, typedAttributes } from './modelCounting.ts';
import { type GuardDecision, guardDecision } from './modelGuards.ts';
import { hasOwnEvents, type ImportedChanges, type ImportedUser, setImported } from './modelImportedUsers.ts';
import { type ModelKey, ModelKeys } from './modelKeys.ts';
import { leagueGroup, lowestTier, ModelLeagues } from './modelLeagues.ts';
import { awardPoints, type GivenPoints } from './modelPoints.ts';
import { groupOf, isBetter, isRankable, isWhole, ModelRankings } from './modelRankings.ts';
import type { ModelReward } from './modelRewards.ts';
import {
  amendStreak,
  anniversaryDate,
  earnFreezes,
  initialFreezes,
  moveStreaks,
  nextDue,
  settleStreaks,
  timeTriggers,
  zoneOf,
} from './modelTime.ts';
import {
  applyPreferences,
  applyProfile,
  copyUser,
  counterPeak,
  counterTotal,
  decimalSum,
  extendStreaks,
  isAway,
  isCondition,
  lastCounted,
  type ModelEvent,
  type ModelPreferences,
  type ModelStreak,
  type ModelUser,
  newModelUser,
  type StreakPeriodOfUser,
  scriptPreferences,
  withoutUndone,
} from './modelUser.ts';

export interface EventOfCall {
  metric: string;
  request: EventRequest;
  key: string | null;
  /** When it happened, ms: on the present date and in the present runs of the user. Without one, now. */
  happenedAt?: number;
}

/**
 * What starts an evaluation: an event, an achievement completed by API, or neither (a user is identified or
 * read).
 */
interface Change {
  event: ModelEvent | null;
  /** Also when the user completed it before. */
  api: Achievement | null;
  /** The instant at which the user is due, ms; null when it is not time that brings this. */
  tick: number | null;
  /** True when the user is settled, due or not. */
  settles: boolean;
  /** What settling did to the streak; null if nothing was settled by time. */
  settled: SettledStreak | null;
  /** Whether the change sets another sign-up date. */
  hasNewSignUp: boolean;
  /**
   * If the change is about the user's presence on leaderboards: whether the user leaves all rankings or returns
   * to them.
   */
  presence: 'changed' | 'same' | null;
  /** Names of rankings of earlier runs that the user leaves. */
  earlier: readonly string[];
  /** What a leaderboard gives for a run: nothing to users who have had it. */
  reward: ModelReward | null;
  /** An administrator adjusts the points of a system. */
  adjusted: { systemId: string; amount: number } | null;
  /** An administrator completes the achievement, whatever its trigger. */
  granted: Achievement | null;
  /** Id of the leaderboard from which an administrator hides the user, or on which the user shows again. */
  visibilityOn: string | null;
  restoresStreak: boolean;
  /** Ids of achievements and leaderboards, and names of goals, that have become active; null unless the user is looked at for them. */
  activated: readonly string[] | null;
  /** Ids of achievements that completed challenges give. */
  rewarded: readonly string[];
  /** False if settling had no effect: rankings stay. */
  hasEffect: boolean;
  /** What a step in a challenge does; null without one. */
  stepIn: Challenge | null;
  step: Exclude<ReturnType<typeof takeStep>, string>;
}

/** What time has done to the streak in force and to the freezes of a user. */
interface SettledStreak {
  /** Length of the streak that was lost; 0 without one. */
  lost: number;
  /** Missed periods in which something kept it. */
  kept: readonly StreakPeriodOfUser[];
  /** Freezes that were used, earned, and are left. */
  consumed: number;
  earned: number;
  freezes: number;
}

/** When a user changed: the instant (ms), of a late event when it happened, and the user's own date. */
export interface ChangeInTime {
  event: ModelEvent | null;
  at: number;
  /** Of the change itself, ms. */
  now: number;
  today: LocalDate;
  /** Null unless time has brought the change. */
  settled: SettledStreak | null;
  /** Whether something has become active for what the user did before. */
  isActivation: boolean;
  /** Whether time brought it. */
  settles: boolean;
  /** The user before, if there was one, and after the change. */
  before: ModelUser | undefined;
  after: ModelUser;
}

/** An event as it was sent, before the guards of its metric. */
interface Sent {
  metric: Metric;
  value: number;
  attributes: Attributes;
  happenedAt: number;
  /** Whether an administrator has approved it: no guard applies to it, and none counts it. */
  isApproved: boolean;
}

type Evaluation = [
  user: ModelUser,
  stored: ModelUser | undefined,
  change: Change,
  today: LocalDate,
  now: number,
];

const NOTHING: Change = {
  event: null,
  api: null,
  tick: null,
  settles: false,
  settled: null,
  hasNewSignUp: false,
  presence: null,
  earlier: [],
  reward: null,
  adjusted: null,
  granted: null,
  visibilityOn: null,
  restoresStreak: false,
  activated: null,
  rewarded: [],
  hasEffect: true,
  stepIn: null,
  step: null,
};

const NO_CHANGES: ImportedChanges = { metrics: new Map(), points: new Map() };

/**
 * A plain implementation of the rules of evaluation, with which the scripts are compared. It works on the
 * configuration itself, remembers every event, and computes what it needs from that list each time; no step
 * of it is fast.
 *
 * Order within one event: idempotency → profile → zone move → settle → counters → streak → achievements →
 * points → leaderboards. A change is tried on a copy of the user, so one that is refused leaves no trace.
 */
export class Model {
  config: Config;
  readonly users = new Map<string, ModelUser>();
  readonly rankings = new ModelRankings();
  readonly #leagues: ModelLeagues;
  /** Of the present call: each completes a change of a place, once all changes of the call have been made. */
  #unranked: (() => void)[] | null = null;
  readonly keys = new ModelKeys();
  /** Called with the effects of each change of a user, also of those that time brings. */
  onChange: (userId: string, outcome: Outcome, change: ChangeInTime) => void = () => {};
  /** Whether the events are imported. */
  isOfPast = false;

  /** @param cellOf if the tenant is spread over cells */
  constructor(config: Config, cellOf: ((userId: string) => number) | null = null) {
    this.config = config;
    this.#leagues = new ModelLeagues(cellOf);
  }

  /** Records events of one call. They take effect at once: each reports the places after all of them. */
  recordTogether(events: readonly EventOfCall[], now: number): Outcome[] {
    return this.recordAll(
      events.map((event) => [event]),
      now,
    ).flat();
  }

  /**
   * Records events of one call, of which some count for several metrics: they are an event for each metric.
   * @returns outcomes of each event by metric: `unchanged` if another metric refuses the event
   */
  recordAll(events: readonly (readonly EventOfCall[])[], now: number): Outcome[][] {
    for (const [{ request }] of events as readonly [EventOfCall][]) {
      // Newer rules of time do not look at a blocked user who sends an event.
      if (this.#blockOf(request.user.id, now) === null) this.settle(request.user.id, now);
    }
    return this.#together(() =>
      events.map((each) =>
        each.length === 1 ? [this.#record(each[0]!, now)] : this.#recordMetrics(each, now),
      ),
    );
  }

  record(metric: string, request: EventRequest, key: string | null, now: number): Outcome {
    return this.recordTogether([{ metric, request, key }], now)[0]!;
  }

  #record(event: EventOfCall, now: number): Outcome {
    const block = this.#blockOf(event.request.user.id, now);
    if (block !== null) return { status: 'blocked', ...block };
    const known = this.#usedBefore(event, now);
    if (known !== null) return known;
    const outcome = this.#count(event, now);
    const holds = this.#metricOf(event).guards?.action === 'hold';
    if (outcome.status === 'recorded') this.#useKey(event, false, now);
    if (outcome.status !== 'guarded' || !holds) return outcome;
    this.#useKey(event, true, now);
    return { status: 'held', guard: outcome.guard, usedAt: null };
  }

  /** An import takes a use by a held row, which is refused, for that of the same event. */
  #isRepetition({ status }: Outcome): boolean {
    return status === 'replayed' || (this.isOfPast && status === 'held');
  }

  /** Records an event of several metrics: all of them count, or none does. Nothing is held. */
  #recordMetrics(events: readonly EventOfCall[], now: number): Outcome[] {
    const refused = (by: number, outcome: Outcome): Outcome[] =>
      events.map((_, i) => (i === by ? outcome : { status: 'unchanged' }));
    const { id: userId } = events[0]!.request.user;
    const block = this.#blockOf(userId, now);
    if (block !== null) return refused(0, { status: 'blocked', ...block });
    const known = events.map((event) => this.#usedBefore(event, now));
    const used = known.findIndex((outcome) => outcome !== null);
    if (used !== -1) {
      const isSame = known.every((outcome) => outcome !== null && this.#isRepetition(outcome));
      return isSame ? (known as Outcome[]) : refused(used, { status: 'keyTaken' });
    }
    const forget = this.#remember(userId);
    const outcomes: Outcome[] = [];
    const changes: Parameters<Model['onChange']>[] = [];
    const { onChange } = this;
    this.onChange = (...change) => changes.push(change);
    for (const [i, event] of events.entries()) {
      const outcome = this.#count(event, now);
      if (outcome.status === 'recorded') outcomes.push(outcome);
      else {
        forget();
        outcomes.splice(0, outcomes.length, ...refused(i, outcome));
        changes.length = 0;
        break;
      }
    }
    this.onChange = onChange;
    for (const change of changes) onChange(...change);
    if (outcomes[0]!.status === 'recorded') for (const event of events) this.#useKey(event, false, now);
    return outcomes;
  }

  /** @returns takes back what events of the user have changed since */
  #remember(userId: string): () => void {
    const user = this.users.get(userId);
    const restoreRankings = this.rankings.remember();
    const restoreLeagues = this.#leagues.remember();
    const unranked = [...this.#unranked!];
    return () => {
      if (user === undefined) this.users.delete(userId);
      else this.users.set(userId, user);
      restoreRankings();
      restoreLeagues();
      this.#unranked = unranked;
    };
  }

  #metricOf({ metric }: EventOfCall): Metric {
    return this.config.metrics.find(({ key }) => key === metric)!;
  }

  #keyOf(event: EventOfCall): ModelKey | null {
    const { request, key } = event;
    return key === null ? null : { userId: request.user.id, metricId: this.#metricOf(event).id, key };
  }

  #useKey(event: EventOfCall, isHeld: boolean, now: number): void {
    const key = this.#keyOf(event);
    if (key !== null) this.keys.add(key, isHeld, this.config.settings.idempotencyWindowSeconds, now);
  }

  /** What an event is answered whose key names another one; null if its key is free. */
  #usedBefore(event: EventOfCall, now: number): Outcome | null {
    const { idempotencyWindowSeconds: window } = this.config.settings;
    const key = this.#keyOf(event);
    if (key === null) return null;
    const used = this.keys.find(key, false, window, now);
    const holds = this.#metricOf(event).guards?.action === 'hold';
    const held = holds ? this.keys.find(key, true, window, now) : null;
    // A window that is longer than before may know two uses of a key.
    const isHeld = held !== null && (used === null || held.at > used.at);
    if (isHeld) return { status: 'held', guard: null, usedAt: held.idAt };
    return used && this.#replay(key.userId, key.metricId, used.idAt, now);
  }

  #count(event: EventOfCall, now: number): Outcome {
    const { request, happenedAt = now } = event;
    const { id: userId, ...profile } = request.user;
    const { lateEvents } = this.config.settings;
    if (happenedAt < now - lateEvents.maxAgeSeconds * 1_000) return { status: 'tooOld' };
    const metric = this.#metricOf(event);
    const attributes = this.eventAttributes(request.attributes);
    const sent: Sent = { metric, value: request.value, attributes, happenedAt, isApproved: false };
    return this.#change(userId, profile, NOTHING, now, sent);
  }

  /** Attributes of an event, by id. */
  eventAttributes(byKey: EventRequest['attributes'] = {}): Attributes {
    const idOf = (name: string): string =>
      this.config.attributes.find(({ type, key }) => type === 'event' && key === name)!.id;
    return Object.fromEntries(Object.entries(byKey).map(([key, value]) => [idOf(key), String(value)]));
  }

  /** An administrator approves an event at the instant at which a guard held it. */
  approve(userId: string, metric: Metric, value: number, attributes: Attributes, now: number): Outcome {
    this.settle(userId, now);
    const block = this.#blockOf(userId, now);
    if (block !== null) return { status: 'blocked', ...block };
    const sent: Sent = { metric, value, attributes, happenedAt: now, isApproved: true };
    return this.#change(userId, {}, NOTHING, now, sent);
  }

  /** An administrator undoes the latest event of a user, of the present date. What it has earned stays. */
  undo(userId: string, now: number): Outcome {
    const stored = this.users.get(userId)!;
    const user = copyUser(stored);
    const undoes = stored.events.at(-1)!;
    const event = { ...undoes, value: -undoes.value, at: now, isApproved: true, undoes };
    return this.#evaluate(user, stored, { ...NOTHING, event }, this.today(user, now), now);
  }

  /**
   * Sets a user without events as the user was elsewhere (docs/moving-in.md). What the values reach is completed
   * silently.
   * @returns what has changed; null if the row is refused
   */
  importUser(userId: string, row: ImportedUser, now: number): ImportedChanges | null {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored !== undefined && (stored.block !== null || hasOwnEvents(stored))) return null;
    const { config } = this;
    const user = stored ? copyUser(stored) : this.#newUser(userId, row.created ?? now);
    const { refusal, changed } = this.#applyProfile(user, row.profile, now);
    if (refusal !== null) return null;
    const today = this.today(user, now);
    const isPreferring = applyPreferences(user, row.preferences, now);
    const lost = settleStreaks(user, config, now);
    const changes = setImported(user, row, config, now);
    const isChanged = changes !== null || changed || isPreferring || lost;
    if (stored !== undefined && !isChanged) return NO_CHANGES;
    settleStreaks(user, config, now);
    // The freezes with which users begin here do not cover what was missed elsewhere.
    const { freezes } = user;
    if (stored === undefined) this.#beginTime(user, today);
    if (row.freezes !== null) user.freezes = freezes;
    const activated = [...config.achievements, ...config.leaderboards].map(({ id }) => id);
    this.#evaluate(user, stored, { ...NOTHING, activated }, today, now);
    return changes ?? NO_CHANGES;
  }

  #newUser(userId: string, created: number): ModelUser {
    const { tenant, settings } = this.config;
    const control = isInControlGroup(tenant, userId, settings.experimentation.controlRatio);
    return newModelUser(userId, control, created, dateOf('1970-01-01'));
  }

  /** What a new user begins with. */
  #beginTime(user: ModelUser, today: LocalDate): void {
    user.freezes = initialFreezes(this.config);
    user.settledDate = today;
  }

  /** As `applyProfile`. What was lost where the user was before stays lost. */
  #applyProfile(user: ModelUser, profile: UpdatedUser, now: number): ReturnType<typeof applyProfile> {
    const before = copyUser(user);
    const zoneBefore = zoneOf(user, this.config);
    const applied = applyProfile(user, profile, this.config, now);
    const zone = zoneOf(user, this.config);
    if (applied.refusal === null && zone !== zoneBefore) {
      settleStreaks(before, this.config, now);
      user.streaks = before.streaks;
      user.freezes = before.freezes;
      moveStreaks(user, zone);
    }
    return applied;
  }

  identify(userId: string, profile: UpdatedUser, now: number): Outcome {
    return this.#change(userId, profile, NOTHING, now);
  }

  read(userId: string, now: number): Outcome {
    return this.users.has(userId) ? this.#change(userId, {}, NOTHING, now) : { status: 'unknownUser' };
  }

  complete(userId: string, profile: UpdatedUser, achievementKey: string, now: number): Outcome {
    const api = this.config.achievements.find(({ key }) => key === achievementKey)!;
    this.settle(userId, now);
    const block = this.#blockOf(userId, now);
    if (block !== null) return { status: 'blocked', ...block };
    return this.#change(userId, profile, { ...NOTHING, api }, this.#completionAt(userId, api, now));
  }

  /** A completion is later than the revocation before it. */
  #completionAt(userId: string, { id }: Achievement, now: number): number {
    return Math.max(now, 1 + (this.users.get(userId)?.revoked.get(id) ?? now - 1));
  }

  /** An administrator adjusts points, which no boost multiplies. */
  adjust(userId: string, systemId: string, amount: number, now: number): Outcome {
    return this.#correct(userId, { ...NOTHING, adjusted: { systemId, amount } }, now, () => true);
  }

  /** An administrator completes an achievement of a user. */
  grant(userId: string, granted: Achievement, now: number): Outcome {
    const at = this.#completionAt(userId, granted, now);
    return this.#correct(
      userId,
      { ...NOTHING, granted },
      at,
      ({ achievements }) => !achievements.has(granted.id),
    );
  }

  /** A user or an administrator takes a step in a challenge. */
  takeStep(userId: string, asked: ModelStep, now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const isByUser = asked.step !== 'completed';
    if (isByUser && stored.block !== null) return { status: 'blocked', until: stored.block.until };
    const today = this.today(stored, now);
    const taken = takeStep(this.config, stored.challengeRuns, asked, today, now);
    if (typeof taken === 'string') return { status: 'refused', reason: taken, limit: false };
    const change = { ...NOTHING, stepIn: asked.challenge, step: taken };
    return this.#correct(userId, change, now, () => taken !== null);
  }

  /** An administrator takes an achievement back: no progress completes it again. */
  revoke(userId: string, { id }: Achievement, now: number): Outcome {
    return this.#correct(userId, NOTHING, now, ({ achievements, revoked, repeats }) => {
      const completedAt = achievements.get(id);
      if (completedAt === undefined) return false;
      achievements.delete(id);
      revoked.set(id, Math.max(now, completedAt));
      const known = repeats.get(id);
      if (known) repeats.set(id, { ...known, times: 0 });
      return true;
    });
  }

  /**
   * An administrator hides a user from a leaderboard, or shows the user again.
   * @param earlier as of `block`
   */
  hide(
    userId: string,
    board: Leaderboard,
    isHidden: boolean,
    earlier: readonly string[],
    now: number,
  ): Outcome {
    const change = { ...NOTHING, visibilityOn: board.id, earlier };
    return this.#correct(userId, change, now, ({ hiddenFrom }) => {
      const isSame = hiddenFrom.has(board.id) === isHidden && earlier.length === 0;
      if (isHidden) hiddenFrom.add(board.id);
      else hiddenFrom.delete(board.id);
      return !isSame;
    });
  }

  /** @param apply changes the user; answers whether there is anything to do */
  #correct(userId: string, change: Change, now: number, apply: (user: ModelUser) => boolean): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = copyUser(stored);
    const lost = settleStreaks(user, this.config, now);
    if (!apply(user) && !lost) return { status: 'unchanged' };
    return this.#evaluate(user, stored, change, this.today(user, now), now);
  }

  /** The user's block; null also if the user is due, because that may be its end. */
  #blockOf(userId: string, now: number): ModelUser['block'] {
    const user = this.users.get(userId);
    return user !== undefined && user.due > now ? user.block : null;
  }

  /**
   * Blocks a user, or lifts the block (null).
   * @param earlier names of rankings; the user leaves those of earlier runs
   */
  block(userId: string, block: ModelUser['block'], earlier: readonly string[], now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = { ...copyUser(stored), block };
    const isChanged = JSON.stringify(block) !== JSON.stringify(stored.block);
    return this.#changePresence(user, stored, isChanged || earlier.length > 0, earlier, now);
  }

  /** @param earlier as of `block`, for a user who opts out of leaderboards */
  prefer(userId: string, passed: ModelPreferences, earlier: readonly string[], now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = copyUser(stored);
    const isChanged = applyPreferences(user, passed, now);
    if (passed.isVisible !== undefined)
      return this.#changePresence(user, stored, isChanged || earlier.length > 0, earlier, now);
    const lost = settleStreaks(user, this.config, now);
    return isChanged || lost
      ? this.#evaluate(user, stored, NOTHING, this.today(user, now), now)
      : { status: 'unchanged' };
  }

  /** Gives the rewards of a run, once. */
  reward(userId: string, board: Leaderboard, run: number, reward: ModelReward, now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = copyUser(stored);
    const isGiven = user.block === null && run > (user.rewarded.get(board.id) ?? -Infinity);
    const lost = settleStreaks(user, this.config, now);
    if (!isGiven && !lost) return { status: 'unchanged' };
    if (isGiven) user.rewarded.set(board.id, run);
    const given = isGiven ? reward : { points: { ...reward.points, amounts: new Map() }, achievements: [] };
    return this.#evaluate(user, stored, { ...NOTHING, reward: given }, this.today(user, now), now);
  }

  #changePresence(
    user: ModelUser,
    stored: ModelUser,
    isChanged: boolean,
    earlier: readonly string[],
    now: number,
  ): Outcome {
    const lost = settleStreaks(user, this.config, now);
    if (!isChanged && !lost) return { status: 'unchanged' };
    const presence = isAway(user) === isAway(stored) ? 'same' : 'changed';
    const change: Change = { ...NOTHING, presence, earlier };
    return this.#evaluate(user, stored, change, this.today(user, now), now);
  }

  amendStreak(userId: string, amendment: StreakAmendment, now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = copyUser(stored);
    const today = this.today(user, now);
    settleStreaks(user, this.config, now);
    const refusal = amendStreak(user, this.config, amendment, today);
    return refusal === null
      ? this.#evaluate(user, stored, { ...NOTHING, restoresStreak: amendment.op === 'restore' }, today, now)
      : { status: 'refused', limit: false, ...refusal };
  }

  /** Gives a user, silently, what has become active for what the user did before. */
  activate(userId: string, activated: readonly string[], now: number): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    if (stored === undefined) return { status: 'unknownUser' };
    const user = copyUser(stored);
    settleStreaks(user, this.config, now);
    return this.#evaluate(user, stored, { ...NOTHING, activated }, this.today(user, now), now);
  }

  /**
   * Makes the rankings final whose runs are over everywhere, and finishes leaderboards. Answers the names of
   * the rankings.
   */
  finalize(now: number): string[] {
    const names = this.rankings.names().filter((name) => {
      const run = Number(name.split(':')[1]);
      const end = runEnd(this.#boardOf(name), dateOf('1970-01-01').plus({ days: run }));
      return end !== null && this.finalAt(this.#boardOf(name), end) <= now;
    });
    this.finalizeRankings(names);
    for (const board of this.config.leaderboards) {
      if (board.end !== null && this.finalAt(board, dateOf(board.end)) <= now)
        this.setStatus(board, 'finished');
    }
    return names;
  }

  /** When a run that ends with a date becomes final, ms. */
  finalAt(board: Leaderboard, end: LocalDate): number {
    return finalAt(board, end, this.config.settings.defaultTimeZone);
  }

  finalizeRankings(names: readonly string[]): void {
    for (const name of names) this.rankings.finalize(name, this.#boardOf(name));
  }

  setStatus(board: Leaderboard, status: Leaderboard['status']): void {
    const leaderboards = this.config.leaderboards.map((one) =>
      one.id === board.id ? { ...one, status } : one,
    );
    this.config = { ...this.config, leaderboards };
  }

  /** Names of the rankings of a run. */
  rankingsOf(board: Leaderboard, run: LocalDate): string[] {
    return this.rankings.names().filter((name) => name.startsWith(rankingName(board, run, '')));
  }

  /** From now on, whoever counts in a league counts in this run. */
  beginLeagueRun(board: Leaderboard, run: LocalDate): void {
    for (const userId of this.users.keys()) this.#leagues.begin(board, userId, run);
  }

  /** Takes all members of a league to their tiers of the next run, while the rankings of the last one are there. */
  moveLeague(board: Leaderboard, next: LocalDate): void {
    for (const stored of this.users.values()) {
      const known = stored.boards.get(board.id);
      if (!stored.leagues.has(board.id) || known === undefined || known.run >= next) continue;
      const user = copyUser(stored);
      this.#endLeagueRun(user, board, next);
      user.boards.set(board.id, { run: next, value: valueAtFirst(board), group: null });
      this.users.set(user.id, user);
    }
  }

  #boardOf(ranking: string): Leaderboard {
    return this.config.leaderboards.find(({ no }) => no === Number(ranking.split(':')[0]))!;
  }

  /** The user's date on the wall. */
  today(user: ModelUser, now: number): LocalDate {
    return localDate(zoneOf(user, this.config), now);
  }

  /** Gives a user another id, which nobody has. The user is due at once (lua/releaseUser.lua). */
  rename(userId: string, newId: string, now: number): void {
    const user = this.users.get(userId)!;
    user.hasFormerKeys ||= this.keys.isUsedBy(userId);
    this.users.delete(userId);
    this.users.set(newId, { ...user, id: newId, due: Math.floor(now / 1000) * 1000 });
    this.rankings.rename(userId, newId);
    this.keys.rename(userId, newId);
  }

  /** Redis was lost and is restored. */
  restore(): void {
    this.#leagues.restore([...this.users.values()].flatMap(({ leagues }) => [...leagues]));
  }

  /** The user has never been here. */
  erase(userId: string): void {
    this.rankings.erase(userId);
    this.users.delete(userId);
    this.keys.erase(userId);
  }

  /**
   * A replay shows the user as settled now, and changes nothing: what it says of the user is not applied
   * either. Nobody may have the id any more.
   */
  #replay(userId: string, metricId: string, usedAt: number | null, now: number): Outcome {
    const stored = this.users.get(userId);
    const user = stored ? copyUser(stored) : newModelUser(userId, false, now, dateOf('1970-01-01'));
    const today = this.today(user, now);
    settleStreaks(user, this.config, now);
    const total = counterTotal(user.events, metricId);
    return { status: 'replayed', day: ordinal('daily', today), total, streak: this.#streakNow(user), usedAt };
  }

  /** The one way in which a user changes. */
  #change(
    userId: string,
    profile: UpdatedUser,
    change: Change,
    now: number,
    sent: Sent | null = null,
  ): Outcome {
    this.settle(userId, now);
    const stored = this.users.get(userId);
    const user = stored ? copyUser(stored) : this.#newUser(userId, now);
    const { signUpDate } = user;
    const zone = zoneOf({ ...user, tz: profile.tz === undefined ? user.tz : profile.tz }, this.config);
    const guarded = sent && decisionOn(sent, user, zone, now);
    if (guarded && 'guard' in guarded) return { status: 'guarded', ...guarded };
    const { refusal, changed } = this.#applyProfile(user, profile, now);
    if (refusal !== null) return { status: refusal };
    const today = this.today(user, now);
    if (!stored) this.#beginTime(user, today);
    const lost = settleStreaks(user, this.config, now);

    const completes = change.api !== null && !user.achievements.has(change.api.id);
    if (stored && sent === null && !completes && !changed && !lost) return { status: 'unchanged' };
    const hasNewSignUp = user.signUpDate !== signUpDate;
    const event = sent && {
      metricId: sent.metric.id,
      value: guarded!.value,
      attributes: sent.attributes,
      happenedAt: sent.happenedAt,
      typed: typedAttributes(this.config, sent.attributes),
      at: now,
      date: guarded!.date,
      localDate: localDate(zoneOf(user, this.config), sent.happenedAt),
      clock: clockAt(zoneOf(user, this.config), sent.happenedAt),
      user: typedAttributes(this.config, user.attributes),
      isApproved: sent.isApproved,
    };
    const outcome = this.#evaluate(user, stored, { ...change, event, hasNewSignUp }, today, now);
    if (outcome.status !== 'recorded' || !guarded || guarded.by === null) return outcome;
    return { ...outcome, clamped: { to: guarded.value, by: guarded.by } };
  }

  /** Does all that is due for a user until `now`, one thing after the other. */
  settle(userId: string, now: number): void {
    for (
      let user = this.users.get(userId);
      user !== undefined && nextAt(user) <= now;
      user = this.users.get(userId)
    ) {
      this.#step(user, nextAt(user), user.reviewAt === null);
    }
  }

  /** The same for everybody: in the order in which it is due, then in the one given. */
  settleAll(order: readonly string[], now: number): void {
    for (;;) {
      const at = Math.min(...order.map((userId) => nextAt(this.users.get(userId)!)));
      if (!(at <= now)) return;
      for (const userId of order) {
        const user = this.users.get(userId)!;
        if (nextAt(user) === at) this.#step(user, at, user.reviewAt === null);
      }
    }
  }

  /**
   * Newer rules of time are in force: they look at each user, as of now, before anything else happens to that
   * user. Nothing is due any more.
   */
  bringTimeRules(now: number): void {
    for (const user of this.users.values()) user.reviewAt = Math.floor(now / 1000) * 1000;
  }

  /** Does that for everybody, in this order. */
  reviewAll(order: readonly string[]): void {
    for (const user of order.map((userId) => this.users.get(userId)!)) {
      if (user.reviewAt !== null) this.#step(user, user.reviewAt, false);
    }
  }

  #step(stored: ModelUser, at: number, isDue: boolean): void {
    const user = { ...copyUser(stored), reviewAt: null };
    const today = this.today(user, at);
    const earned = earnFreezes(user, this.config, today, !isDue);
    const shows = settleStreaks(user, this.config, at);
    const change = {
      ...NOTHING,
      tick: isDue ? at : null,
      settles: true,
      settled: settledStreak(stored, user, this.config.streak.frequency),
      hasEffect: !isDue || earned || shows,
    };
    const outcome = this.#evaluate(user, stored, change, today, at);
    if (outcome.status !== 'recorded') throw new Error(`time is refused: ${outcome.status}`);
    const { completed, completedSilently, points, boards } = outcome;
    const effects = [completed, completedSilently, points, boards];
    const begins = user.frequency !== stored.frequency || (user.hasStreak && !stored.hasStreak);
    if (!earned && !shows && !begins && effects.every((list) => list.length === 0)) user.sequence--;
    if (user.block !== null && user.block.until !== null && user.block.until <= at) this.#unblock(user, at);
  }

  /** The block ends by itself. */
  #unblock(stored: ModelUser, at: number): void {
    const user = { ...copyUser(stored), block: null };
    const presence = isAway(user) ? 'same' : 'changed';
    const change: Change = { ...NOTHING, settles: true, presence };
    const outcome = this.#evaluate(user, stored, change, this.today(user, at), at);
    if (outcome.status === 'recorded' && outcome.boards.length === 0) user.sequence--;
  }

  #together(work: () => Outcome[][]): Outcome[][] {
    this.rankings.beginCall();
    this.#unranked = [];
    const outcomes = work();
    for (const rank of this.#unranked) rank();
    this.#unranked = null;
    const isPlace = ({ rank, previousRank }: BoardChange): boolean => rank !== null || previousRank !== null;
    const withPlaces = (outcome: Outcome): Outcome =>
      outcome.status === 'recorded' ? { ...outcome, boards: outcome.boards.filter(isPlace) } : outcome;
    return outcomes.map((each) => each.map(withPlaces));
  }

  #evaluate(...evaluation: Evaluation): Outcome {
    if (this.#unranked !== null) return this.#evaluateOne(...evaluation);
    return this.#together(() => [[this.#evaluateOne(...evaluation)]])[0]![0]!;
  }

  #evaluateOne(...[user, stored, started, today, now]: Evaluation): Outcome {
    const { config } = this;
    const { event } = started;
    if (event) user.events = [...user.events, event];
    const counted = event
      ? countChallenges(config, user, event, today, now)
      : started.activated
        ? fillChallenges(config, user, started.activated, user.events, today, now)
        : started.step;
    const challenges = counted?.completed ?? [];
    const rewarded = challenges.flatMap(({ rewards }) => rewards?.achievementId ?? []);
    const change: Change = { ...started, rewarded };
    user.challengeCompletions = withCompletions(user, counted?.runs ?? []);
    user.challengeRuns = counted?.runs ?? user.challengeRuns;
    const at = event?.happenedAt ?? now;
    const extended = event !== null && extendStreaks(user, config, event, today, zoneOf(user, config), at);
    for (const { rewards } of challenges) this.#giveFreezes(user, rewards?.freezes ?? 0);
    const anniversaries = this.#completeAnniversaries(user, change, today, now);
    const isDue = change.tick !== null;
    const repeated = event === null ? [] : this.#completeRepeated(user, event);
    const achieved = this.#completeAchievements(user, change, now);
    const completed = [...(isDue ? anniversaries : []), ...(change.activated === null ? achieved : [])];
    const silently = [...(isDue ? [] : anniversaries), ...(change.activated === null ? [] : achieved)];
    const numbers = (ids: string[]): number[] =>
      ids.map((id) => config.achievements.find((achievement) => achievement.id === id)!.no);

    const extendedTo = extended ? this.#streak(user).length : null;
    const { tick } = change;
    const given = change.reward?.points ?? givenBy(change.adjusted);
    const again = repeated.map(({ id }) => id);
    const context = {
      // An imported user began elsewhere.
      isNew: stored === undefined && change.activated === null,
      event,
      extendedTo,
      completed: [...completed, ...again],
      challenges,
      at: tick ?? at,
      today,
      tick,
      given,
    };
    const points = [];
    for (const system of config.pointsSystems) {
      const before = user.points.get(system.id) ?? 0;
      const awards = awardPoints(user, system, config, context);
      if (awards === null) return { status: 'outOfPoints', system: system.no };
      const total = user.points.get(system.id) ?? 0;
      if (awards.length > 0) points.push({ system: system.no, total, added: total - before, awards });
    }

    for (const challenge of challenges) {
      if (!challenge.rewards?.boost) continue;
      const { hours, ...boost } = challenge.rewards.boost;
      const no = boostOfChallenge(challenge);
      const given = { ...boost, no, rounding: 'down' as const, from: now, until: now + hours * 3_600_000 };
      user.boosts = [...user.boosts, given];
    }
    user.sequence++;
    user.hasStreak = this.#length(user) > 0;
    const looked = change.hasEffect || points.length > 0 ? config.leaderboards : [];
    const boards = looked.map((board) => this.#rank(user, stored, board, change, today, now));
    boards.push(...change.earlier.map((name) => this.#leaveEarlier(user, name)));
    const hasDays = timeTriggers(config).some(({ timeUnit }) => timeUnit === 'day');
    if (hasDays && today > user.settledDate) user.settledDate = today;
    user.due = Math.min(nextDue(user, config, now), user.block?.until ?? Number.POSITIVE_INFINITY);
    this.users.set(user.id, user);
    const outcome: Outcome = {
      status: 'recorded',
      sequence: user.sequence,
      isNew: stored === undefined,
      day: ordinal('daily', today),
      total: event ? counterTotal(user.events, event.metricId) : 0,
      frequency: config.streak.frequency,
      streak: this.#streakNow(user),
      extended,
      completed: numbers(completed),
      completedSilently: numbers(silently),
      repeated: repeated.map(({ no, id }) => ({
        achievement: no,
        isSilent: false,
        times: user.repeats.get(id)!.times,
        firstAt: user.achievements.get(id)!,
      })),
      points,
      boards: boards.filter((board) => board !== null),
      ...(counted && counted.changes.length > 0 && { challenges: counted.changes }),
    };
    const { settled, activated, settles } = change;
    this.onChange(user.id, outcome, {
      event,
      at,
      now,
      today,
      settled,
      isActivation: activated !== null,
      settles,
      before: stored,
      after: user,
    });
    return outcome;
  }

  #giveFreezes(user: ModelUser, count: number): void {
    const { enabled, freezes } = this.config.streak;
    const max = enabled && freezes ? freezes.maxCount : 0;
    user.freezes = Math.max(user.freezes, Math.min(user.freezes + count, max));
  }

  /** The streak of the frequency in force. */
  #streak(user: ModelUser): ModelStreak {
    return user.streaks[this.config.streak.frequency];
  }

  /** Every length is 0 while streaks are switched off. */
  #length(user: ModelUser): number {
    return this.config.streak.enabled ? this.#streak(user).length : 0;
  }

  #streakNow(user: ModelUser): StreakNow {
    const { firstDate, lastPeriod } = this.#streak(user);
    const { frequency } = this.config.streak;
    return {
      length: this.#length(user),
      firstDay: ordinal('daily', firstDate),
      lastPeriod: ordinal(frequency, lastPeriod),
      daysOff: daysOffOf(this.config.streak, scriptPreferences(user, this.config)),
    };
  }

  /**
   * Completes the anniversaries that have come when the user is settled or has got another sign-up date, and
   * what they open. Answers ids.
   */
  #completeAnniversaries(user: ModelUser, change: Change, today: LocalDate, now: number): string[] {
    const { signUpDate } = user;
    if (signUpDate === null || !(change.settles || change.hasNewSignUp || change.activated)) return [];
    const reached = this.config.achievements.filter(
      ({ id, trigger, status, anniversaryYears, userAttributes }) =>
        trigger === 'anniversary' &&
        status === 'active' &&
        mayComplete(user, id) &&
        matches(userAttributes, user.attributes) &&
        anniversaryDate(signUpDate, anniversaryYears!) <= today,
    );
    const completed = reached.map(({ id }) => id);
    for (const id of completed) user.achievements.set(id, now);
    for (;;) {
      const opened = this.config.achievements.find(
        (achievement) =>
          achievement.status === 'active' &&
          mayComplete(user, achievement.id) &&
          prerequisites(achievement).ids.some((id) => completed.includes(id)) &&
          this.#isMet(achievement, user, NOTHING),
      );
      if (opened === undefined) return completed;
      user.achievements.set(opened.id, now);
      completed.push(opened.id);
    }
  }

  /**
   * Completes what has become possible, once per user; prerequisites come before what they open. Answers ids.
   */
  #completeAchievements(user: ModelUser, change: Change, now: number): string[] {
    const possible = this.config.achievements.filter(
      (achievement) =>
        achievement.status === 'active' &&
        (achievement.trigger !== 'anniversary' || achievement.id === change.granted?.id) &&
        this.#concerns(achievement, change),
    );
    const completed: string[] = [];
    for (;;) {
      const next = possible.find(
        (achievement) =>
          (mayComplete(user, achievement.id) || this.#isCompletedByHand(achievement, user, change)) &&
          this.#isMet(achievement, user, change),
      );
      if (next === undefined) return completed;
      user.achievements.set(next.id, now);
      user.revoked.delete(next.id);
      completed.push(next.id);
    }
  }

  /**
   * Notes the period of each achievement that repeats and that the event reaches. Answers those that it completes
   * again.
   */
  #completeRepeated(user: ModelUser, event: ModelEvent): Achievement[] {
    return this.config.achievements.filter((achievement) => {
      const { id, status, repeat, metricId, metricValue, userAttributes } = achievement;
      if (repeat === null || status !== 'active' || metricId !== event.metricId) return false;
      if (addedBy(achievement, event) === null) return false;
      const { period, before, after } = lastCounted(user.events, metricId, achievement);
      if (after < metricValue! || !matches(userAttributes, user.attributes)) return false;
      const known = user.repeats.get(id);
      const isRevoked = user.revoked.has(id);
      const isFirst = !user.achievements.has(id) && !isRevoked;
      if (known ? known.periods.has(period) : !isFirst && before >= metricValue!) return false;
      const times = isFirst ? 1 : Math.max(known?.times ?? 0, 1) + 1;
      const periods = new Set([...(known?.periods ?? []), period]);
      user.repeats.set(id, { times: isRevoked ? 0 : times, periods });
      return !isFirst && !isRevoked;
    });
  }

  /** What was revoked can be completed again by the API, by a reward, or by an administrator. */
  #isCompletedByHand({ id }: Achievement, { achievements }: ModelUser, change: Change): boolean {
    const ids = [change.api?.id, change.granted?.id, ...givenAchievements(change)];
    return ids.includes(id) && !achievements.has(id);
  }

  #isMet(achievement: Achievement, user: ModelUser, change: Change): boolean {
    const { id, trigger, metricId, metricValue } = achievement;
    if (id === change.granted?.id) return true;
    if (trigger === 'api') return [change.api?.id, ...givenAchievements(change)].includes(id);
    if (!matches(achievement.userAttributes, user.attributes)) return false;
    if (trigger === 'streak') return this.#length(user) >= achievement.streakLength!;
    if (trigger === 'achievement') {
      const { ids, needed } = prerequisites(achievement);
      return ids.filter((required) => user.achievements.has(required)).length >= needed;
    }
    // Only an event that the counter counts can raise its peak.
    if (change.event && addedBy(achievement, change.event) === null) return false;
    return counterPeak(user.events, metricId!, achievement) >= metricValue!;
  }

  /** The challenges that a change may complete or reward. */
  #concerned({ event, stepIn }: Change): Challenge[] {
    return stepIn ? [stepIn] : challengesOf(this.config, event?.metricId ?? null);
  }

  /**
   * Whether a change can complete an achievement, so that it is looked at: an event of its metric, of a
   * metric that the streak asks for, its completion by API, or whatever concerns one of its prerequisites.
   */
  #concerns(achievement: Achievement, change: Change): boolean {
    if (achievement.id === change.granted?.id) return true;
    if (change.activated?.includes(achievement.id)) return achievement.trigger !== 'api';
    const metricId = change.event?.metricId ?? null;
    switch (achievement.trigger) {
      case 'metric':
        return achievement.metricId === metricId;
      case 'streak':
        return isCondition(this.config, metricId) || (this.config.streak.enabled && change.restoresStreak);
      case 'api':
        return (
          change.reward !== null ||
          achievement.id === change.api?.id ||
          this.#concerned(change).some(({ rewards }) => rewards?.achievementId === achievement.id)
        );
      case 'anniversary':
        return true;
      case 'achievement':
        return this.config.achievements.some(
          (other) =>
            prerequisites(achievement).ids.includes(other.id) &&
            other.status === 'active' &&
            this.#concerns(other, change),
        );
    }
  }

  /**
   * Whether a change can move a user on a board, so that it is looked at, and a new run of it begins for the
   * user.
   */
  #mayMove(board: Leaderboard, change: Change): boolean {
    const { config } = this;
    const metricId = change.event?.metricId ?? null;
    // What time brings does not count in a league.
    if (board.league !== null && change.settles) return false;
    if (change.activated !== null) return board.league === null;
    if (board.breakdownAttributes.length > 0) return true;
    if (board.rankBy === 'metric') return board.metricId === metricId;
    if (board.rankBy === 'streak' || change.reward !== null) return true;
    if (change.adjusted?.systemId === board.pointsSystemId) return true;
    const gives = this.#concerned(change).flatMap(({ rewards }) => rewards?.points ?? []);
    if (gives.some(({ systemId }) => systemId === board.pointsSystemId)) return true;
    return config.pointsTriggers.some((trigger) => {
      if (trigger.systemId !== board.pointsSystemId || trigger.status !== 'active') return false;
      if (trigger.type === 'metric') return trigger.metricId === metricId;
      if (trigger.type === 'streak') return isCondition(config, metricId);
      if (trigger.type === 'time') return change.settles;
      if (trigger.type !== 'achievement') return trigger.type === 'user_creation';
      const achievement = config.achievements.find(({ id }) => id === trigger.achievementId)!;
      return achievement.status === 'active' && this.#concerns(achievement, change);
    });
  }

  /**
   * Brings the user's place on one leaderboard up to date; null if it stays. Ranks and threshold are known
   * after the call.
   */
  #rank(
    user: ModelUser,
    stored: ModelUser | undefined,
    board: Leaderboard,
    change: Change,
    today: LocalDate,
    now: number,
  ): BoardChange | null {
    const { presence } = change;
    const isHidden = isAway(user) || user.hiddenFrom.has(board.id);
    const changesPresence =
      board.id === change.visibilityOn ||
      (presence === 'changed' && user.boards.has(board.id) && !user.hiddenFrom.has(board.id));
    const isConcerned =
      changesPresence || (presence === null ? this.#mayMove(board, change) : board.rankBy === 'streak');
    if (!isConcerned) return null;
    const current =
      board.league === null
        ? runStart(board, dateOfRuns(board, today, now))
        : this.#leagueRun(user, board, now);
    let known = user.boards.get(board.id);
    // A run never goes back: who travels west across midnight stays in the newer one.
    if (current !== null && (known === undefined || known.run < current)) {
      if (board.league !== null) {
        this.#endLeagueRun(user, board, current);
        this.#leagues.begin(board, user.id, current);
      }
      known = { run: current, value: valueAtFirst(board), group: null };
    }
    if (known === undefined) return null;
    const { run } = known;

    // On a date without a run nothing counts, but a group can change.
    const value =
      current === null || isPaused(board)
        ? known.value
        : this.#value(user, stored, board, known.value, change, now);
    const byAttributes = groupOf(board, user.attributes);
    const group =
      board.league === null
        ? byAttributes
        : this.#leagueGroup(user, board, current, value, byAttributes, isHidden);
    user.boards.set(board.id, { run, value, group });
    // A value that did not change keeps its place, and its right to stand before equal ones that came later.
    const isSame = value === known.value && group === known.group && !changesPresence;
    if (isSame) return null;

    const from = known.group === null ? null : rankingName(board, run, known.group);
    const to = group === null || isHidden ? null : rankingName(board, run, group);
    const wasRanked = from !== null && this.rankings.has(from, user.id);
    const rankBefore = wasRanked ? this.rankings.rankBefore(from, user.id, board) : null;
    if (from !== null) this.rankings.leave(from, user.id);
    // Without a value, the only event that gave one was undone.
    const isRanked =
      to !== null && value !== null && isRankable(board, value) && (current !== null || wasRanked);
    if (isRanked) this.rankings.enter(to, user.id, value, board);
    const isWorse = value !== null && known.value !== null && isBetter(board, known.value, value);
    if (wasRanked && (from !== to || !isRanked || isWorse)) this.rankings.fall(from);
    // The user moves among those without a place.
    if ((rankBefore ?? null) === null && isRanked && this.rankings.isHopeless(to, value, board)) return null;
    const report: BoardChange = {
      board: board.no,
      run: ordinal('daily', run),
      rank: null,
      previousRank: null,
      threshold: 0,
      value: value ?? known.value!,
      previousValue: known.value,
      group: group ?? known.group!,
      leftGroup: wasRanked && group !== null && group !== known.group ? known.group! : null,
    };
    this.#unranked!.push(() => {
      report.previousRank =
        rankBefore === undefined ? this.rankings.rankOf(from!, user.id, board) : rankBefore;
      if (isRanked) report.rank = this.rankings.rankOf(to, user.id, board);
      if (to !== null) report.threshold = this.rankings.threshold(to, board);
    });
    return report;
  }

  /**
   * The user leaves the ranking of an earlier run; null if the user is not on it, or if it is of a league, whose
   * earlier runs have ended for everybody.
   */
  #leaveEarlier(user: ModelUser, name: string): BoardChange | null {
    const board = this.#boardOf(name);
    const [, run, ...group] = name.split(':');
    const known = user.boards.get(board.id);
    const isPresent = known !== undefined && ordinal('daily', known.run) === Number(run);
    const place = this.rankings.ranking(name).find(({ userId }) => userId === user.id);
    if (place === undefined || board.league !== null || isPresent) return null;
    const previousRank = this.rankings.rankOf(name, user.id, board);
    this.rankings.leave(name, user.id);
    this.rankings.fall(name);
    return {
      board: board.no,
      run: Number(run),
      rank: null,
      previousRank,
      threshold: this.rankings.threshold(name, board),
      value: place.value,
      previousValue: place.value,
      group: group.join(':'),
      leftGroup: null,
    };
  }

  /** The present run, or a later one that somebody has begun. */
  #leagueRun(user: ModelUser, board: Leaderboard, now: number): LocalDate | null {
    const current = runStart(board, localDate(this.config.settings.defaultTimeZone, now));
    const begun = this.#leagues.begun(board, user.id);
    return current !== null && begun !== undefined && begun > current ? begun : current;
  }

  /** Moves the user to the tier of a later run. */
  #endLeagueRun(user: ModelUser, board: Leaderboard, current: LocalDate): void {
    const membership = user.leagues.get(board.id);
    if (membership === undefined) return;
    const { run, group } = user.boards.get(board.id)!;
    const ranking = group === null ? [] : this.rankings.ranking(rankingName(board, run, group));
    const place = ranking.findIndex(({ userId }) => userId === user.id);
    const result = place === -1 ? null : { rank: place + 1, size: ranking.length };
    user.leagues.set(board.id, ModelLeagues.later(board, membership, result, runCount(board, current)));
  }

  /** The user's group in a league: a user with a score takes a seat among those with the same attributes. */
  #leagueGroup(
    user: ModelUser,
    board: Leaderboard,
    current: LocalDate | null,
    value: number | null,
    attributes: string | null,
    isHidden: boolean,
  ): string | null {
    const membership = user.leagues.get(board.id);
    const stays = membership?.seat && membership.seat.attributes === attributes;
    if (membership !== undefined && (stays || current === null)) return leagueGroup(board, membership);
    if (membership !== undefined) user.leagues.set(board.id, { ...membership, seat: null });
    if (current === null || attributes === null || isHidden) return null;
    if (value === null || !isRankable(board, value)) return null;
    const run = runCount(board, current);
    const tier = membership?.tier ?? lowestTier(board, run);
    const joined = this.#leagues.join(board, user.id, run, tier, attributes);
    user.leagues.set(board.id, joined);
    return leagueGroup(board, joined);
  }

  /** The best or latest value of a run after an event was undone. */
  #valueWithout({ events, boards }: ModelUser, board: Leaderboard, zone: string): number | null {
    const home = this.config.settings.defaultTimeZone;
    const runAt = ({ localDate: date, happenedAt }: ModelEvent): LocalDate | null =>
      runStart(
        board,
        board.league === null ? dateOfRuns(board, date, happenedAt) : localDate(home, happenedAt),
      );
    const run = boards.get(board.id)!.run;
    const ofRun = withoutUndone(events).filter(
      (event) => countsOn(board, event, zone) && (isWhole(board) || +(runAt(event) ?? 0) === +run),
    );
    return pastValue(board, ofRun);
  }

  /**
   * The best or latest value of the events; or the gain in the run where the board begins anew or counts part of
   * the day only; else the total itself.
   */
  #value(
    user: ModelUser,
    stored: ModelUser | undefined,
    board: Leaderboard,
    previous: number | null,
    { event, activated }: Change,
    now: number,
  ): number | null {
    if (board.rankBy === 'streak') return this.#length(user);
    // Past events count on a leaderboard of all events only. Others keep what they have.
    if (activated?.includes(board.id) && board.aggregation !== 'sum' && isWhole(board))
      return pastValue(board, withoutUndone(user.events));
    const zone = user.tz ?? this.config.settings.defaultTimeZone;
    const isInTime = inWindow(board, zone, event?.happenedAt ?? now);
    const added = event?.metricId === board.metricId && event ? addedBy(board, event) : null;
    const isCounted = added !== null;
    if (board.aggregation !== 'sum') {
      if (!isCounted || !isInTime) return previous;
      if (event!.undoes !== undefined) return this.#valueWithout(user, board, zone);
      const isKept =
        board.aggregation === 'best'
          ? !isBetter(board, event!.value, previous)
          : withoutUndone(user.events).some(
              (other) => isLater(other, event!) && countsOn(board, other, zone),
            );
      return isKept ? previous : event!.value + 0;
    }
    const isBounded = board.runUnit !== null || board.end !== null;
    const isGain = isBounded || board.startTime !== null || board.endTime !== null;
    let total: number;
    let gained: number;
    if (board.rankBy === 'metric') {
      total = counterTotal(user.events, board.metricId!, board);
      gained = added ?? 0;
      // A second event of a day adds none.
      if (board.aggregate === 'days' && isCounted)
        gained = total - counterTotal(user.events.slice(0, -1), board.metricId!, board);
    } else {
      total = user.points.get(board.pointsSystemId!) ?? 0;
      // An import sets a total, and gains nothing in a run.
      gained = activated === null ? total - (stored?.points.get(board.pointsSystemId!) ?? 0) : 0;
    }
    if (!isGain) return total;
    return isInTime ? decimalSum(previous!, gained) : previous;
  }
}

function decisionOn(sent: Sent, { events }: ModelUser, zone: string, now: number): GuardDecision {
  const { metric, value, isApproved } = sent;
  if (isApproved) return { value, by: null, date: localDate(zone, now) };
  return guardDecision(metric, events, value, zone, now);
}

function settledStreak(before: ModelUser, after: ModelUser, frequency: Frequency): SettledStreak {
  // What happened before the frequency came into force counts for nothing.
  const wasInForce = before.frequency === frequency;
  const added = after.periods.slice(before.periods.length);
  const kept = wasInForce ? added.filter((one) => one.frequency === frequency) : [];
  const { length } = before.streaks[frequency];
  const isLost = wasInForce && after.streaks[frequency].length < length;
  const consumed = kept.filter(({ by }) => by === 'freeze').length;
  const earned = after.freezes - before.freezes + consumed;
  return { lost: isLost ? length : 0, kept, consumed, earned, freezes: after.freezes };
}

const isLater = (a: ModelEvent, b: ModelEvent): boolean => a.happenedAt > b.happenedAt;

/** Whether an event counts on a leaderboard of the best or the latest value, in the run of its instant. */
const countsOn = (board: Leaderboard, event: ModelEvent, zone: string | null): boolean =>
  event.metricId === board.metricId &&
  !event.isTotal &&
  addedBy(board, event) !== null &&
  (zone === null || inWindow(board, zone, event.happenedAt)) &&
  !board.pauses.some(({ from, to }) =>
    [event.at, event.happenedAt].some((at) => Date.parse(from) <= at && (to === null || at < Date.parse(to))),
  );

/** The best or latest value of all events; null without one. */
function pastValue(board: Leaderboard, events: readonly ModelEvent[]): number | null {
  const counting = events
    .filter((event) => countsOn(board, event, null))
    .toSorted((a, b) => a.happenedAt - b.happenedAt);
  if (board.aggregation === 'latest') return counting.at(-1)?.value ?? null;
  return counting.reduce<number | null>(
    (best, { value }) => (isBetter(board, value, best) ? value : best),
    null,
  );
}

/** Without events a sum is 0, and there is no best or latest value. */
export const valueAtFirst = ({ aggregation }: Leaderboard): number | null =>
  aggregation === 'sum' ? 0 : null;

/** Whoever is due at the same instant is settled in this order. */
export function byName(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Ids of the achievements that a run of a leaderboard or a challenge gives. */
const givenAchievements = ({ reward, rewarded }: Change): readonly string[] => [
  ...(reward?.achievements ?? []),
  ...rewarded,
];

/** When something happens to the user by itself. */
const nextAt = ({ reviewAt, due }: ModelUser): number => reviewAt ?? due;

/** Whether progress may complete an achievement. */
const mayComplete = ({ achievements, revoked }: ModelUser, id: string): boolean =>
  !achievements.has(id) && !revoked.has(id);

const givenBy = (adjusted: Change['adjusted']): GivenPoints | null =>
  adjusted && {
    trigger: ADJUSTMENT_TRIGGER,
    amounts: new Map([[adjusted.systemId, adjusted.amount]]),
  };

/** As in the key of the ranking. */
function rankingName(board: Leaderboard, run: LocalDate, group: string): string {
  return `${board.no}:${ordinal('daily', run)}:${group}`;
}
