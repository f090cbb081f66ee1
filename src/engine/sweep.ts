import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import { keys, splitTenant } from '../redis/keys.ts';
import type { Rules } from '../rules/rules.ts';
import type { DueUser } from './retries.ts';
import type { RulesStore } from './rulesStore.ts';
import type { Settler } from './settler.ts';

/** Users that one script call settles when a caller waits for the end of the sweep. */
const USERS_PER_CALL = 100;

interface DueUserOfTenant extends DueUser {
  tenant: number;
}

/** The pace of a sweep in the background, which leaves Redis to the servers. */
export interface Pace {
  /** Ends the sweep. */
  signal: AbortSignal;
  /** Users that one script call settles: bounds how long events wait for it. */
  usersPerCall: number;
  /** Length of the rest after each call, as a multiple of the call's duration: a busier Redis gets longer rests. */
  rest: number;
}

/** The first error of each tenant for which something failed; the other tenants go on. */
type Stuck = Map<number, unknown>;

/** One pass over all users who are due. */
interface Run {
  /** Seconds since 1970. */
  until: number;
  usersPerCall: number;
  stuck: Stuck;
}

/**
 * Settles the users who are due, so that what time brings happens in time. It reads only the index `due`: what was missed is made up
 * for, as of the instant at which it was due, and any number of sweeps do it once. All tenants share the index, so tenants without a
 * due user cost nothing.
 */
export class Sweep {
  readonly #redis: Redis;
  readonly #rulesStore: RulesStore;
  readonly #settler: Settler;

  constructor(redis: Redis, rulesStore: RulesStore, settler: Settler) {
    this.#redis = redis;
    this.#rulesStore = rulesStore;
    this.#settler = settler;
  }

  /** Everything in these shards until `now` (ms). */
  async run(shards: readonly number[], now: number): Promise<void> {
    await this.review(await this.findMarked(shards));
    await this.settleDue(shards, now);
  }

  /** Of these shards, those with a user due by `now` (ms). */
  async findDue(shards: readonly number[], now: number): Promise<number[]> {
    const firsts = await Promise.all(shards.map((shard) => this.#due(shard, Math.floor(now / 1000), 0, 1)));
    return shards.filter((_, i) => firsts[i]!.length > 0);
  }

  /** Of these shards, those with users to review because the rules are new. */
  async findMarked(shards: readonly number[]): Promise<number[]> {
    const found = await Promise.all(shards.map((shard) => this.#redis.exists(keys.review(shard))));
    return shards.filter((_, i) => found[i] === 1);
  }

  /**
   * Does all that is due in these shards until `now` (ms), in the order in which it is due.
   * @throws the first error of any tenant, after the users of all other tenants have been settled
   */
  async settleDue(shards: readonly number[], now: number, pace?: Pace): Promise<void> {
    throwFirst(await this.#settle(shards, now, pace));
  }

  /** The same by the newest rules. @throws only the error of this tenant */
  async settleDueOf(tenant: number, shards: readonly number[], now: number): Promise<void> {
    for (const stuck of [await this.#review(await this.findMarked(shards)), await this.#settle(shards, now)]) {
      if (stuck.has(tenant)) throw stuck.get(tenant);
    }
  }

  async #settle(shards: readonly number[], now: number, pace?: Pace): Promise<Stuck> {
    const usersPerCall = pace?.usersPerCall ?? USERS_PER_CALL;
    const run: Run = { until: Math.floor(now / 1000), usersPerCall, stuck: new Map() };
    await atPace(pace, () => this.#next(shards, run));
    return run.stuck;
  }

  /** Settles the users who are due first, shard by shard. @returns false when no user is due */
  async #next(shards: readonly number[], run: Run): Promise<boolean> {
    const pages = await Promise.all(shards.map((shard) => this.#firstDue(shard, run)));
    const first = Math.min(...pages.flat().map(({ due }) => due));
    if (first === Number.POSITIVE_INFINITY) return false;
    for (const page of pages) {
      const users = page.filter(({ due }) => due === first);
      await this.#step(first, users, run);
      // This shard may have more users who are due at that instant; they come before those of the next shard.
      if (users.length === run.usersPerCall) break;
    }
    return true;
  }

  async #step(at: number, users: readonly DueUserOfTenant[], { until, stuck }: Run): Promise<void> {
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
   * Newer rules may make users due who were not: reviews each user of the marked tenants in these shards once. A review that is ended
   * early begins again with the next one.
   * @throws the first error of any tenant, after the users of all other tenants have been reviewed
   */
  async review(shards: readonly number[], pace?: Pace): Promise<void> {
    throwFirst(await this.#review(shards, pace));
  }

  async #review(shards: readonly number[], pace?: Pace): Promise<Stuck> {
    const stuck: Stuck = new Map();
    for (const shard of shards) {
      for (const mark of await this.#redis.smembers(keys.review(shard))) {
        const { tenant } = splitTenant(mark);
        try {
          await this.#reviewTenant(tenant, shard, pace);
        } catch (error) {
          stuck.set(tenant, error);
          continue;
        }
        if (pace?.signal.aborted) return stuck;
        // A version that was published meanwhile has a mark of its own.
        await this.#redis.srem(keys.review(shard), mark);
      }
    }
    return stuck;
  }

  async #reviewTenant(tenant: number, shard: number, pace?: Pace): Promise<void> {
    const rules = await this.#rulesStore.load(tenant);
    const usersPerCall = pace?.usersPerCall ?? USERS_PER_CALL;
    let cursor = '0';
    await atPace(pace, async () => {
      const [next, members] = await this.#redis.zscan(keys.seen(tenant, shard), cursor, 'COUNT', usersPerCall);
      const userIds = members.filter((_, i) => i % 2 === 0);
      if (userIds.length > 0) await this.#settler.review(rules, userIds);
      cursor = next;
      return cursor !== '0';
    });
  }

  /** The users who are due first, at most as many as one call settles. */
  async #firstDue(shard: number, { until, usersPerCall, stuck }: Run): Promise<DueUserOfTenant[]> {
    for (let offset = 0; ; offset += usersPerCall) {
      const page = await this.#due(shard, until, offset, usersPerCall);
      const free = page.filter(({ tenant }) => !stuck.has(tenant));
      if (free.length > 0 || page.length < usersPerCall) return free;
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

  /** The rules in memory, if any: the scripts refuse stale ones. */
  async #rules(tenant: number): Promise<Rules> {
    return this.#rulesStore.get(tenant) ?? this.#rulesStore.load(tenant);
  }
}

/** Calls `next` until it returns false or the pace ends it. */
async function atPace(pace: Pace | undefined, next: () => Promise<boolean>): Promise<void> {
  while (!pace?.signal.aborted) {
    const startMs = monotonicMs();
    if (!(await next())) return;
    if (pace) await sleep(pace.rest * (monotonicMs() - startMs), undefined, { signal: pace.signal }).catch(() => {});
  }
}

function throwFirst(stuck: Stuck): void {
  for (const error of stuck.values()) throw error;
}
