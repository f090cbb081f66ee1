import type { Redis } from 'ioredis';
import { readFirstMembers } from '../../redis/state/mergedMembers.ts';

interface Read {
  running: Promise<string[]>;
  /** The read that starts after `running`, for readers that asked meanwhile. */
  next: Promise<string[]> | null;
}

/**
 * Reads of rankings that are spread over cells. A read asks every cell, so readers who come while one is
 * under way share the next one: a popular ranking is read once at a time, and no reader gets what was read
 * before the reader came.
 */
export class MergedReads {
  readonly #redis: Redis;
  readonly #reads = new Map<string, Read>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** The first members of a ranking, as `readFirstMembers`. */
  read(rankings: readonly string[], count: number): Promise<string[]> {
    if (rankings.length === 1) return readFirstMembers(this.#redis, rankings, count);
    const name = `${count} ${rankings[0]}`;
    const known = this.#reads.get(name);
    if (known === undefined) return this.#begin(name, rankings, count);
    known.next ??= known.running.then(ignore, ignore).then(() => this.#begin(name, rankings, count));
    return known.next;
  }

  #begin(name: string, rankings: readonly string[], count: number): Promise<string[]> {
    const read: Read = { running: readFirstMembers(this.#redis, rankings, count), next: null };
    this.#reads.set(name, read);
    const end = (): void => {
      if (read.next === null && this.#reads.get(name) === read) this.#reads.delete(name);
    };
    read.running.then(end, end);
    return read.running;
  }
}

function ignore(): void {}
