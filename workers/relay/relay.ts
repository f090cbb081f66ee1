import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { monotonicMs } from '../../src/base/clock.ts';
import { FencedOffError, raiseFence, readFence } from '../../src/db/history/relayFence.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { changesOf, EntryWriter, type EntryWriterDependencies, type ReadEntry } from './entryWriter.ts';
import { Outage } from './outage.ts';
import { isGroupGone, OutboxReader, type StreamEntry } from './outboxReader.ts';
import { RELAY_PAUSE_MS, RelayPause } from './relayPause.ts';
import { RelayRanks } from './relayRanks.ts';
import { StateReader } from './stateReader.ts';
import { StoreComparison } from './storeComparison.ts';
import { UnknownEntries } from './unknownEntries.ts';
import { UnreachableCells } from './unreachableCells.ts';

/** Approximate number of changes in one transaction: bounds its memory and its duration. */
const BATCH_CHANGES = 8_000;
/**
 * Approximate number of entries of one read. Entries of maximum size take some tens of megabytes together.
 */
const READ_ENTRIES = 256;
const READ_ENTRIES_PER_OUTBOX_MIN = 4;
/** Longest wait of a read for an entry; also bounds the duration of a stop. */
const BLOCK_MS = 500;
const GROUPS_EVERY_MS = 2_000;
/** How often a relay looks for entries that another one has left, or that it does not know to be its own. */
const TAKE_OVER_EVERY_MS = 2_000;
/**
 * Idle time after which entries are taken over; longer than a batch should take. A slower relay is fenced off
 * and reads its entries again.
 */
const TAKE_OVER_IDLE_MS = 10_000;
const FORGET_CONSUMERS_EVERY_MS = 600_000;

export interface RelayOptions
  extends Pick<EntryWriterDependencies, 'pool' | 'clock' | 'log' | 'onDeliveries' | 'tracing'> {
  redis: Redis;
  cells: Cells;
  /** Idle time after which entries are taken over, ms; set by tests. */
  takeOverIdleMs?: number;
  /** Pause between batches, ms; set by tests. */
  pauseMs?: number;
}

/**
 * Moves changes from the outboxes in Redis to PostgreSQL: reads a batch, writes it in one transaction, then
 * removes it from the outboxes. A batch that could not be finished is tried again as a whole, by this relay
 * or another one; rows that exist already stay unchanged. Any number of relays share the work.
 */
export class Relay {
  readonly counts = { entries: 0, changes: 0, deadEntries: 0, leftEntries: 0 };
  readonly #options: RelayOptions;
  readonly #cells: readonly number[];
  readonly #comparison: StoreComparison;
  readonly #reader: OutboxReader;
  /** Cells of an unreachable node. Their entries stay pending and are read again when the node returns. */
  readonly #unreachable: UnreachableCells;
  readonly #writer: EntryWriter;
  readonly #pause: RelayPause;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Entries read from the outboxes that are not in a batch yet. */
  #waiting: StreamEntry[] = [];
  readonly #unknown: UnknownEntries;
  /** The batch that is being written; kept until its entries have left the outboxes. */
  #batch: ReadEntry[] = [];
  /** Cells whose outboxes had more entries than the last read took. */
  #backlog: readonly number[] = [];
  /**
   * A reply with entries may have been lost. Redis counts these entries as read by this consumer, so it must
   * read them again.
   */
  #mayHaveLostReply = false;
  /** Entries that have been read stay pending, because too few replicas of Redis have them. */
  #areUnreplicated = false;
  /**
   * This relay may have taken over entries of another one. The fence must be raised before this relay writes
   * them.
   */
  #mayHaveTakenOver = false;
  /** The fence, read before the entries were (src/db/history/relayFence.ts). */
  #fence: string | null = null;
  readonly #due = { groups: 0, takeOver: 0, forgetConsumers: 0 };

  constructor(options: RelayOptions) {
    const { pool, redis, clock, log, cells, pauseMs = RELAY_PAUSE_MS } = options;
    this.#options = options;
    this.#cells = allCells(cells);
    const consumer = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
    this.#reader = new OutboxReader(redis, cells, consumer);
    this.#unknown = new UnknownEntries(this.#reader, log);
    this.#unreachable = new UnreachableCells(redis, cells, log);
    this.#comparison = new StoreComparison({ pool, redis, cells }, this.#unreachable, log, () =>
      this.#writer.forgetReceipt(),
    );
    this.#pause = new RelayPause(redis, pauseMs);
    this.#writer = new EntryWriter({
      ...options,
      partitions: new Partitions(pool),
      states: new StateReader(new Scripts(redis, cells), clock, cells),
      ranks: new RelayRanks(redis, cells),
    });
  }

  /**
   * Moves one batch of the entries that are in the outboxes now.
   * @returns the number of entries moved
   * @throws errors of PostgreSQL and Redis; the batch is kept and the next call continues with it
   */
  runOnce(): Promise<number> {
    return this.#step(0);
  }

  /** Moves entries until `stop`. Waits for the end of outages of PostgreSQL and Redis. */
  start(): void {
    this.#running = this.#loop(this.#stopping.signal);
  }

  /**
   * Finishes entries that have been read. Entries that cannot be finished stay in the outboxes for another
   * relay.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    try {
      while (this.isHolding) await this.#step(0);
      await this.#reader.resign();
    } catch (error) {
      this.#options.log.warn(
        { error: (error as Error).message },
        'the relay stopped with unacknowledged entries',
      );
    }
    this.#pause.close();
    this.#reader.close();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const outage = new Outage(this.#options.log, 'the relay');
    while (!signal.aborted) {
      try {
        const moved = await this.#step(BLOCK_MS);
        outage.over();
        const isCaughtUp = moved > 0 && this.#backlog.length === 0 && !this.isHolding;
        if (isCaughtUp) await this.#pause.pause(signal);
      } catch (error) {
        this.#comparison.fallDue();
        if (isGroupGone(error)) {
          this.#reader.forgetGroups();
          this.#due.groups = 0;
        }
        if (await this.#unreachable.hasGrown(error)) this.#leaveOut(this.#unreachable.cells);
        else await outage.wait(error, signal);
      }
    }
  }

  #leaveOut(cells: ReadonlySet<number>): void {
    this.#reader.leaveOut(cells);
    this.#batch = this.#batch.filter(({ source }) => !cells.has(source.cell));
    this.#waiting = this.#waiting.filter(({ cell }) => !cells.has(cell));
    this.#backlog = this.#backlog.filter((cell) => !cells.has(cell));
    this.#unknown.leaveOut(cells);
  }

  /** Number of cells that are left out because their node is unreachable. */
  get unreachableCells(): number {
    return this.#unreachable.cells.size;
  }

  /** Whether entries have been read that have not left the outboxes yet. */
  get isHolding(): boolean {
    return this.#batch.length + this.#waiting.length > 0;
  }

  async #step(blockMs: number): Promise<number> {
    await this.#comparison.runIfDue();
    if (this.#batch.length === 0) await this.#collect(blockMs);
    const batch = this.#batch;
    if (batch.length === 0) return 0;
    const dead = await this.#write(batch);
    if (dead === null) return this.#step(blockMs);
    const sources = batch.map(({ source }) => source);
    const isRecorded = await this.#reader.acknowledge(sources, this.#writer.receipt);
    this.#writer.acknowledged(sources, isRecorded);
    this.#batch = [];
    this.counts.entries += batch.length;
    this.counts.changes += batch.reduce((sum, item) => sum + changesOf(item), 0);
    this.counts.deadEntries += dead;
    return batch.length;
  }

  /**
   * @returns the number of dead entries; null if the relay was fenced off: it must then read its pending
   * entries again
   */
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
   * Collects the entries of one transaction. An entry is never split, because it is acknowledged as a whole.
   * Entries may hold only one or two changes each, so while outboxes have a backlog several reads of these
   * are combined.
   */
  async #collect(blockMs: number): Promise<void> {
    if (this.#waiting.length === 0) this.#waiting = await this.#fetch(blockMs);
    for (let changes = 0; ; ) {
      let taken = 0;
      for (; taken < this.#waiting.length && changes < BATCH_CHANGES; taken++) {
        const item = this.#unknown.read(this.#waiting[taken]!);
        if (item === null) continue;
        this.#batch.push(item);
        changes += Math.max(1, changesOf(item));
      }
      this.#waiting.splice(0, taken);
      this.counts.leftEntries += await this.#unknown.leave();
      if (this.#backlog.length === 0 || this.#mayHaveLostReply || changes >= BATCH_CHANGES) return;
      this.#waiting = await this.#read(0, this.#backlog);
    }
  }

  async #fetch(blockMs: number): Promise<StreamEntry[]> {
    const now = monotonicMs();
    if (this.#unreachable.haveReturned()) {
      this.#reader.leaveOut(this.#unreachable.cells);
      this.#mayHaveLostReply = true;
      this.#comparison.fallDue();
      await this.#comparison.runIfDue();
    }
    if (!this.#reader.isReady && now >= this.#due.groups) {
      await this.#reader.ensureGroups();
      this.#due.groups = now + GROUPS_EVERY_MS;
    }
    if (now >= this.#due.forgetConsumers) {
      await this.#reader.forgetDeadConsumers();
      this.#due.forgetConsumers = now + FORGET_CONSUMERS_EVERY_MS;
    }
    await this.#prepareFence();
    const count = entriesPerOutbox(this.#cells.length);
    if (this.#mayHaveLostReply) {
      const { entries, unreplicated } = await this.#reader.readAgain(count);
      this.#noteUnreplicated(unreplicated > 0);
      if (entries.length > 0) return entries;
    }
    // Entries that other relays have left come first, because they are the oldest.
    if (now >= this.#due.takeOver) {
      this.#mayHaveTakenOver = true;
      const idleMs = this.#options.takeOverIdleMs ?? TAKE_OVER_IDLE_MS;
      if (!(await this.#reader.takeOver(idleMs, count))) {
        this.#mayHaveTakenOver = false;
        this.#due.takeOver = now + TAKE_OVER_EVERY_MS;
      }
      // A read that was given up may be executed late: a node that hung sends it on once it was replaced.
      this.#mayHaveLostReply = true;
      return this.#fetch(blockMs);
    }
    return this.#read(blockMs, this.#cells);
  }

  /** Reads or raises the fence. Call it before each read. */
  async #prepareFence(): Promise<void> {
    if (this.#mayHaveTakenOver) {
      this.#fence = await raiseFence(this.#options.pool);
      this.#mayHaveTakenOver = false;
      this.#mayHaveLostReply = true;
    }
    this.#fence ??= await readFence(this.#options.pool);
  }

  async #read(blockMs: number, cells: readonly number[]): Promise<StreamEntry[]> {
    this.#mayHaveLostReply = true;
    const read = await this.#reader.read(cells, entriesPerOutbox(cells.length), blockMs);
    this.#noteUnreplicated(this.#areUnreplicated || read.unreplicated > 0);
    this.#mayHaveLostReply = read.isPartial || this.#areUnreplicated;
    this.#backlog = read.full;
    return read.entries;
  }

  #noteUnreplicated(areUnreplicated: boolean): void {
    if (areUnreplicated && !this.#areUnreplicated)
      this.#options.log.warn(
        'too few replicas of Redis have the latest changes, so they are not relayed yet',
      );
    this.#areUnreplicated = areUnreplicated;
  }
}

/** So that a read takes as many entries from one outbox with a backlog as from many. */
function entriesPerOutbox(outboxes: number): number {
  return Math.max(READ_ENTRIES_PER_OUTBOX_MIN, Math.floor(READ_ENTRIES / outboxes));
}
