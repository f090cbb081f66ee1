import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Clock, monotonicMs } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { Partitions } from '../src/db/partitions.ts';
import type { Pool } from '../src/db/pool.ts';
import { FencedOffError, raiseFence, readFence } from '../src/db/relayFence.ts';
import type { DeliveryRows } from '../src/db/writeDeliveries.ts';
import { Scripts } from '../src/redis/scripts.ts';
import { EntryWriter, type ReadEntry, readEntry } from './entryWriter.ts';
import { Outage } from './outage.ts';
import { OutboxReader, type StreamEntry } from './outboxReader.ts';
import { StateReader } from './stateReader.ts';

/** Changes that one transaction holds, about: bounds its memory and how long the database is busy with it. */
const BATCH_CHANGES = 8_000;
/** Entries that one read may bring, about: with all of them full, some tens of megabytes. */
const READ_ENTRIES = 256;
const READ_ENTRIES_PER_STREAM_MIN = 4;
/** How long a read waits for an entry, and so how long a stop may take. */
const BLOCK_MS = 500;
/** While there is no backlog, entries gather for so long: fewer and larger transactions, and time for the others. */
const GATHER_MS = 25;
const GROUPS_EVERY_MS = 2_000;
const TAKE_OVER_EVERY_MS = 2_000;
/** Longer than any batch takes. When it is not, the slower relay is fenced off and reads again what it still has. */
const TAKE_OVER_IDLE_MS = 10_000;
const FORGET_CONSUMERS_EVERY_MS = 600_000;

export interface RelayOptions {
  pool: Pool;
  redis: Redis;
  clock: Clock;
  log: Log;
  shards: number;
  /** Is told what has been written that is to be sent. */
  announce?: (rows: DeliveryRows) => void;
  /** For tests. */
  takeOverIdleMs?: number;
}

/**
 * Moves what happened from the outboxes in Redis into PostgreSQL: read a batch, write it in one transaction, take it out of
 * the outbox, in this order. A batch that could not be finished is tried again as a whole, by this relay or by another one;
 * rows that are there already stay as they are. Any number of relays share the work.
 */
export class Relay {
  /** Since this relay was made. */
  readonly counts = { entries: 0, changes: 0, deadEntries: 0 };
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #reader: OutboxReader;
  readonly #writer: EntryWriter;
  readonly #takeOverIdleMs: number;
  readonly #entriesPerStream: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Read from the outboxes and not written yet. */
  #waiting: StreamEntry[] = [];
  /** Being written: kept until it is out of the outboxes. */
  #batch: ReadEntry[] = [];
  #hasBacklog = false;
  /** Redis may have handed out entries with a reply that never came. Only this consumer knows that it does not have them. */
  #mayHaveLostReply = false;
  /** Entries that another relay had in hand may have become this one's; it must not write any more what it has of them. */
  #mayHaveTakenOver = false;
  /** What is read is written under this number (src/db/relayFence.ts). */
  #fence: string | null = null;
  readonly #due = { groups: 0, takeOver: 0, forgetConsumers: 0 };

  constructor({ pool, redis, clock, log, shards, announce, takeOverIdleMs }: RelayOptions) {
    this.#pool = pool;
    this.#log = log;
    this.#takeOverIdleMs = takeOverIdleMs ?? TAKE_OVER_IDLE_MS;
    this.#entriesPerStream = Math.max(READ_ENTRIES_PER_STREAM_MIN, Math.floor(READ_ENTRIES / shards));
    this.#reader = new OutboxReader(redis, shards, `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`);
    const states = new StateReader(new Scripts(redis), clock, shards);
    this.#writer = new EntryWriter({ pool, partitions: new Partitions(pool), states, clock, log, announce });
  }

  /**
   * Moves what is in the outboxes now, one batch, without waiting for more.
   * @returns the number of entries moved
   * @throws what PostgreSQL or Redis threw; the batch is kept and the next call goes on with it
   */
  runOnce(): Promise<number> {
    return this.#step(0);
  }

  /** Moves what comes, until `stop`. Outages of PostgreSQL or Redis are waited out. */
  start(): void {
    this.#running = this.#loop(this.#stopping.signal);
  }

  /** Finishes what was read. What cannot be finished now stays in the outboxes, for the next relay. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    try {
      while (this.isHolding) await this.#step(0);
      await this.#reader.resign();
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'the relay leaves entries to be taken over');
    }
    this.#reader.close();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const outage = new Outage(this.#log, 'the relay');
    while (!signal.aborted) {
      try {
        const moved = await this.#step(BLOCK_MS);
        outage.over();
        const isCaughtUp = moved > 0 && !this.#hasBacklog && !this.isHolding;
        if (isCaughtUp) await sleep(GATHER_MS, undefined, { signal }).catch(() => {});
      } catch (error) {
        if (isGroupGone(error)) {
          this.#reader.forgetGroups();
          this.#due.groups = 0;
        }
        await outage.wait(error, signal);
      }
    }
  }

  /** Whether entries have been read that are not written yet. */
  get isHolding(): boolean {
    return this.#batch.length + this.#waiting.length > 0;
  }

  async #step(blockMs: number): Promise<number> {
    if (this.#batch.length === 0) await this.#gather(blockMs);
    const batch = this.#batch;
    if (batch.length === 0) return 0;
    const dead = await this.#write(batch);
    if (dead === null) return this.#step(blockMs);
    const sources = batch.map(({ source }) => source);
    await this.#reader.acknowledge(sources);
    this.#writer.acknowledged(sources);
    this.#batch = [];
    this.counts.entries += batch.length;
    this.counts.changes += batch.reduce((sum, item) => sum + changesOf(item), 0);
    this.counts.deadEntries += dead;
    return batch.length;
  }

  /** @returns the number of dead entries; null when only Redis knows what of the batch this relay still has */
  async #write(batch: readonly ReadEntry[]): Promise<number | null> {
    try {
      return await this.#writer.write(batch, this.#fence!);
    } catch (error) {
      if (!(error instanceof FencedOffError)) throw error;
      this.#batch = [];
      this.#waiting = [];
      this.#fence = null;
      this.#mayHaveLostReply = true;
      return null;
    }
  }

  /**
   * Entries for one transaction. One is never split: it is acknowledged as a whole. Those of many tenants hold a change or two each, so
   * while there is a backlog they come of many reads.
   */
  async #gather(blockMs: number): Promise<void> {
    if (this.#waiting.length === 0) this.#waiting = await this.#fetch(blockMs);
    for (let changes = 0; ; ) {
      let taken = 0;
      for (; taken < this.#waiting.length && changes < BATCH_CHANGES; taken++) {
        const item = readEntry(this.#waiting[taken]!);
        this.#batch.push(item);
        changes += Math.max(1, changesOf(item));
      }
      this.#waiting.splice(0, taken);
      if (!this.#hasBacklog || this.#mayHaveLostReply || changes >= BATCH_CHANGES) return;
      this.#waiting = await this.#read(0);
    }
  }

  async #fetch(blockMs: number): Promise<StreamEntry[]> {
    const now = monotonicMs();
    if (!this.#reader.isReady && now >= this.#due.groups) {
      await this.#reader.ensureGroups();
      this.#due.groups = now + GROUPS_EVERY_MS;
    }
    if (now >= this.#due.forgetConsumers) {
      await this.#reader.forgetDeadConsumers();
      this.#due.forgetConsumers = now + FORGET_CONSUMERS_EVERY_MS;
    }
    await this.#prepareFence();
    const count = this.#entriesPerStream;
    if (this.#mayHaveLostReply) {
      const lost = await this.#reader.readAgain(count);
      if (lost.length > 0) return lost;
    }
    // What others have left lying comes first: it is the oldest.
    if (now >= this.#due.takeOver) {
      this.#mayHaveTakenOver = true;
      if (await this.#reader.takeOver(this.#takeOverIdleMs, count)) return this.#fetch(blockMs);
      this.#mayHaveTakenOver = false;
      this.#due.takeOver = now + TAKE_OVER_EVERY_MS;
    }
    return this.#read(blockMs);
  }

  /** Before anything is read that is to be written under it. */
  async #prepareFence(): Promise<void> {
    if (this.#mayHaveTakenOver) {
      this.#fence = await raiseFence(this.#pool);
      this.#mayHaveTakenOver = false;
      this.#mayHaveLostReply = true;
    }
    this.#fence ??= await readFence(this.#pool);
  }

  async #read(blockMs: number): Promise<StreamEntry[]> {
    this.#mayHaveLostReply = true;
    const { entries, isFull } = await this.#reader.read(this.#entriesPerStream, blockMs);
    this.#mayHaveLostReply = false;
    this.#hasBacklog = isFull;
    return entries;
  }
}

function changesOf(item: ReadEntry): number {
  return 'entry' in item ? item.entry.changes.length : 0;
}

function isGroupGone(error: unknown): boolean {
  return error instanceof Error && /^(NOGROUP|UNBLOCKED)/.test(error.message);
}
