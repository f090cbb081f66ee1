import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { monotonicMs } from '../../src/base/clock.ts';
import { runPipeline } from '../../src/redis/connection/pipeline.ts';
import { connectBlocking } from '../../src/redis/connection/redisClient.ts';
import { Replication } from '../../src/redis/connection/replication.ts';
import { formatConsumer, RELAY_GROUP as GROUP } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Receipt } from '../../src/redis/scripts/redisReceipts.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { replicatedEntries } from './replicatedEntries.ts';
import { answerOfNode } from './unreachableCells.ts';

/** A consumer without pending entries that has been idle for this long is removed. */
const FORGET_CONSUMER_MS = 3_600_000;
/** Pause between two reads of a cluster while all outboxes are empty. */
const POLL_MS = 50;

/** An entry of the outbox of a cell, not decoded. */
export interface StreamEntry {
  cell: number;
  id: string;
  /** Alternating names and values. */
  fields: Buffer[];
}

interface ReadEntries {
  entries: StreamEntry[];
  full: number[];
  /** Whether some outboxes could not be read. Redis may count entries of these as read by this consumer. */
  isPartial: boolean;
  /** Number of outboxes whose entries stay pending, because too few replicas have them. */
  unreplicated: number;
}

interface Stream {
  cell: number;
  key: string;
}

type RawEntry = [id: Buffer, fields: Buffer[] | null];
type Reply = [key: Buffer, entries: RawEntry[]][];

/**
 * Reads the outboxes of all cells as one consumer of the group `relay`. Entries that it has read belong to it
 * until it acknowledges them, or until another consumer claims entries that have been pending for too
 * long.
 */
export class OutboxReader {
  readonly consumer: string;
  readonly #redis: Redis;
  readonly #scripts: Scripts;
  readonly #replication: Replication;
  /**
   * A separate connection, because it is blocked by a read most of the time; null for a cluster, whose nodes
   * are polled.
   */
  readonly #blocking: Redis | null;
  readonly #all: readonly Stream[];
  /** Outboxes whose group is known to exist; only these can be read. */
  #ready: Stream[] = [];
  #leftOut: ReadonlySet<number> = new Set();

  constructor(redis: Redis, cells: Cells, consumer: string) {
    this.#redis = redis;
    this.#scripts = new Scripts(redis, cells);
    this.#replication = new Replication(redis);
    this.#all = allCells(cells).map((cell) => ({ cell, key: keys.outbox(cell) }));
    this.consumer = consumer;
    this.#blocking = redis.isCluster ? null : connectBlocking(redis);
  }

  get isReady(): boolean {
    return this.#ready.length === this.#all.length;
  }

  /**
   * Uses no outbox of these cells from now on. Entries of theirs that have been read stay pending for this
   * consumer.
   */
  leaveOut(cells: ReadonlySet<number>): void {
    this.#leftOut = cells;
  }

  get #streams(): Stream[] {
    return this.#ready.filter(this.#isIncluded);
  }

  readonly #isIncluded = ({ cell }: Stream): boolean => !this.#leftOut.has(cell);

  /**
   * Creates missing groups. Checks first which are missing, because a full Redis refuses to create a group
   * even if it exists, and only the relay frees memory. Groups that cannot be created in a full Redis are
   * left for the next call.
   */
  async ensureGroups(): Promise<void> {
    const included = this.#all.filter(this.#isIncluded);
    const found = await runPipeline(
      this.#redis,
      included.map(({ key }) => ['xinfo', 'GROUPS', key]),
      (error) => error.message.includes('no such key'),
    );
    const missing = included.filter((_, i) => !namesGroup(found[i]));
    const created = await runPipeline(
      this.#redis,
      missing.map(({ key }) => ['xgroup', 'CREATE', key, GROUP, '0', 'MKSTREAM']),
      (error) => /^(BUSYGROUP|OOM)/.test(error.message),
    );
    const without = new Set(missing.filter((_, i) => isOutOfMemory(created[i])));
    this.#ready = included.filter((stream) => !without.has(stream));
  }

  /** Call this if a read fails with NOGROUP: Redis has been emptied. */
  forgetGroups(): void {
    this.#ready = [];
  }

  /**
   * Reads new entries of these cells, at most `count` from each outbox; `full` are the cells that had that
   * many. Waits at most `blockMs` for the first entry; 0 does not wait.
   * @throws ReplyError NOGROUP if an outbox no longer exists
   */
  read(cells: readonly number[], count: number, blockMs: number): Promise<ReadEntries> {
    const wanted = new Set(cells);
    const streams = this.#streams.filter(({ cell }) => wanted.has(cell));
    return this.#readGroup(streams, '>', count, blockMs);
  }

  /**
   * Reads this consumer's pending entries (read but not acknowledged) again, at most `count` from each
   * outbox.
   */
  readAgain(count: number): Promise<ReadEntries> {
    return this.#readGroup(this.#streams, '0', count, 0);
  }

  /** @param after `>` for new entries, `0` for this consumer's pending entries */
  async #readGroup(
    streams: Stream[],
    after: '>' | '0',
    count: number,
    blockMs: number,
  ): Promise<ReadEntries> {
    if (streams.length === 0) {
      await sleep(blockMs);
      return { entries: [], full: [], isPartial: false, unreplicated: 0 };
    }
    const connection = this.#blocking ?? this.#redis;
    const cells = streams.map(({ cell }) => cell);
    const confirm = this.#replication.watchOutboxes(connection, cells);
    const read = connection.isCluster
      ? await this.#poll(streams, after, count, blockMs)
      : await this.#readTogether(connection, streams, after, count, blockMs);
    return confirm === null ? read : { ...read, ...(await replicatedEntries(read.entries, confirm)) };
  }

  /**
   * In a cluster one command reads one outbox. If only some can be read, `isPartial` is set; entries of the
   * others stay pending.
   */
  async #poll(streams: Stream[], after: '>' | '0', count: number, blockMs: number): Promise<ReadEntries> {
    const deadlineMs = monotonicMs() + blockMs;
    for (;;) {
      const results = await Promise.allSettled(
        streams.map((stream) => answerOfNode(this.#readTogether(this.#redis, [stream], after, count, 0))),
      );
      const reads = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
      const entries = reads.flatMap((read) => read.entries);
      if (failed !== undefined && entries.length === 0) throw failed.reason;
      if (entries.length > 0 || monotonicMs() >= deadlineMs) {
        const full = reads.flatMap((read) => read.full);
        return { entries, full, isPartial: failed !== undefined, unreplicated: 0 };
      }
      await sleep(POLL_MS);
    }
  }

  async #readTogether(
    redis: Redis,
    streams: Stream[],
    after: '>' | '0',
    count: number,
    blockMs: number,
  ): Promise<ReadEntries> {
    const wait = blockMs > 0 ? ['BLOCK', blockMs] : [];
    const names = streams.map(({ key }) => key);
    const args = [
      'GROUP',
      GROUP,
      this.consumer,
      'COUNT',
      count,
      ...wait,
      'STREAMS',
      ...names,
      ...names.map(() => after),
    ];
    // The overloads of the typed command do not allow optional arguments.
    const read = redis.xreadgroupBuffer as (...args: (string | number)[]) => Promise<Reply | null>;
    const reply = (await read.apply(redis, args)) ?? [];
    const byKey = new Map(streams.map((stream) => [stream.key, stream]));
    const found = reply.map(([key, entries]) => ({ stream: byKey.get(key.toString())!, entries }));
    return {
      entries: found.flatMap(({ stream, entries }) => toEntries(stream, entries)),
      full: found.filter(({ entries }) => entries.length === count).map(({ stream }) => stream.cell),
      isPartial: false,
      unreplicated: 0,
    };
  }

  /**
   * Takes over entries that have been pending for `idleMs` with another relay, and entries that were left to
   * relays of this version, at most `count` from each outbox and consumer; `readAgain` reads them.
   * @returns whether any entry was taken over
   */
  async takeOver(idleMs: number, count: number): Promise<boolean> {
    const options = { group: GROUP, consumer: this.consumer, idleMs, count };
    const taken = await Promise.all(
      this.#streams.map(({ cell }) => this.#scripts.takeOverEntries(cell, options)),
    );
    return taken.some((entries) => entries > 0);
  }

  /** Leaves entries of a format to relays that know it. */
  async leave(entries: readonly StreamEntry[], format: string): Promise<void> {
    await runPipeline(
      this.#redis,
      entries.map(({ cell, id }) => [
        ...['xclaim', keys.outbox(cell), GROUP, formatConsumer(format), 0, id],
        'JUSTID',
      ]),
    );
  }

  /**
   * Removes entries from their outboxes, except those that another consumer has taken over, and records the
   * receipt of their transaction.
   * @returns whether the cells of all entries have recorded it
   */
  async acknowledge(entries: readonly StreamEntry[], receipt: Receipt | null): Promise<boolean> {
    const idsOf = new Map<number, string[]>();
    for (const { cell, id } of entries) {
      const ids = idsOf.get(cell);
      if (ids) ids.push(id);
      else idsOf.set(cell, [id]);
    }
    const removed = await Promise.all(
      Array.from(idsOf, ([cell, ids]) => this.#scripts.acknowledge(cell, GROUP, this.consumer, ids, receipt)),
    );
    return removed.every((count) => count > 0);
  }

  /** Removes other consumers that have been idle for `FORGET_CONSUMER_MS`. */
  forgetDeadConsumers(): Promise<void> {
    return this.#removeConsumers((name, idleMs) => idleMs > FORGET_CONSUMER_MS && name !== this.consumer);
  }

  /** Removes this consumer. Call it after the last read. */
  resign(): Promise<void> {
    return this.#removeConsumers((name) => name === this.consumer);
  }

  /** Keeps consumers with pending entries: removing the consumer would lose these entries. */
  async #removeConsumers(isGone: (name: string, idleMs: number) => boolean): Promise<void> {
    const streams = this.#streams;
    const replies = await runPipeline(
      this.#redis,
      streams.map(({ key }) => ['xinfo', 'CONSUMERS', key, GROUP]),
      (error) => /no such key|NOGROUP/.test(error.message),
    );
    const removals = replies.flatMap((reply, i) => {
      const consumers = Array.isArray(reply) ? (reply as (Buffer | number)[][]) : [];
      return consumers
        .filter(([, name, , pending, , idleMs]) => pending === 0 && isGone(String(name), Number(idleMs)))
        .map(([, name]) => ['xgroup', 'DELCONSUMER', streams[i]!.key, GROUP, String(name)]);
    });
    await runPipeline(this.#redis, removals);
  }

  close(): void {
    this.#blocking?.disconnect();
  }
}

/** Entries without fields have been deleted from the stream and are skipped. */
function toEntries({ cell }: Stream, entries: RawEntry[]): StreamEntry[] {
  const found: StreamEntry[] = [];
  for (const [id, fields] of entries) {
    if (fields !== null) found.push({ cell, id: id.toString('latin1'), fields });
  }
  return found;
}

/** @param reply of XINFO GROUPS: each group is a list of alternating names and values */
function namesGroup(reply: unknown): boolean {
  return Array.isArray(reply) && reply.some((group: unknown[]) => String(group[1]) === GROUP);
}

function isOutOfMemory(reply: unknown): boolean {
  return reply instanceof Error && reply.message.startsWith('OOM');
}

/** Whether a read failed because an outbox has no consumer group any more. */
export function isGroupGone(error: unknown): boolean {
  return error instanceof Error && /^(NOGROUP|UNBLOCKED)/.test(error.message);
}
