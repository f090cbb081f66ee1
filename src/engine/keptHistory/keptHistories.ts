import type { Redis } from 'ioredis';
import { Batcher } from '../../base/batcher.ts';
import { type Cells, cellOf } from '../../base/cells.ts';
import { handled } from '../../base/handled.ts';
import type { Rows } from '../../db/rows.ts';
import { type LatestHistory, packHeader, readKeptHistory } from '../../redis/decoding/keptHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { KEEPING } from '../../redis/lua/scriptConstants.ts';
import { KeptScripts } from '../../redis/scripts/keptScripts.ts';
import { DAY_MS } from '../../rules/calendar.ts';
import type { History } from '../availability/historyReads.ts';
import { foldPart, type KeptPart, type KeptUser, partNamed } from './keptParts.ts';

/** How long a history is kept after it was last written. */
const KEPT_SECONDS = 8 * 86_400;
/** A read includes the changes in the header when so many have followed it. */
const RENEW_CHANGES = 8;
/** After this time a read asks PostgreSQL again, so that a fault of either store does not last. */
const READ_AGAIN_MS = 4 * DAY_MS;
/** Parts that one read of PostgreSQL asks for. */
const PARTS_TOGETHER_MAX = 20;
/** Reads of one user may write at the same time. */
const TRIES_MAX = 10;

interface KeptHistoryDependencies {
  redis: Redis;
  cells: Cells;
  history: Pick<History, 'readUser'>;
}

interface WithScripts extends KeptHistoryDependencies {
  scripts: KeptScripts;
}

/** A user as read, with the list that Redis keeps. */
interface KeptOf {
  tenant: number;
  userId: string;
  user: UserState;
  now: number;
  /** Read together with the state, or later; absent if it was not read. */
  keptList?: readonly Buffer[] | undefined;
}

/**
 * The latest history of users who are read, from Redis. A read finds what an earlier one has stored and
 * scripts have continued (lua/includes/keptHistory.lua), else it asks PostgreSQL and stores the answer.
 */
export class KeptHistories {
  readonly #deps: WithScripts;

  constructor({ redis, cells, history }: KeptHistoryDependencies) {
    this.#deps = { redis, cells, history, scripts: new KeptScripts(redis) };
  }

  /** The history of a user as of the state that was read. */
  async open(read: KeptOf): Promise<OpenedHistory> {
    const { tenant, userId } = read;
    const user = { tenant, userId, cell: cellOf(tenant, userId, this.#deps.cells) };
    const list = read.keptList ?? (await readKeptList(this.#deps.redis, user, read.user.keepsHistory));
    return new OpenedHistory(this.#deps, user, read, list);
  }
}

async function readKeptList(redis: Redis, user: KeptUser, isKept: boolean): Promise<Buffer[]> {
  return isKept ? redis.lrangeBuffer(keys.history(user.tenant, user.cell, user.userId), 0, -1) : [];
}

export class OpenedHistory {
  readonly #deps: WithScripts;
  readonly #user: KeptUser;
  readonly #read: KeptOf;
  readonly #list: readonly Buffer[];
  readonly #known: LatestHistory | null;
  #isRenewed = false;
  /** Reads of PostgreSQL: parts that are asked for at the same time are read and written together. */
  readonly #reads = new Batcher<KeptPart<unknown>, unknown>((parts) => this.#readParts(parts), {
    most: PARTS_TOGETHER_MAX,
    isCommon: () => true,
  });

  constructor(deps: WithScripts, user: KeptUser, read: KeptOf, list: readonly Buffer[]) {
    this.#deps = deps;
    this.#user = user;
    this.#read = read;
    this.#list = list;
    this.#known = read.user.keepsHistory ? readKeptHistory(list, read.user.sequence) : null;
  }

  /**
   * A part of the history.
   * @throws ServiceError `unavailable` if only PostgreSQL has it, and does not answer
   */
  async part<V>(part: KeptPart<V>): Promise<V> {
    const kept = this.#known && foldPart(part, this.#known, this.#user);
    if (kept === null) return (await this.#reads.call(part as KeptPart<unknown>)) as V;
    if (!this.#isRenewed) this.#renew(this.#known!);
    return kept;
  }

  /** Writes the header again if it is time. No read waits for it. */
  #renew({ readAt, parts, changes }: LatestHistory): void {
    this.#isRenewed = true;
    if (this.#read.now - readAt > READ_AGAIN_MS)
      void handled(this.#readParts(Object.keys(parts).map(partNamed)));
    else if (changes.length >= RENEW_CHANGES) void handled(this.#includeChanges());
  }

  /** Writes a header that includes the changes until the read. The user may have changed since. */
  async #includeChanges(): Promise<void> {
    const { readAt, parts, changes } = this.#known!;
    const names = Object.keys(parts);
    const header = packHeader(this.#read.user.sequence, readAt, refolded(this.#known, names, this.#user));
    const replaced = this.#list[0]!;
    const included = { changes: changes.length, seconds: KEPT_SECONDS };
    await this.#deps.scripts.renewHistory(this.#user, replaced, header, included);
  }

  /** Reads parts from PostgreSQL, and keeps them. */
  async #readParts(parts: readonly KeptPart<unknown>[]): Promise<unknown[]> {
    const { redis, history } = this.#deps;
    const { tenant, cell } = this.#user;
    const erasures = (await redis.get(keys.erasures(tenant, cell))) ?? '0';
    const read = (part: KeptPart<unknown>, rows: Rows) => {
      const kept = this.#known && foldPart(part, this.#known, this.#user);
      return part.read(rows, this.#user, kept ?? undefined);
    };
    const values = await history.readUser(this.#user, (rows) =>
      Promise.all(parts.map((part) => read(part, rows))),
    );
    const fitting = parts.flatMap((part, i) =>
      part.fits(values[i], this.#read.user) ? [[part.name, part.pack(values[i])]] : [],
    );
    if (fitting.length > 0) await this.#write(Object.fromEntries(fitting), erasures);
    return values;
  }

  /**
   * Writes the parts that are kept, and more of them, unless the user has changed since the read.
   * @param erasures before PostgreSQL was read
   */
  async #write(more: Record<string, Buffer>, erasures: string): Promise<void> {
    const { redis, scripts } = this.#deps;
    const { userId } = this.#user;
    const { user, now } = this.#read;
    const { sequence } = user;
    const asked = { userId, sequence, erasures, seconds: KEPT_SECONDS };
    let list = this.#list;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const known = readKeptHistory(list, sequence);
      const others = Object.keys(known?.parts ?? {}).filter((name) => more[name] === undefined);
      const parts = { ...more, ...refolded(known, others, this.#user) };
      const header = packHeader(sequence, others.length === 0 ? now : known!.readAt, parts);
      const reply = await scripts.keepHistory(this.#user, asked, list[0] ?? null, header);
      if (reply !== KEEPING.replaced) return;
      list = await readKeptList(redis, this.#user, true);
    }
  }
}

/** These parts with all changes. */
function refolded(
  known: LatestHistory | null,
  names: readonly string[],
  user: KeptUser,
): Record<string, Buffer> {
  const entries = names.map((name) => {
    const part = partNamed(name);
    return [name, part.pack(foldPart(part, known!, user))];
  });
  return Object.fromEntries(entries);
}
