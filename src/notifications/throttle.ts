import { LRUCache } from 'lru-cache';
import { deliveryId, hashId } from '../base/ids.ts';
import { COVERED_SUBJECTS_MAX } from '../base/limits.ts';
import type { WebhookEvent } from '../base/webhookEvents.ts';
import { COVER_MARGIN_MS, type LatestDelivery, type ThrottledDelivery } from '../db/deliveries/webhookWindows.ts';
import { subscribers } from '../engine/webhookRows.ts';
import type { Rules } from '../rules/rules.ts';

/** A change of something that changes continuously. */
export interface ThrottledChange {
  rules: Rules;
  type: WebhookEvent;
  /** ms */
  at: number;
  userId: string | null;
  /** What is reported; at most one delivery in WEBHOOK_THROTTLE_MS has the same parts. */
  subject: (string | number)[];
  /** Tells the change from others of the subject at the same instant. */
  sequence: number;
}

/**
 * The subjects for which every webhook has a pending delivery, as far as this process knows. Most changes of active users are covered
 * by one, and cost no more than a look into this memory.
 */
export class CoveredSubjects {
  /** Due time of the earliest of these deliveries, ms. */
  readonly #dueAt = new LRUCache<string, number>({ max: COVERED_SUBJECTS_MAX });

  has(key: string, now: number): boolean {
    const dueAt = this.#dueAt.get(key);
    return dueAt !== undefined && dueAt >= now + COVER_MARGIN_MS;
  }

  /** Call this with the deliveries of a committed batch, and the latest delivery about each of their subjects. */
  note(planned: readonly ThrottledDelivery[], latest: readonly LatestDelivery[]): void {
    const dueAtOf = new Map(latest.map(({ webhook, subject, dueAt }) => [`${webhook}${subject}`, dueAt]));
    const earliest = new Map<string, number>();
    for (const { key, webhook, subject } of planned) {
      const dueAt = dueAtOf.get(`${webhook}${subject}`) ?? 0;
      earliest.set(key, Math.min(earliest.get(key) ?? Infinity, dueAt));
    }
    for (const [key, dueAt] of earliest) this.#dueAt.set(key, dueAt);
  }
}

/** Plans the throttled deliveries of a batch, one for each webhook and subject that is not known to be covered. */
export class Throttle {
  readonly #covered: CoveredSubjects;
  readonly #now: number;
  readonly #planned: ThrottledDelivery[];
  readonly #seen = new Set<string>();

  /** @param planned receives the deliveries */
  constructor(covered: CoveredSubjects, now: number, planned: ThrottledDelivery[]) {
    this.#covered = covered;
    this.#now = now;
    this.#planned = planned;
  }

  /** @param facts is asked for only if the change is not covered */
  add({ rules, type, at, userId, subject, sequence }: ThrottledChange, facts: (subject: string) => object): void {
    // A change of the configuration may bring a webhook that has no delivery yet.
    const key = `${rules.tenant}.${rules.version}:${type}:${subject.join('\0')}`;
    if (this.#seen.has(key) || this.#covered.has(key, this.#now)) return;
    this.#seen.add(key);
    const webhooks = subscribers(rules, type, at);
    if (webhooks.length === 0) return;
    const hash = hashId([type, ...subject]);
    const delivery = { key, subject: hash, tenant: rules.tenant, userId, type, createdAt: at, plannedAt: this.#now };
    const json = JSON.stringify(facts(hash));
    for (const { id: webhook } of webhooks) {
      const id = deliveryId(at, [webhook, type, ...subject, sequence]);
      this.#planned.push({ ...delivery, id, webhook, facts: json });
    }
  }
}
