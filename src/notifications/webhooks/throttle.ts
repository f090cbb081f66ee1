import { deliveryId } from '../../base/ids.ts';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { ThrottledDelivery, Topic } from '../../db/deliveries/webhookWindows.ts';
import { subscribersOf, webhookSubject } from '../../engine/webhooks/webhookRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { BySubject, type CoveredSubjects } from './coveredSubjects.ts';

/** A change of a user, at an instant (ms). No other change has both entry and sequence. */
export interface ThrottledChange {
  rules: Rules;
  userId: string;
  entryId: string;
  at: number;
  outcome: { sequence: number };
}

/** What changes continuously: a webhook gets at most one delivery about it in WEBHOOK_THROTTLE_MS. */
export interface ThrottledSubject {
  type: WebhookEvent;
  topic: Topic;
  /** null if it is not about one user. */
  userId: string | null;
  /** What distinguishes it from others of its type. */
  subject: (string | number)[];
}

/** The delivery of a webhook about a subject, and the last change of the batch that it covers. */
interface Planned {
  about: Omit<ThrottledDelivery, 'id' | 'createdAt'>;
  subject: (string | number)[];
  last: ThrottledChange;
}

const NONE: readonly string[] = [];

/**
 * Plans the throttled deliveries of a batch, one for each webhook and subject that is not known to be
 * covered.
 */
export class Throttle {
  readonly #covered: Pick<CoveredSubjects, 'has'>;
  readonly #now: number;
  readonly #planned: Planned[] = [];
  /** The same by subject. */
  readonly #bySubject = new BySubject<Planned>();

  /** @param now ms */
  constructor(covered: Pick<CoveredSubjects, 'has'>, now: number) {
    this.#covered = covered;
    this.#now = now;
  }

  /**
   * The id of a delivery follows from the last change that it covers. So a batch that is written again, with
   * further changes, has another delivery for these.
   */
  get deliveries(): ThrottledDelivery[] {
    return this.#planned.map(({ about, subject, last: { userId, entryId, at, outcome } }) => {
      const { webhook, type } = about;
      const id = deliveryId(at, [webhook, type, ...subject, userId, entryId, outcome.sequence]);
      return { ...about, id, createdAt: at };
    });
  }

  /**
   * Ids of the webhooks that report a change and have no delivery that is known to cover it. A delivery of
   * this batch covers the change from now on. Most changes are covered, so nothing is allocated for them.
   */
  uncovered(
    change: ThrottledChange,
    type: WebhookEvent,
    topic: Topic,
    userId: string | null,
  ): readonly string[] {
    let found = NONE;
    for (const { webhook, createdAt } of subscribersOf(change.rules, type)) {
      const { id } = webhook;
      if (createdAt > change.at || this.#covered.has(id, topic, userId, this.#now)) continue;
      const planned = this.#bySubject.get(id, topic, userId);
      if (planned === undefined) found = [...found, id];
      else planned.last = change;
    }
    return found;
  }

  add(
    change: ThrottledChange,
    webhooks: readonly string[],
    { type, topic, userId, subject }: ThrottledSubject,
    facts: (subject: string) => object,
  ): void {
    const { tenant } = change.rules;
    const hash = webhookSubject(type, subject);
    const about = { subject: hash, topic, userId, tenant, type, facts: JSON.stringify(facts(hash)) };
    for (const webhook of webhooks) {
      const planned = { about: { webhook, ...about, plannedAt: this.#now }, subject, last: change };
      this.#planned.push(planned);
      this.#bySubject.set(webhook, topic, userId, planned);
    }
  }
}
