import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { allShards } from '../src/base/shards.ts';
import { keys } from '../src/redis/keys.ts';
import { runPipeline } from '../src/redis/pipeline.ts';
import { Scripts } from '../src/redis/scripts.ts';

const GROUP = 'relay';
/** A consumer that has been silent for so long, and owes nothing, is gone for good. */
const FORGET_CONSUMER_MS = 3_600_000;

/** An entry as it stands in the outbox of a shard. */
export interface StreamEntry {
  shard: number;
  id: string;
  /** Names and values in turn. */
  fields: Buffer[];
}

interface Stream {
  shard: number;
  key: string;
}

type RawEntry = [id: Buffer, fields: Buffer[] | null];
type Reply = [key: Buffer, entries: RawEntry[]][];

/**
 * The outboxes of all shards as one consumer of the group `relay`. What was handed out stays with this consumer until it
 * is acknowledged, or until another one takes over what has been lying here for too long.
 */
export class OutboxReader {
  readonly consumer: string;
  readonly #redis: Redis;
  readonly #scripts: Scripts;
  /** Waits in a blocking read most of the time, so it is nobody else's. */
  readonly #blocking: Redis;
  readonly #all: readonly Stream[];
  /** Those whose group is known to exist: only they can be read. */
  #streams: Stream[] = [];

  constructor(redis: Redis, shards: number, consumer: string) {
    this.#redis = redis;
    this.#scripts = new Scripts(redis);
    this.#all = allShards(shards).map((shard) => ({ shard, key: keys.outbox(shard) }));
    this.consumer = consumer;
    // The first read may wait for the connection; one that was lost fails the read at once.
    this.#blocking = redis.duplicate({ enableOfflineQueue: true, enableAutoPipelining: false });
    // The read fails, too, and its caller reports that.
    this.#blocking.on('error', () => {});
  }

  /** Whether every outbox can be read. */
  get isReady(): boolean {
    return this.#streams.length === this.#all.length;
  }

  /**
   * Makes the groups of outboxes that have none. Looks before it creates: a Redis that is full refuses to create, even what
   * exists, and the relay is what makes room. Outboxes that have no group then are left for the next time.
   */
  async ensureGroups(): Promise<void> {
    const found = await runPipeline(
      this.#redis,
      this.#all.map(({ key }) => ['xinfo', 'GROUPS', key]),
      (error) => error.message.includes('no such key'),
    );
    const missing = this.#all.filter((_, i) => !namesGroup(found[i]));
    const created = await runPipeline(
      this.#redis,
      missing.map(({ key }) => ['xgroup', 'CREATE', key, GROUP, '0', 'MKSTREAM']),
      (error) => /^(BUSYGROUP|OOM)/.test(error.message),
    );
    const without = new Set(missing.filter((_, i) => isOutOfMemory(created[i])));
    this.#streams = this.#all.filter((stream) => !without.has(stream));
  }

  /** To be called when a read says NOGROUP: somebody has emptied Redis. */
  forgetGroups(): void {
    this.#streams = [];
  }

  /**
   * New entries, at most `count` of an outbox; `isFull` when one had that many. Waits for the first one, at most
   * `blockMs`; 0 does not wait.
   * @throws ReplyError NOGROUP when an outbox has vanished
   */
  read(count: number, blockMs: number): Promise<{ entries: StreamEntry[]; isFull: boolean }> {
    return this.#readGroup('>', count, blockMs);
  }

  /** Entries that this consumer has been given and has not acknowledged, at most `count` of an outbox. */
  async readAgain(count: number): Promise<StreamEntry[]> {
    return (await this.#readGroup('0', count, 0)).entries;
  }

  /** @param after `>` for what nobody has been given, `0` for what this consumer has */
  async #readGroup(
    after: '>' | '0',
    count: number,
    blockMs: number,
  ): Promise<{ entries: StreamEntry[]; isFull: boolean }> {
    const streams = this.#streams;
    if (streams.length === 0) {
      await sleep(blockMs);
      return { entries: [], isFull: false };
    }
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
    // The options vary, which the overloads of the typed command cannot express.
    const read = this.#blocking.xreadgroupBuffer as (...args: (string | number)[]) => Promise<Reply | null>;
    const reply = (await read.apply(this.#blocking, args)) ?? [];
    const byKey = new Map(streams.map((stream) => [stream.key, stream]));
    return {
      entries: reply.flatMap(([key, entries]) => toEntries(byKey.get(key.toString())!, entries)),
      isFull: reply.some(([, entries]) => entries.length === count),
    };
  }

  /**
   * Makes entries this consumer's own that any consumer, also this one, was given and has not acknowledged for `idleMs`, at most
   * `count` of an outbox; `readAgain` reads them.
   * @returns whether there were any
   */
  async takeOver(idleMs: number, count: number): Promise<boolean> {
    const replies = (await runPipeline(
      this.#redis,
      this.#streams.map(({ key }) => [
        ...['xautoclaim', key, GROUP, this.consumer, idleMs, '0', 'COUNT', count],
        'JUSTID',
      ]),
    )) as [next: Buffer, ids: Buffer[]][];
    return replies.some(([, ids]) => ids.length > 0);
  }

  /** Takes entries out of the outbox, unless another consumer has taken them over. */
  async acknowledge(entries: readonly StreamEntry[]): Promise<void> {
    const idsOf = new Map<number, string[]>();
    for (const { shard, id } of entries) {
      const ids = idsOf.get(shard);
      if (ids) ids.push(id);
      else idsOf.set(shard, [id]);
    }
    await Promise.all(Array.from(idsOf, ([shard, ids]) => this.#scripts.acknowledge(shard, GROUP, this.consumer, ids)));
  }

  /** Removes consumers that have been silent for so long that they are gone for good. */
  forgetDeadConsumers(): Promise<void> {
    return this.#removeConsumers((name, idleMs) => idleMs > FORGET_CONSUMER_MS && name !== this.consumer);
  }

  /** To be called when nothing is read any more. */
  resign(): Promise<void> {
    return this.#removeConsumers((name) => name === this.consumer);
  }

  /** One that was handed entries stays until they have been taken over: they would be lost with it. */
  async #removeConsumers(isGone: (name: string, idleMs: number) => boolean): Promise<void> {
    const replies = await runPipeline(
      this.#redis,
      this.#streams.map(({ key }) => ['xinfo', 'CONSUMERS', key, GROUP]),
      (error) => /no such key|NOGROUP/.test(error.message),
    );
    const removals = replies.flatMap((reply, i) => {
      const consumers = Array.isArray(reply) ? (reply as (Buffer | number)[][]) : [];
      return consumers
        .filter(([, name, , pending, , idleMs]) => pending === 0 && isGone(String(name), Number(idleMs)))
        .map(([, name]) => ['xgroup', 'DELCONSUMER', this.#streams[i]!.key, GROUP, String(name)]);
    });
    await runPipeline(this.#redis, removals);
  }

  close(): void {
    this.#blocking.disconnect();
  }
}

/** An entry without fields has been deleted; there is nothing to do for it. */
function toEntries({ shard }: Stream, entries: RawEntry[]): StreamEntry[] {
  const found: StreamEntry[] = [];
  for (const [id, fields] of entries) {
    if (fields !== null) found.push({ shard, id: id.toString('latin1'), fields });
  }
  return found;
}

/** The reply of XINFO GROUPS: each group as names and values in turn. */
function namesGroup(reply: unknown): boolean {
  return Array.isArray(reply) && reply.some((group: unknown[]) => String(group[1]) === GROUP);
}

function isOutOfMemory(reply: unknown): boolean {
  return reply instanceof Error && reply.message.startsWith('OOM');
}
