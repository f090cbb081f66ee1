import type { Config } from '../../src/rules/config.ts';
import { Model } from './model.ts';
import { type GuardedEvent, guardDecision } from './modelGuards.ts';
import type { ModelUser } from './modelUser.ts';

/** An event as it is sent, with keys of metric and attributes. */
export interface SentEvent {
  userId: string;
  metric: string;
  value: number;
  attributes: Record<string, string>;
  /** ms; null for an event of now. */
  timestamp: number | null;
  idempotencyKey: string | null;
}

export type ReviewStatus = 'held' | 'approved' | 'rejected';

interface HeldByModel {
  event: SentEvent;
  /** When it happened, ms. */
  at: number;
  status: ReviewStatus;
}

interface ReviewedUser {
  /** Time zone and when it was set, ms. */
  tz: string | null;
  since: number;
  isBlocked: boolean;
  /** Events of now and late ones, as guards count them: when they arrived. */
  guarded: GuardedEvent[];
  /** Everything that counts, at its own instant. */
  counting: { event: SentEvent; at: number }[];
  /** By metric and idempotency key: id of the held event, null for an event that counts. */
  keys: Map<string, string | null>;
}

/** What becomes of an event that is sent. */
export type Expected = 'recorded' | 'replayed' | 'blocked' | 'refused' | 'held' | { heldAs: string };

/**
 * A plain implementation of guards that hold or refuse events and of their review. What counts in the end is evaluated
 * by the model of the rules (support/model.ts), in the order in which it happened and without guards.
 */
export class ModelReview {
  readonly #config: Config;
  readonly #users = new Map<string, ReviewedUser>();
  /** What guards do, by metric. */
  readonly #actions = new Map<string, 'hold' | 'refuse'>();
  readonly held = new Map<string, HeldByModel>();
  approvals = 0;

  constructor(config: Config) {
    this.#config = config;
    for (const { key } of config.metrics) this.setAction(key, 'hold');
  }

  setAction(metric: string, action: 'hold' | 'refuse'): void {
    this.#actions.set(metric, action);
  }

  /** A user without a past, with a time zone if it is known. */
  begin(userId: string, tz: string | null, now: number): void {
    const nothing = { isBlocked: false, guarded: [], counting: [], keys: new Map<string, string | null>() };
    this.#users.set(userId, { ...nothing, tz, since: now });
  }

  /** @param tz of the user who is created with the id next */
  erase(userId: string, tz: string | null, now: number): void {
    for (const [id, { event }] of this.held) if (event.userId === userId) this.held.delete(id);
    this.begin(userId, tz, now);
  }

  block(userId: string, isBlocked: boolean): void {
    this.#users.get(userId)!.isBlocked = isBlocked;
  }

  isBlocked(userId: string): boolean {
    return this.#users.get(userId)!.isBlocked;
  }

  isKnown(userId: string): boolean {
    const user = this.#users.get(userId)!;
    return user.tz !== null || user.counting.length > 0;
  }

  /** Records the event if nothing prevents it. An event to be held is then given to `hold`. */
  send(event: SentEvent, now: number): Expected {
    const user = this.#users.get(event.userId)!;
    if (user.isBlocked) return 'blocked';
    const key = event.idempotencyKey && `${event.metric} ${event.idempotencyKey}`;
    const known = key === null ? undefined : user.keys.get(key);
    if (known !== undefined) return known === null ? 'replayed' : { heldAs: known };
    const metric = this.#config.metrics.find((one) => one.key === event.metric)!;
    const decision = guardDecision(metric, user.guarded, event.value, user.tz ?? 'UTC', now);
    if ('guard' in decision) return this.#actions.get(event.metric)! === 'hold' ? 'held' : 'refused';
    const { value, date } = decision;
    user.guarded.push({ metricId: metric.id, value, at: now, date, isApproved: false });
    user.counting.push({ event, at: event.timestamp ?? now });
    if (key !== null) user.keys.set(key, null);
    return 'recorded';
  }

  hold(id: string, event: SentEvent, now: number): void {
    this.held.set(id, { event, at: event.timestamp ?? now, status: 'held' });
    const { idempotencyKey, metric, userId } = event;
    if (idempotencyKey !== null) this.#users.get(userId)!.keys.set(`${metric} ${idempotencyKey}`, id);
  }

  /** Decides on an event, unless somebody has before. @returns its status afterwards; null if it is gone */
  decide(id: string, status: ReviewStatus): ReviewStatus | null {
    const held = this.held.get(id);
    if (held === undefined) return null;
    if (held.status !== 'held' || status === 'held') return held.status;
    if (status === 'approved') {
      if (this.isBlocked(held.event.userId)) return 'held';
      this.#users.get(held.event.userId)!.counting.push(held);
      this.approvals++;
    }
    held.status = status;
    return status;
  }

  /** The user as everything that counts makes one, in order and in time; undefined without any. */
  evaluate(userId: string, now: number): ModelUser | undefined {
    const { tz, since, counting } = this.#users.get(userId)!;
    const metrics = this.#config.metrics.map((metric) => ({ ...metric, guards: null }));
    const model = new Model({ ...this.#config, metrics });
    if (tz !== null) model.identify(userId, { tz }, since);
    for (const { event, at } of counting.toSorted((a, b) => a.at - b.at)) {
      const { metric, value, attributes } = event;
      model.record(metric, { user: { id: userId }, value, attributes }, null, at);
    }
    model.read(userId, now);
    return model.users.get(userId);
  }

  /** Number of events that count, of a user. */
  countOf(userId: string): number {
    return this.#users.get(userId)!.counting.length;
  }
}
