import type { Redis } from 'ioredis';
import type { Rules } from '../rules/rules.ts';
import { keys, splitTenant } from './keys.ts';
import type { RulesStore } from './rulesStore.ts';
import type { DueUser, Settler } from './settler.ts';

/** Users that one script call settles: bounds how long Redis is busy with it. */
const USERS_PER_CALL = 100;

interface DueUserOfTenant extends DueUser {
  tenant: number;
}

/** Tenants for which something failed in this run, and what: the others do not wait for them. */
type Stuck = Map<number, unknown>;

/**
 * Settles everybody who is due, so that what time brings happens in time. It follows `due` and nothing else: what was missed is
 * made up for, each thing as of the instant at which it was due, and any number of sweeps do it once. All tenants are in it
 * together, so the number of those with nothing due costs nothing.
 */
export class Sweep {
  readonly #redis: Redis;
  readonly #store: RulesStore;
  readonly #settler: Settler;

  constructor(redis: Redis, store: RulesStore, settler: Settler) {
    this.#redis = redis;
    this.#store = store;
    this.#settler = settler;
  }

  /** Everything in these shards until `now` (ms). */
  async run(shards: readonly number[], now: number): Promise<void> {
    await this.review(await this.findMarked(shards));
    await this.settleDue(shards, now);
  }

  /** Of these shards, those with somebody due by `now` (ms). */
  async findDue(shards: readonly number[], now: number): Promise<number[]> {
    const firsts = await Promise.all(shards.map((shard) => this.#due(shard, Math.floor(now / 1000), 0, 1)));
    return shards.filter((_, i) => firsts[i]!.length > 0);
  }

  /** Of these shards, those with users to be looked at because the rules are new. */
  async findMarked(shards: readonly number[]): Promise<number[]> {
    const found = await Promise.all(shards.map((shard) => this.#redis.exists(keys.review(shard))));
    return shards.filter((_, i) => found[i] === 1);
  }

  /**
   * Does all that is due in these shards until `now` (ms), in the order in which it is due; `signal` ends it before.
   * @throws what kept it from settling the users of some tenant, when all others have been settled
   */
  async settleDue(shards: readonly number[], now: number, signal?: AbortSignal): Promise<void> {
    throwFirst(await this.#settle(shards, now, signal));
  }

  /** The same; throws only what kept it from settling the users of one tenant. */
  async settleDueOf(tenant: number, shards: readonly number[], now: number): Promise<void> {
    const stuck = await this.#settle(shards, now);
    if (stuck.has(tenant)) throw stuck.get(tenant);
  }

  async #settle(shards: readonly number[], now: number, signal?: AbortSignal): Promise<Stuck> {
    const stuck: Stuck = new Map();
    while (!signal?.aborted && (await this.#next(shards, Math.floor(now / 1000), stuck)));
    return stuck;
  }

  /** The first instant at which anybody is due, and those who are due then, shard by shard; false when nobody is. */
  async #next(shards: readonly number[], until: number, stuck: Stuck): Promise<boolean> {
    const pages = await Promise.all(shards.map((shard) => this.#firstDue(shard, until, stuck)));
    const first = Math.min(...pages.flat().map(({ due }) => due));
    if (first === Number.POSITIVE_INFINITY) return false;
    for (const page of pages) {
      const users = page.filter(({ due }) => due === first);
      await this.#step(first, users, until, stuck);
      // There may be more of them, who come before those of the next shard.
      if (users.length === USERS_PER_CALL) break;
    }
    return true;
  }

  async #step(at: number, users: readonly DueUserOfTenant[], until: number, stuck: Stuck): Promise<void> {
    const userIdsOf = new Map<number, string[]>();
    for (const { tenant, userId } of users) {
      const userIds = userIdsOf.get(tenant);
      if (userIds) userIds.push(userId);
      else userIdsOf.set(tenant, [userId]);
    }
    await Promise.all(
      Array.from(userIdsOf, async ([tenant, userIds]) => {
        try {
          await this.#settler.step(await this.#rules(tenant), at, userIds, until);
        } catch (error) {
          stuck.set(tenant, error);
        }
      }),
    );
  }

  /**
   * Newer rules may want something of people who are not due: everybody of a marked tenant in these shards is looked at once;
   * `signal` ends it before, and the next one begins again.
   * @throws what kept it from looking at the users of some tenant, when all others have been looked at
   */
  async review(shards: readonly number[], signal?: AbortSignal): Promise<void> {
    const stuck: Stuck = new Map();
    for (const shard of shards) {
      for (const mark of await this.#redis.smembers(keys.review(shard))) {
        const { tenant } = splitTenant(mark);
        try {
          await this.#reviewTenant(tenant, shard, signal);
        } catch (error) {
          stuck.set(tenant, error);
          continue;
        }
        if (signal?.aborted) return;
        // A version that has come meanwhile has a mark of its own.
        await this.#redis.srem(keys.review(shard), mark);
      }
    }
    throwFirst(stuck);
  }

  async #reviewTenant(tenant: number, shard: number, signal?: AbortSignal): Promise<void> {
    const rules = await this.#store.load(tenant);
    let cursor = '0';
    do {
      const [next, members] = await this.#redis.zscan(keys.seen(tenant, shard), cursor, 'COUNT', USERS_PER_CALL);
      const userIds = members.filter((_, i) => i % 2 === 0);
      if (userIds.length > 0) await this.#settler.review(rules, userIds);
      cursor = next;
    } while (cursor !== '0' && !signal?.aborted);
  }

  /** Those who are due first, at most as many as one call settles. */
  async #firstDue(shard: number, until: number, stuck: Stuck): Promise<DueUserOfTenant[]> {
    for (let offset = 0; ; offset += USERS_PER_CALL) {
      const page = await this.#due(shard, until, offset, USERS_PER_CALL);
      const free = page.filter(({ tenant }) => !stuck.has(tenant));
      if (free.length > 0 || page.length < USERS_PER_CALL) return free;
    }
  }

  async #due(shard: number, until: number, offset: number, count: number): Promise<DueUserOfTenant[]> {
    const key = keys.due(shard);
    const flat = await this.#redis.zrange(key, '-inf', String(until), 'BYSCORE', 'LIMIT', offset, count, 'WITHSCORES');
    const users: DueUserOfTenant[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const { tenant, what: userId } = splitTenant(flat[i]!);
      users.push({ tenant, userId, due: Number(flat[i + 1]) });
    }
    return users;
  }

  /** Those at hand will do: the scripts ask for newer ones. */
  async #rules(tenant: number): Promise<Rules> {
    return this.#store.get(tenant) ?? this.#store.load(tenant);
  }
}

function throwFirst(stuck: Stuck): void {
  for (const error of stuck.values()) throw error;
}
