import type { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../base/clock.ts';
import {
  DELIVERIES_TOGETHER_MAX,
  WEBHOOK_AT_ONCE,
  WEBHOOK_LANE_MS,
  WEBHOOK_UNPROVEN_AT_ONCE,
} from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { PendingWebhookDelivery } from '../../db/deliveries/webhookAttempts.ts';
import { attemptDelivery, drop, payloadOf, type TargetWebhook, type WebhookParts } from './deliverWebhook.ts';

/** Consecutive failures after which the turns of a webhook are further apart. */
const FAILING_AFTER = 3;
/** Pause between two looks for new deliveries while others are under way. */
const LOOK_EVERY_MS = 250;
/** Pause until the next turn of a webhook that has used up this one, and of one that keeps failing. */
const NEXT_TURN_MS = 10;
const FAILING_NEXT_TURN_MS = 1_000;

export interface LaneParts extends WebhookParts {
  /** Limits the attempts of this process. */
  places: Semaphore;
  /** Failures of webhooks since their last success, as far as this process has seen them. */
  failures: LRUCache<string, number>;
  /** Attempts of one turn. */
  attemptsMax: number;
}

/** What the job of a webhook does next: end, or take another turn after `laterMs` (ms). */
export type Next = 'done' | { laterMs: number };

/**
 * One turn of a webhook: attempts what is due to it, the longest due first. Only one process does so at a time. A turn is short, so that
 * webhooks with a long backlog alternate; a slow receiver holds up no more places than its own.
 */
export class WebhookLane {
  readonly #parts: LaneParts;
  readonly #id: string;
  readonly #signal: AbortSignal;
  readonly #endMs = monotonicMs() + WEBHOOK_LANE_MS;
  /** Whether the last delivery of this process to the webhook has succeeded. */
  readonly #isProven: boolean;
  readonly #places: Semaphore;
  readonly #running = new Map<string, Promise<void>>();
  /** Deliveries that could not be prepared; another turn tries again. */
  readonly #broken: string[] = [];
  #error: unknown = null;
  #attempts = 0;
  /** PostgreSQL has failed, so further attempts might not be recorded. */
  #isBrokenOff = false;
  #isDisabled = false;
  /** The webhook has answered, so its next turn has more places. */
  #isProvenNow = false;
  #lookedMs = 0;
  #mayHaveMore = true;

  constructor(parts: LaneParts, webhookId: string, signal: AbortSignal) {
    this.#parts = parts;
    this.#id = webhookId;
    this.#signal = signal;
    this.#isProven = parts.failures.get(webhookId) === 0;
    this.#places = new Semaphore(this.#isProven ? WEBHOOK_AT_ONCE : WEBHOOK_UNPROVEN_AT_ONCE, Infinity);
  }

  /** @throws the first error of a delivery that could not be prepared or recorded, after the others */
  async run(): Promise<Next> {
    for (;;) {
      if (!this.#isOver && this.#isToLook) await this.#look().catch((error) => this.#breakOff(error));
      if (this.#running.size === 0) break;
      await this.#untilNext();
    }
    if (this.#error !== null) throw this.#error;
    if (!this.#isOver || this.#isDisabled || this.#signal.aborted) return 'done';
    return { laterMs: this.#isFailing ? FAILING_NEXT_TURN_MS : NEXT_TURN_MS };
  }

  get #isFailing(): boolean {
    return (this.#parts.failures.get(this.#id) ?? 0) >= FAILING_AFTER;
  }

  get #isOver(): boolean {
    const isUsedUp = monotonicMs() >= this.#endMs || this.#attempts >= this.#parts.attemptsMax;
    return isUsedUp || this.#isProvenNow || this.#isDisabled || this.#isBrokenOff || this.#signal.aborted;
  }

  get #isToLook(): boolean {
    if (this.#running.size === 0) return true;
    if (this.#running.size > DELIVERIES_TOGETHER_MAX / 2) return false;
    return this.#mayHaveMore || monotonicMs() >= this.#lookedMs + LOOK_EVERY_MS;
  }

  /** Begins the deliveries that are due. */
  async #look(): Promise<void> {
    const { attempts, clock } = this.#parts;
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
    await drop(this.#parts, due, 'the webhook was deleted');
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

  async #deliver(delivery: PendingWebhookDelivery, webhook: TargetWebhook): Promise<void> {
    const payload = await payloadOf(this.#parts, delivery);
    if (payload === null) return;
    await this.#places.run(() => this.#parts.places.run(() => this.#attempt(delivery, webhook, payload)));
  }

  /** Keeps its place until the attempt is recorded: so a crash leaves no more attempts unrecorded than there are places. */
  async #attempt(delivery: PendingWebhookDelivery, webhook: TargetWebhook, payload: string): Promise<void> {
    // The turn may have ended while this delivery waited for a place.
    if (this.#isOver) return;
    this.#attempts++;
    const { failures } = this.#parts;
    try {
      const outcome = await attemptDelivery(this.#parts, delivery, webhook, payload, this.#signal);
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

  /** Until a delivery has ended, or it is time to look for others. */
  async #untilNext(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOOK_EVERY_MS);
    });
    await Promise.race([pause, ...this.#running.values()]);
    clearTimeout(timer);
  }
}
