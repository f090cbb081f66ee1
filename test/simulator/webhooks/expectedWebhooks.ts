import type { WebhookEvent } from '../../../src/contract/webhooks.ts';
import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import type { ChangeInTime, Model } from '../../support/model.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { Books } from '../books.ts';
import { differenceOf, type Expected } from '../difference.ts';
import { type HeldEvent, heldEventOf } from '../heldEvents.ts';
import type { Service } from '../service.ts';
import { AwardWebhooks } from './awardWebhooks.ts';
import { deliveriesOf } from './changeWebhooks.ts';
import { COMPARED_TYPES } from './comparedTypes.ts';
import type { Span } from './deliveryWindow.ts';
import type { Delivered } from './worldWebhook.ts';

/** A delivery that has to come, with one of these bodies. */
interface Sent {
  type: WebhookEvent;
  userId: string;
  bodies: readonly Expected[];
}

/**
 * A delivery that shows the user at the time at which a change came into the history: as the user was after the
 * change, or after a later one.
 */
interface Awaited extends Sent {
  bodies: Expected[];
  body(user: ModelUser | undefined): Expected;
}

/** Deliveries of one type about one user that are not as they should be. */
interface WebhookDifference {
  about: string;
  found: readonly unknown[];
  expected: readonly Expected[];
}

/** The deliveries that a webhook with all types has to get, by what the model says of each change. */
export class ExpectedWebhooks {
  readonly #model: Model;
  readonly #awards: AwardWebhooks;
  readonly #service: Pick<Service, 'hasWebhook' | 'isRelayNear'>;
  #awaited: Awaited[] = [];
  /** When the relay notices what happens now, ms. */
  #span: Span = { from: 0, to: 0 };
  #isSilent = false;

  constructor(model: Model, books: Books, service: Pick<Service, 'hasWebhook' | 'isRelayNear'>) {
    this.#model = model;
    this.#awards = new AwardWebhooks(model, books);
    this.#service = service;
  }

  /** A user has changed, and the books say so. */
  enter(userId: string, outcome: Outcome, change: ChangeInTime): void {
    if (outcome.status !== 'recorded' || this.#isSilent || !this.#service.hasWebhook) return;
    const user = this.#model.users.get(userId);
    for (const one of this.#awaited) if (one.userId === userId) one.bodies.push(one.body(user));
    for (const { type, body } of deliveriesOf(this.#model.config, outcome, change))
      this.#await(type, userId, (now) => body(now!));
    const systems = outcome.points.map(({ system }) => system);
    this.#awards.note(userId, systems, this.#span);
  }

  /** An event was held, or an administrator has decided about it. @param at ms */
  review(event: HeldEvent, at: number): void {
    if (!this.#service.hasWebhook) return;
    const body = { timestamp: new Date(at).toISOString(), heldEvent: heldEventOf(event) };
    this.#await(`event.${event.status}`, event.userId, () => body);
  }

  #await(type: WebhookEvent, userId: string, body: Awaited['body']): void {
    this.#awaited.push({ type, userId, body, bodies: [body(this.#model.users.get(userId))] });
  }

  /** Imports of users: nothing is sent. */
  silently<T>(userId: string, work: () => T): T {
    this.#isSilent = true;
    const result = this.#awards.silently(userId, work);
    this.#isSilent = false;
    return result;
  }

  /** The clock is moved: what happens meanwhile is noticed until then. */
  moveTo(now: number): void {
    this.#span = { from: this.#span.to, to: now };
  }

  erase(userId: string): void {
    this.#awards.erase(userId);
  }

  rename(from: string, to: string): void {
    this.#awards.rename(from, to);
  }

  /**
   * Everything that is due was delivered. Then nothing is awaited any more.
   * @returns what differs; null if nothing does
   */
  compare(delivered: readonly Delivered[], now: number): WebhookDifference | null {
    const found = new Map<string, Delivered['body'][]>();
    for (const { type, body } of delivered) {
      if (COMPARED_TYPES[type as WebhookEvent] !== true) continue;
      const name = nameOf({ type, userId: body.user?.id ?? body.heldEvent?.userId });
      found.set(name, [...(found.get(name) ?? []), body]);
    }
    const isSent = (userId: string, systemId: string): boolean =>
      (found.get(nameOf({ type: 'points.changed', userId })) ?? []).some(
        ({ points }) => points.id === systemId,
      );
    const expected = new Map<string, Sent[]>();
    for (const one of [...this.#awaited, ...this.#awards.sentUntil(now, isSent)])
      expected.set(nameOf(one), [...(expected.get(nameOf(one)) ?? []), one]);
    this.#awaited = [];
    // Else the relay may not know yet that the clock was moved.
    if (this.#service.isRelayNear) this.#span = { from: now, to: now };
    for (const about of new Set([...expected.keys(), ...found.keys()])) {
      const left = unmatched(found.get(about) ?? [], expected.get(about) ?? []);
      if (left !== null) return { about, ...left };
    }
    return null;
  }
}

const nameOf = ({ type, userId }: { type: string; userId: string }): string => `${type} of ${userId}`;

/** Those that have no counterpart on the other side; null if all have. */
function unmatched(
  found: readonly unknown[],
  expected: readonly Sent[],
): Omit<WebhookDifference, 'about'> | null {
  const left = [...found];
  const missing = expected.filter(({ bodies }) => {
    const at = left.findIndex((one) => bodies.some((body) => differenceOf(one, body, '') === null));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  if (left.length + missing.length === 0) return null;
  return { found: left, expected: missing.map(({ bodies }) => bodies.at(-1)!) };
}
