import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import { keys, splitTenant } from '../redis/keys.ts';
import type { Rules } from '../rules/rules.ts';
import type { DueUser } from './retries.ts';
import type { RulesStore } from './rulesStore.ts';
import type { Settler } from './settler.ts';

/** Users that one script call settles where somebody waits for the end. */
const USERS_PER_CALL = 100;

interface DueUserOfTenant extends DueUser {
  tenant: number;
}

/** How fast it goes where nobody waits for the end but servers need Redis. */
export interface Pace {
  /** Ends it. */
  signal: AbortSignal;
  /** Users that one script call settles: bounds how long events wait for it. */
  usersPerCall: number;
  /** How many times as long as each call took it rests before the next one: the longer, the busier Redis is with others. */
  rest: number;
}

/** Tenants for which something failed, and what: the others do not wait for them. */
type Stuck = Map<number, unknown>;

/** One time through all who are due. */
interface Run {
  /** Seconds since 1970. */
  until: number;
  usersPerCall: number;
  stuck: Stuck;
}

/**
 * Settles everybody who is due, so that what time brings happens in time. It follows `due` and nothing else: what was missed is
 * made up for, each thing as of the instant at which it was due, and any number of sweeps do it once. All tenants are in it
 * together, so the number of those with nothing due costs nothing.
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
   * Does all that is due in these shards until `now` (ms), in the order in which it is due.
   * @throws what kept it from settling the users of some tenant, when all others have been settled
   */
  async settleDue(shards: readonly number[], now: number, pace?: Pace): Promise<void> {
    throwFirst(await this.#settle(shards, now, pace));
  }

  /** The same by the newest rules; throws only what kept it from settling the users of one tenant. */
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

  /** The first instant at which anybody is due, and those who are due then, shard by shard; false when nobody is. */
  async #next(shards: readonly number[], run: Run): Promise<boolean> {
    const pages = await Promise.all(shards.map((shard) => this.#firstDue(shard, run)));
    const first = Math.min(...pages.flat().map(({ due }) => due));
    if (first === Number.POSITIVE_INFINITY) return false;
    for (const page of pages) {
      const users = page.filter(({ due }) => due === first);
      await this.#step(first, users, run);
      // There may be more of them, who come before those of the next shard.
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
   * Newer rules may want something of people who are not due: everybody of a marked tenant in these shards is looked at once.
   * When it is ended before, the next one begins again.
   * @throws what kept it from looking at the users of some tenant, when all others have been looked at
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
        // A version that has come meanwhile has a mark of its own.
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

  /** Those who are due first, at most as many as one call settles. */
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

  /** Those at hand will do: the scripts ask for newer ones. */
  async #rules(tenant: number): Promise<Rules> {
    return this.#rulesStore.get(tenant) ?? this.#rulesStore.load(tenant);
  }
}

/** Goes on until `next` answers that there is no more, or the pace ends it. */
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
