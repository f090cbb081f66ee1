import { deliveryId } from '../../base/ids.ts';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { ThrottledDelivery, Topic } from '../../db/deliveries/webhookWindows.ts';
import { subscribersOf, webhookSubject } from '../../engine/webhooks/webhookRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { type CoveredSubjects, DueTimes } from './coveredSubjects.ts';

/** A change of something that changes continuously. */
export interface ThrottledChange {
  type: WebhookEvent;
  /** ms */
  at: number;
  topic: Topic;
  userId: string | null;
  /** Subject of the delivery: a webhook gets at most one delivery about it in WEBHOOK_THROTTLE_MS. */
  subject: (string | number)[];
  /** The user who changed and the sequence number: no other change at the same instant has both. */
  change: [userId: string, sequence: number];
}

const NONE: readonly string[] = [];

/**
 * Plans the throttled deliveries of a batch, one for each webhook and subject that is not known to be
 * covered.
 */
export class Throttle {
  readonly #covered: Pick<CoveredSubjects, 'has'>;
  readonly #now: number;
  readonly #planned: ThrottledDelivery[] = [];
  /** The subjects of `#planned`. */
  readonly #dueAt = new DueTimes();

  /** @param now ms */
  constructor(covered: Pick<CoveredSubjects, 'has'>, now: number) {
    this.#covered = covered;
    this.#now = now;
  }

  get deliveries(): ThrottledDelivery[] {
    return this.#planned;
  }

  /**
   * Ids of the webhooks that report a change at an instant (ms) and have no delivery that is known to cover
   * it. Most changes are covered, so nothing is allocated for them.
   */
  uncovered(
    rules: Rules,
    type: WebhookEvent,
    at: number,
    topic: Topic,
    userId: string | null,
  ): readonly string[] {
    let found = NONE;
    for (const { webhook, createdAt } of subscribersOf(rules, type)) {
      const { id } = webhook;
      if (createdAt > at || this.#covered.has(id, topic, userId, this.#now)) continue;
      if (this.#dueAt.get(id, topic, userId) === undefined) found = [...found, id];
    }
    return found;
  }

  add(
    { tenant }: Rules,
    webhooks: readonly string[],
    { type, at, topic, userId, subject, change }: ThrottledChange,
    facts: (subject: string) => object,
  ): void {
    const hash = webhookSubject(type, subject);
    const about = { subject: hash, topic, userId, tenant, type, facts: JSON.stringify(facts(hash)) };
    for (const webhook of webhooks) {
      const id = deliveryId(at, [webhook, type, ...subject, ...change]);
      this.#planned.push({ id, webhook, ...about, createdAt: at, plannedAt: this.#now });
      this.#dueAt.set(webhook, topic, userId, this.#now);
    }
  }
}
