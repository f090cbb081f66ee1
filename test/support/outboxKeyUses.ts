import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { instantOfEvent } from '../../src/base/ids.ts';
import {
  type EventKeyUse,
  type KeyUse,
  type KeyUses,
  UNUSED_KEY,
} from '../../src/engine/usedKeys/keyUses.ts';
import { decodeEntry } from '../../src/redis/scripts/outbox.ts';
import { keys } from '../../src/redis/state/redisKeys.ts';
import type { PreparedEvent } from '../../src/rules/prepare.ts';
import type { Rules } from '../../src/rules/rules.ts';

/** Finds uses of idempotency keys in the outbox of a test without PostgreSQL, in which all entries stay. */
export class OutboxKeyUses implements KeyUses {
  readonly #redis: Redis;
  readonly #cells: Cells;
  readonly #uses = new Map<string, KeyUse>();
  /** Where the next read of each outbox begins, by cell. */
  readonly #next = new Map<number, string>();

  constructor(redis: Redis, cells: Cells) {
    this.#redis = redis;
    this.#cells = cells;
  }

  async find({ tenant }: Rules, events: readonly PreparedEvent[]): Promise<EventKeyUse[]> {
    for (const cell of allCells(this.#cells)) await this.#read(tenant, cell);
    return events.map(({ fingerprint }) => ({
      ...(this.#uses.get(fingerprint as string) ?? UNUSED_KEY),
      held: UNUSED_KEY,
    }));
  }

  async #read(tenant: number, cell: number): Promise<void> {
    const entries = await this.#redis.xrangeBuffer(keys.outbox(cell), this.#next.get(cell) ?? '-', '+');
    for (const [id, fields] of entries) {
      this.#next.set(cell, `(${id.toString()}`);
      const entry = decodeEntry(fields);
      if (entry.fn !== 'recordEvents' || entry.tenant !== tenant) continue;
      for (const { change } of entry.changes) {
        const idAt = instantOfEvent(change.eventId) ?? 0;
        if (change.fingerprint !== null) this.#uses.set(change.fingerprint, { usedAt: entry.now, idAt });
      }
    }
  }
}
