import type { Redis } from 'ioredis';
import { Batcher } from '../../base/batcher.ts';
import { monotonicMs } from '../../base/clock.ts';
import { bufferOf, fieldOf, KNOWN_FORMATS, tenantOf } from '../decoding/outbox.ts';
import { keys } from '../keys/redisKeys.ts';
import { ENTRY } from '../lua/entryFormat.ts';
import type { OutboxRange, Scripts } from '../scripts/scripts.ts';
import { isAfter } from './relayProgress.ts';

/** Users whom one search looks for. */
const USERS_TOGETHER_MAX = 500;
const ENTRIES_PER_READ = 100;
/** An outbox with more entries, or with more bytes in its lists of changes, is not searched. */
const ENTRIES_MAX = 1_000;
const BYTES_MAX = 1_000_000;
/**
 * Entries are kept for the next search if it begins within this time, ms. It is shorter than a failover or a
 * restore of Redis, after which an outbox may have other entries with earlier ids.
 */
const KEPT_MS = 1_000;
/** Longest text, in bytes, whose length is part of the first byte in msgpack. */
const SHORT_TEXT_BYTES_MAX = 31;

interface UserOfTenant {
  tenant: number;
  userId: string;
}

/** What a search needs of an entry. */
interface FoundEntry {
  id: string;
  tenant: number | null;
  /** The packed list of changes, which names the users; null in a format that this version cannot read. */
  asked: Buffer | null;
}

/**
 * Finds users in the outbox of a cell. While searches follow one another, each entry is read once. Users are
 * found as bytes in the packed list of changes: unpacking all lists would take ten times as long.
 */
export class OutboxSearch {
  readonly #redis: Redis;
  readonly #scripts: Scripts;
  readonly #cell: number;
  readonly #searches = new Batcher<UserOfTenant, string | null>((users) => this.#findAll(users), {
    most: USERS_TOGETHER_MAX,
    isCommon: () => true,
  });
  /** Entries that were in the outbox at the last search, in order. */
  #entries: FoundEntry[] = [];
  #bytes = 0;
  #searchedMs = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, scripts: Scripts, cell: number) {
    this.#redis = redis;
    this.#scripts = scripts;
    this.#cell = cell;
  }

  /**
   * Returns the id of the last entry that may change the user; null if no entry does. If the outbox is too
   * long to be searched, this is its last entry.
   */
  find(user: UserOfTenant): Promise<string | null> {
    return this.#searches.call(user);
  }

  async #findAll(users: readonly UserOfTenant[]): Promise<(string | null)[]> {
    const range = await this.#catchUp();
    if (range === null) return users.map(() => null);
    const isComplete = this.#entries.length > 0 && !isAfter(range.last, this.#entries.at(-1)!.id);
    if (!isComplete) return users.map(() => range.last);
    return users.map((user) => this.#findUser(user));
  }

  #findUser({ tenant, userId }: UserOfTenant): string | null {
    const bytes = packedText(userId);
    const last = this.#entries.findLast(
      (entry) => entry.asked === null || (entry.tenant === tenant && entry.asked.includes(bytes)),
    );
    return last?.id ?? null;
  }

  /** Reads the entries that the last search has not seen, up to the limits. @returns null without any */
  async #catchUp(): Promise<OutboxRange | null> {
    const nowMs = monotonicMs();
    if (nowMs - this.#searchedMs > KEPT_MS) this.#keep([]);
    this.#searchedMs = nowMs;
    const [range, first] = await Promise.all([this.#scripts.readOutbox(this.#cell, false), this.#readNext()]);
    this.#keep(range === null ? [] : this.#entries.filter(({ id }) => !isAfter(range.first, id)));
    let count = first;
    while (count === ENTRIES_PER_READ && this.#entries.length < ENTRIES_MAX && this.#bytes < BYTES_MAX)
      count = await this.#readNext();
    return range;
  }

  /** Returns the number of entries read. */
  async #readNext(): Promise<number> {
    const last = this.#entries.at(-1);
    const found = await this.#redis.xrangeBuffer(
      keys.outbox(this.#cell),
      last === undefined ? '-' : `(${last.id}`,
      '+',
      'COUNT',
      ENTRIES_PER_READ,
    );
    this.#keep([...this.#entries, ...found.map(([id, fields]) => toFound(id, fields))]);
    return found.length;
  }

  #keep(entries: FoundEntry[]): void {
    this.#entries = entries;
    this.#bytes = entries.reduce((sum, { asked }) => sum + (asked?.length ?? 0), 0);
  }
}

function toFound(id: Buffer, fields: Buffer[]): FoundEntry {
  const isKnown = KNOWN_FORMATS.has(fieldOf(fields, ENTRY.format) ?? '');
  const asked = isKnown ? bufferOf(fields, ENTRY.asked) : undefined;
  // A copy, because the buffer is a part of the whole reply.
  return { id: id.toString('latin1'), tenant: tenantOf(fields), asked: asked ? Buffer.from(asked) : null };
}

/** The bytes of a text in msgpack. Those before a longer text differ between encoders and are left out. */
function packedText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > SHORT_TEXT_BYTES_MAX) return bytes;
  return Buffer.concat([Buffer.of(0xa0 | bytes.length), bytes]);
}
