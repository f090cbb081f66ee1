import {
  COVER_MARGIN_MS,
  type LatestDelivery,
  type ThrottledDelivery,
  type Topic,
} from '../../db/deliveries/webhookWindows.ts';

/** Subjects of such webhooks for which a relay remembers the pending delivery. */
const COVERED_SUBJECTS_MAX = 400_000;

/** More than any day ordinal. */
const RUNS_MAX = 2 ** 23;

export const topicOfSystem = (system: number): Topic => -system;

export function topicOfBoard(board: number, run: number, group: string): Topic {
  const ofRun = board * RUNS_MAX + run;
  return group === '' ? ofRun : `${ofRun}:${group}`;
}

/** Something about each webhook, topic and user. */
export class BySubject<T> {
  readonly #byWebhook = new Map<string, Map<Topic, Map<string | null, T>>>();
  readonly #users = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(webhook: string, topic: Topic, userId: string | null): T | undefined {
    return this.#byWebhook.get(webhook)?.get(topic)?.get(userId);
  }

  set(webhook: string, topic: Topic, userId: string | null, value: T): void {
    const byTopic = this.#byWebhook.get(webhook) ?? new Map<Topic, Map<string | null, T>>();
    const byUser = byTopic.get(topic) ?? new Map<string | null, T>();
    if (!byUser.has(userId)) this.#size++;
    if (userId !== null) this.#users.add(userId);
    byUser.set(userId, value);
    byTopic.set(topic, byUser);
    this.#byWebhook.set(webhook, byTopic);
  }

  forget(userId: string): void {
    if (!this.#users.delete(userId)) return;
    for (const byTopic of this.#byWebhook.values()) {
      for (const byUser of byTopic.values()) if (byUser.delete(userId)) this.#size--;
    }
  }
}

/**
 * The subjects for which a webhook has a pending delivery, as far as this process knows. Most changes of
 * active users are covered by one, and cost no more than a look into this memory. When half of it is full, it
 * forgets the other half.
 */
export class CoveredSubjects {
  readonly #max: number;
  /** Due times, ms. */
  #recent = new BySubject<number>();
  #older = new BySubject<number>();

  constructor(max = COVERED_SUBJECTS_MAX) {
    this.#max = max;
  }

  has(webhook: string, topic: Topic, userId: string | null, now: number): boolean {
    const dueAt = this.#recent.get(webhook, topic, userId) ?? this.#older.get(webhook, topic, userId);
    return dueAt !== undefined && dueAt >= now + COVER_MARGIN_MS;
  }

  /** Call this for a new user: deliveries about an erased one of the same id cover nothing. */
  forget(userId: string): void {
    this.#recent.forget(userId);
    this.#older.forget(userId);
  }

  /**
   * Call this with the deliveries of a committed batch, and the latest delivery about each of their subjects.
   */
  add(planned: readonly ThrottledDelivery[], latest: readonly LatestDelivery[]): void {
    if (planned.length === 0) return;
    const dueAtOf = new Map(latest.map(({ webhook, subject, dueAt }) => [webhook + subject, dueAt]));
    for (const { webhook, subject, topic, userId } of planned) {
      const dueAt = dueAtOf.get(webhook + subject);
      if (dueAt !== undefined) this.#recent.set(webhook, topic, userId, dueAt);
    }
    if (this.#recent.size < this.#max / 2) return;
    this.#older = this.#recent;
    this.#recent = new BySubject();
  }
}
