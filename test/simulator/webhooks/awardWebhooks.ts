import type { PointsSystem } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { BookedAward, Books } from '../books.ts';
import type { Expected } from '../difference.ts';
import { levelAt, levelOf, systemOf } from '../expected/entities.ts';
import { awardsOf, profileOf } from '../expected/reads.ts';
import { DeliveryWindow, type Span } from './deliveryWindow.ts';

const LISTED_MAX = 100;

/** What is told of the awards of a user in a points system. */
interface Told {
  window: DeliveryWindow;
  /** How many of the awards in the books need not be told any more. */
  count: number;
}

/** A delivery about a user, of which the body is one of these. */
interface AwardDelivery {
  type: 'points.changed';
  userId: string;
  bodies: readonly Expected[];
}

/** `points.changed`: each award is in one delivery (docs/webhooks.md). */
export class AwardWebhooks {
  readonly #model: Model;
  readonly #books: Books;
  /** By user and id of the points system. */
  readonly #told = new Map<string, Map<string, Told>>();

  constructor(model: Model, books: Books) {
    this.#model = model;
    this.#books = books;
  }

  /** A user has awards in points systems (their numbers), as the books say. @param span when that was noticed */
  note(userId: string, systems: readonly number[], span: Span): void {
    for (const { no, id } of this.#model.config.pointsSystems)
      if (systems.includes(no)) this.#of(userId, id).window.note(span);
  }

  #of(userId: string, systemId: string): Told {
    const ofUser = this.#told.get(userId) ?? new Map<string, Told>();
    this.#told.set(userId, ofUser);
    const told = ofUser.get(systemId) ?? { window: new DeliveryWindow(), count: 0 };
    ofUser.set(systemId, told);
    return told;
  }

  #awardsOf(userId: string, systemId: string): BookedAward[] {
    return this.#books.of(userId).awards.filter((award) => award.systemId === systemId);
  }

  /** Does something that brings awards which are not told. */
  silently<T>(userId: string, work: () => T): T {
    const systems = this.#model.config.pointsSystems.map(({ id }) => id);
    const waiting = systems.filter((id) => this.#awardsOf(userId, id).length > this.#of(userId, id).count);
    const result = work();
    for (const id of systems)
      if (!waiting.includes(id)) this.#of(userId, id).count = this.#awardsOf(userId, id).length;
    return result;
  }

  erase(userId: string): void {
    this.#told.delete(userId);
  }

  rename(from: string, to: string): void {
    this.#told.set(to, this.#told.get(from) ?? new Map());
    this.#told.delete(from);
  }

  /** The deliveries that are sent until now. @param isSent whether one is, where nobody knows */
  sentUntil(now: number, isSent: (userId: string, systemId: string) => boolean): AwardDelivery[] {
    const sent: AwardDelivery[] = [];
    for (const [userId, ofUser] of this.#told) {
      const user = this.#model.users.get(userId)!;
      for (const [systemId, told] of ofUser) {
        const isDue = told.window.isDueAt(now) ?? isSent(userId, systemId);
        told.window.passTo(now);
        const all = this.#awardsOf(userId, systemId);
        if (!isDue || all.length === told.count) continue;
        sent.push({
          type: 'points.changed',
          userId,
          bodies: this.#bodies(user, systemId, all.slice(told.count), now),
        });
        told.count = all.length;
        told.window.show();
      }
    }
    return sent;
  }

  /** Imported points are not told, but may be among those of a delivery that waited. */
  #bodies(user: ModelUser, systemId: string, awards: readonly BookedAward[], now: number): Expected[] {
    const system = this.#model.config.pointsSystems.find(({ id }) => id === systemId)!;
    const others = awards.filter(({ trigger }) => (trigger as { type: string }).type !== 'import');
    const lists = others.length === awards.length ? [awards] : [awards, others];
    return lists.filter(({ length }) => length > 0).map((list) => this.#body(user, system, list, now));
  }

  #body(user: ModelUser, system: PointsSystem, awards: readonly BookedAward[], now: number): Expected {
    const { config } = this.#model;
    const { total } = awards.at(-1)!;
    const added = awards.reduce((sum, { awarded }) => sum + awarded, 0);
    const [before, after] = [levelAt(config, system, total - added), levelAt(config, system, total)];
    return {
      user: profileOf(config, user),
      points: {
        ...systemOf(system),
        total,
        ...(before !== after && { level: after && levelOf(after) }),
        added,
        awards: awardsOf(config, awards.slice(-LISTED_MAX), this.#model.today(user, now)),
      },
    };
  }
}
