import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { idempotencyIdentity, instantOfEvent } from '../../src/base/ids.ts';
import {
  type EventKeyUse,
  type KeyedEvent,
  type KeyUse,
  type KeyUses,
  UNUSED_KEY,
} from '../../src/engine/calls/keyUses.ts';
import { decodeEntry } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { keySliceAt, keySliceMs } from '../../src/rules/keySlices.ts';

const KEY_UNUSED: EventKeyUse = { ...UNUSED_KEY, held: UNUSED_KEY, formerEventId: null };

/** Finds uses of idempotency keys in the outbox of a test without PostgreSQL, in which all entries stay. */
export class OutboxKeyUses implements KeyUses {
  readonly #redis: Redis;
  readonly #cells: Cells;
  /** By present id of the user, and fingerprint. */
  readonly #uses = new Map<string, Map<string, EventKeyUse>>();
  readonly #formerIds = new Map<string, string[]>();
  /** Where the next read of each outbox begins, by cell. */
  readonly #next = new Map<number, string>();

  constructor(redis: Redis, cells: Cells) {
    this.#redis = redis;
    this.#cells = cells;
  }

  async find({ tenant }: Rules, events: readonly KeyedEvent[]): Promise<EventKeyUse[]> {
    await this.#readAll(tenant);
    return events.map(({ event, key }) => {
      const { userId, metric } = event;
      const last = (fingerprint: string, formerEventId: string | null): EventKeyUse[] =>
        [userId, ...(formerEventId === null ? this.#formerly(userId) : [])].flatMap((owner) => {
          const use = this.#uses.get(owner)?.get(fingerprint);
          return use === undefined ? [] : [{ ...use, formerEventId }];
        });
      const former = (this.#formerIds.get(userId) ?? []).flatMap((id) => {
        const { fingerprint, eventId } = idempotencyIdentity(tenant, id, metric.no, key);
        return last(fingerprint, eventId);
      });
      const uses = [...last(event.fingerprint as string, null), ...former];
      return uses.reduce((found, use) => (use.usedAt > found.usedAt ? use : found), KEY_UNUSED);
    });
  }

  /** A server stores the events that are held: they are not in the outbox. */
  hold(
    { tenant, config, metricByKey }: Rules,
    userId: string,
    metricKey: string,
    key: string,
    now: number,
  ): void {
    const { no } = metricByKey.get(metricKey)!;
    const { settings } = config;
    const idAt = settings.idempotencyWindowSeconds === null ? 0 : keySliceAt(now, keySliceMs(settings));
    const use: KeyUse = { usedAt: now, idAt };
    const { fingerprint } = idempotencyIdentity(tenant, userId, no, key);
    this.#of(userId).set(fingerprint, { ...use, held: use, formerEventId: null });
  }

  async rename(tenant: number, from: string, to: string): Promise<void> {
    await this.#readAll(tenant);
    for (const [fingerprint, use] of this.#of(from)) this.#of(to).set(fingerprint, use);
    this.#uses.delete(from);
    this.#formerIds.set(to, [...new Set([...(this.#formerIds.get(from) ?? []), from])]);
    this.#formerIds.delete(from);
  }

  /** Those who had an id before. */
  #formerly(id: string): string[] {
    return [...this.#formerIds].filter(([, ids]) => ids.includes(id)).map(([owner]) => owner);
  }

  #of(userId: string): Map<string, EventKeyUse> {
    const uses = this.#uses.get(userId) ?? new Map<string, EventKeyUse>();
    this.#uses.set(userId, uses);
    return uses;
  }

  async #readAll(tenant: number): Promise<void> {
    for (const cell of allCells(this.#cells)) await this.#read(tenant, cell);
  }

  async #read(tenant: number, cell: number): Promise<void> {
    const entries = await this.#redis.xrangeBuffer(keys.outbox(cell), this.#next.get(cell) ?? '-', '+');
    for (const [id, fields] of entries) {
      this.#next.set(cell, `(${id.toString()}`);
      const entry = decodeEntry(fields);
      if (entry.fn !== 'recordEvents' || entry.tenant !== tenant) continue;
      for (const { change } of entry.changes) {
        if (change.fingerprint === null) continue;
        const use = { usedAt: entry.now, idAt: instantOfEvent(change.eventId) ?? 0 };
        this.#of(change.userId).set(change.fingerprint, { ...KEY_UNUSED, ...use });
      }
    }
  }
}
