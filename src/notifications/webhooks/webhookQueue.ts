import type { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../base/clock.ts';
import { DELIVERIES_TOGETHER_MAX, DELIVERY_SLICE_MS } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { atMost } from '../../base/withTimeout.ts';
import type { PendingWebhookDelivery } from '../../db/deliveries/webhookAttempts.ts';
import {
  attemptDelivery,
  drop,
  payloadOf,
  type TargetWebhook,
  type WebhookDependencies,
} from './deliverWebhook.ts';
import type { PointsFacts } from './planWebhooks.ts';

/**
 * Deliveries to one webhook that are made at once, and to one that has not answered yet or whose last
 * delivery failed.
 */
export const WEBHOOK_AT_ONCE = 16;
const WEBHOOK_UNPROVEN_AT_ONCE = 1;

/** Consecutive failures after which the time slices of a webhook are further apart. */
const FAILING_AFTER = 3;
/** Pause between two reads of due deliveries while attempts are under way. */
const LOOK_EVERY_MS = 250;
/** Pause between two time slices of a webhook, and of a webhook that keeps failing. */
const PAUSE_MS = 10;
const FAILING_PAUSE_MS = 1_000;

export interface WebhookQueueDependencies extends WebhookDependencies {
  slots: Semaphore;
  /** Failures of webhooks since their last success, as far as this process has seen them. */
  failures: LRUCache<string, number>;
  attemptsMax: number;
}

/** Next step of the job of a webhook: end, or another time slice after `laterMs` (ms). */
export type Next = 'done' | { laterMs: number };

/**
 * One time slice of the queue of a webhook: attempts the due deliveries, the longest due first. A webhook has
 * one queue, in one process. A time slice is short, so that webhooks with a long backlog alternate; a slow
 * receiver holds no more slots than its own.
 */
export class WebhookQueue {
  readonly #deps: WebhookQueueDependencies;
  readonly #id: string;
  /** Aborted when no further attempt may begin. */
  readonly #stopping: AbortSignal;
  /** Aborted when those that are under way must end. */
  readonly #ending: AbortSignal;
  readonly #endMs = monotonicMs() + DELIVERY_SLICE_MS;
  /** Whether the last delivery of this process to the webhook has succeeded. */
  readonly #isProven: boolean;
  readonly #slots: Semaphore;
  readonly #running = new Map<string, Promise<void>>();
  /** The latest body about each subject. */
  readonly #bodies = new Map<string, Promise<unknown>>();
  /** Deliveries that could not be prepared; another time slice tries again. */
  readonly #broken: string[] = [];
  #error: unknown = null;
  #attempts = 0;
  /** PostgreSQL has failed, so further attempts might not be recorded. */
  #isBrokenOff = false;
  #isDisabled = false;
  /** The webhook has answered, so its next time slice has more slots. */
  #isProvenNow = false;
  #lookedMs = 0;
  #mayHaveMore = true;

  constructor(deps: WebhookQueueDependencies, webhookId: string, stopping: AbortSignal, ending: AbortSignal) {
    this.#deps = deps;
    this.#id = webhookId;
    this.#stopping = stopping;
    this.#ending = ending;
    this.#isProven = deps.failures.get(webhookId) === 0;
    this.#slots = new Semaphore(this.#isProven ? WEBHOOK_AT_ONCE : WEBHOOK_UNPROVEN_AT_ONCE, Infinity);
  }

  /** @throws the first error of a delivery that could not be prepared or recorded, after the others */
  async run(): Promise<Next> {
    for (;;) {
      if (!this.#isOver && this.#isToLook) await this.#look().catch((error) => this.#breakOff(error));
      if (this.#running.size === 0) break;
      await atMost(Promise.race(this.#running.values()), LOOK_EVERY_MS);
    }
    if (this.#error !== null) throw this.#error;
    if (!this.#isOver || this.#isDisabled || this.#stopping.aborted) return 'done';
    return { laterMs: this.#isFailing ? FAILING_PAUSE_MS : PAUSE_MS };
  }

  get #isFailing(): boolean {
    return (this.#deps.failures.get(this.#id) ?? 0) >= FAILING_AFTER;
  }

  get #isOver(): boolean {
    const isUsedUp = monotonicMs() >= this.#endMs || this.#attempts >= this.#deps.attemptsMax;
    return isUsedUp || this.#isProvenNow || this.#isDisabled || this.#isBrokenOff || this.#stopping.aborted;
  }

  get #isToLook(): boolean {
    if (this.#running.size === 0) return true;
    if (this.#running.size > DELIVERIES_TOGETHER_MAX / 2) return false;
    return this.#mayHaveMore || monotonicMs() >= this.#lookedMs + LOOK_EVERY_MS;
  }

  async #look(): Promise<void> {
    const { attempts, clock } = this.#deps;
    const webhook = await attempts.findWebhook(this.#id);
    if (webhook !== null && webhook.status !== 'active') {
      this.#isDisabled = true;
      return;
    }
    const without = [...this.#running.keys(), ...this.#broken];
    const due = await attempts.listDue(this.#id, clock.now(), without);
    this.#lookedMs = monotonicMs();
    this.#mayHaveMore = due.length === DELIVERIES_TOGETHER_MAX;
    if (webhook === null) return this.#drop(due);
    for (const delivery of due) this.#begin(delivery, webhook);
  }

  async #drop(due: readonly PendingWebhookDelivery[]): Promise<void> {
    await drop(this.#deps, due, 'the webhook was deleted');
    if (this.#mayHaveMore) return this.#look();
  }

  #begin(delivery: PendingWebhookDelivery, webhook: TargetWebhook): void {
    const { id } = delivery;
    const running = this.#deliver(delivery, webhook)
      .catch((error) => {
        this.#error ??= error;
        this.#broken.push(id);
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  /**
   * Bodies about one subject are rendered one after the other, the longest due first: each shows what those
   * before it have not shown. If one cannot be rendered, those after it wait for another time slice.
   */
  #bodyOf(delivery: PendingWebhookDelivery): Promise<string | null> {
    const make = (): Promise<string | null> => payloadOf(this.#deps, delivery);
    const subject = delivery.payload === null ? subjectOf(delivery) : null;
    if (subject === null) return make();
    const body = (this.#bodies.get(subject) ?? Promise.resolve()).then(make);
    this.#bodies.set(subject, body);
    return body;
  }

  async #deliver(delivery: PendingWebhookDelivery, webhook: TargetWebhook): Promise<void> {
    const payload = await this.#bodyOf(delivery);
    if (payload === null) return;
    await this.#slots.run(() => this.#deps.slots.run(() => this.#attempt(delivery, webhook, payload)));
  }

  /**
   * Keeps its slot until the attempt is recorded: so a crash leaves no more attempts unrecorded than there
   * are slots.
   */
  async #attempt(delivery: PendingWebhookDelivery, webhook: TargetWebhook, payload: string): Promise<void> {
    // The time slice may have ended while this delivery waited for a slot.
    if (this.#isOver) return;
    this.#attempts++;
    const { failures } = this.#deps;
    try {
      const outcome = await attemptDelivery(this.#deps, delivery, webhook, payload, this.#ending);
      if (outcome === null) return;
      failures.set(this.#id, outcome.hasFailed ? (failures.get(this.#id) ?? 0) + 1 : 0);
      this.#isProvenNow ||= !outcome.hasFailed && !this.#isProven;
      this.#isDisabled ||= outcome.isDisabled;
    } catch (error) {
      this.#breakOff(error);
    }
  }

  #breakOff(error: unknown): void {
    this.#error ??= error;
    this.#isBrokenOff = true;
  }
}

/** The subject of a delivery that shows what those before it have not shown; null of others. */
function subjectOf({ facts }: PendingWebhookDelivery): string | null {
  return (facts as Partial<PointsFacts> | null)?.subject ?? null;
}
