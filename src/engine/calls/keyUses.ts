import { idempotencyIdentity, instantOfEvent } from '../../base/ids.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { type AskedKey, findHeldKeys, findUsedKeys, type UsedKey } from '../../db/history/usedKeyRows.ts';
import type { Pool } from '../../db/pool.ts';
import { readFormerIds } from '../../db/users/renameRows.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf, type SentEvent } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { keySliceAt, keySliceMs } from '../../rules/keySlices.ts';
import { STORE_FAULT, unavailable } from '../availability/storeFaults.ts';

/** Questions that a server asks PostgreSQL at once, each about the keys of one call; and those that wait. */
const KEY_QUESTIONS_AT_ONCE_MAX = 4;
const KEY_QUESTIONS_WAITING_MAX = 1_000;

/** The last use of an idempotency key (KEY_USE). */
export interface KeyUse {
  /** Milliseconds since 1970; 0 for a key that was not used. */
  usedAt: number;
  /** The instant in the id of its event; 0 for an id without one. */
  idAt: number;
}

/** The last use of the key of an event. */
export interface EventKeyUse extends KeyUse {
  /** The last use under which the event was held. */
  held: KeyUse;
  /** The id that the key gives an event, if it was used under a former id of the user; else null. */
  formerEventId: string | null;
}

/** An event whose key is looked for. */
export interface KeyedEvent {
  event: PreparedEvent;
  key: string;
}

/** The events of an event with an idempotency key, which is that of all of them. */
export const keyedEvents = ({ event, job }: { event: PreparedEvent; job: SentEvent }): KeyedEvent[] =>
  eventsOf(event).map((one) => ({ event: one, key: job.idempotencyKey! }));

/** Knows when idempotency keys were used. */
export interface KeyUses {
  /**
   * @returns the last use of the key of each event, in the same order
   * @throws ServiceError `unavailable`
   */
  find(rules: Rules, events: readonly KeyedEvent[]): Promise<EventKeyUse[]>;
}

export const UNUSED_KEY: KeyUse = { usedAt: 0, idAt: 0 };

/** Of processes that record no events. */
export const UNKNOWN_KEY_USES: KeyUses = {
  find: () => Promise.reject(unavailable(STORE_FAULT.postgresAway)),
};

/** Finds uses of idempotency keys in the history. */
export class StoredKeyUses implements KeyUses {
  readonly #pool: Pool;
  readonly #semaphore = new Semaphore(KEY_QUESTIONS_AT_ONCE_MAX, KEY_QUESTIONS_WAITING_MAX);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(rules: Rules, events: readonly KeyedEvent[]): Promise<EventKeyUse[]> {
    return this.#semaphore
      .run(() => this.#find(rules, events))
      .catch(() => {
        // Whatever the reason: without an answer the event might count twice.
        throw unavailable(STORE_FAULT.postgresAway);
      });
  }

  async #find(rules: Rules, events: readonly KeyedEvent[]): Promise<EventKeyUse[]> {
    const userIds = events.map(({ event }) => event.userId);
    const formerIds = await readFormerIds(this.#pool, rules.tenant, userIds);
    const asked = events.flatMap((keyed, i) =>
      identitiesOf(rules, keyed, formerIds.get(keyed.event.userId) ?? []).map((identity) => ({
        ...identity,
        i,
      })),
    );
    const [used, held] = await Promise.all([
      findUsedKeys(this.#pool, rules.tenant, asked),
      findHeldKeys(this.#pool, rules.tenant, asked),
    ]);
    const found = events.map((): EventKeyUse => ({ ...UNUSED_KEY, held: UNUSED_KEY, formerEventId: null }));
    for (const [at, { i, formerEventId }] of asked.entries()) {
      const [use, heldUse] = [keyUse(rules, used[at]!), keyUse(rules, held[at]!)];
      if (use.usedAt > found[i]!.usedAt) found[i] = { ...use, held: heldUse, formerEventId };
    }
    return found;
  }
}

/** A key as it may have been used. */
type AskedIdentity = AskedKey & Pick<EventKeyUse, 'formerEventId'>;

/** The key of an event under the present id of its user, and under former ids. */
function identitiesOf(
  { tenant }: Rules,
  { event: { userId, metric, fingerprint }, key }: KeyedEvent,
  formerIds: readonly string[],
): AskedIdentity[] {
  const ofMetric = { userId, metric: metric.no };
  const former = formerIds.map((id): AskedIdentity => {
    const identity = idempotencyIdentity(tenant, id, metric.no, key);
    const { fingerprint, eventId: formerEventId } = identity;
    return { ...ofMetric, fingerprint, isOfPresentId: false, formerEventId };
  });
  const present = { fingerprint: fingerprint as string, isOfPresentId: true, formerEventId: null };
  return [{ ...ofMetric, ...present }, ...former];
}

const keyUse = (rules: Rules, use: UsedKey | null): KeyUse =>
  use === null ? UNUSED_KEY : { usedAt: use.usedAt, idAt: idAt(rules, use) };

/** Of an event that is no longer kept only the instant is known; the present setting tells its id. */
function idAt({ config }: Rules, { usedAt, eventId }: UsedKey): number {
  if (eventId !== null) return instantOfEvent(eventId) ?? 0;
  const { settings } = config;
  return settings.idempotencyWindowSeconds === null ? 0 : keySliceAt(usedAt, keySliceMs(settings));
}
