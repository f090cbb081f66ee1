import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Rules } from '../rules/rules.ts';
import { pack } from './codec.ts';
import { keys } from './keys.ts';
import type { RulesStore } from './rulesStore.ts';
import type { DueUser, Settler } from './settler.ts';

/** Users that one script call settles: bounds how long Redis is busy with it. */
const USERS_PER_CALL = 100;

/**
 * Settles everybody who is due, so that what time brings happens in time. It follows `due` and nothing else: what was missed is
 * made up for, each thing as of the instant at which it was due, and any number of sweeps do it once.
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

  /** Of these shards, those with somebody due by `now` (ms), or with everybody to be looked at because the rules are new. */
  async findWork(tenant: number, shards: readonly number[], now: number): Promise<number[]> {
    const sign = signOf(await this.#rules(tenant));
    const found = await Promise.all(
      shards.map(async (shard) => {
        const [[next], seen] = await Promise.all([
          this.#due(tenant, shard, '-inf', Math.floor(now / 1000), 1),
          this.#sign(tenant, shard),
        ]);
        return next !== undefined || seen !== sign;
      }),
    );
    return shards.filter((_, i) => found[i]);
  }

  /**
   * Does all that is due in these shards until `now` (ms), in the order in which it is due.
   * @returns false when `signal` ended it before
   */
  async run(tenant: number, shards: readonly number[], now: number, signal?: AbortSignal): Promise<boolean> {
    const rules = await this.#rules(tenant);
    do {
      if (signal?.aborted) return false;
    } while (await this.#next(rules, shards, now));
    const sign = signOf(rules);
    for (const shard of shards) {
      if ((await this.#sign(tenant, shard)) === sign) continue;
      if (!(await this.#review(rules, shard, now, signal))) return false;
      await this.#redis.set(keys.timeRules(tenant, shard), sign);
    }
    return true;
  }

  /** The first instant at which anybody is due, and all who are due then, shard by shard; false when nobody is. */
  async #next(rules: Rules, shards: readonly number[], now: number): Promise<boolean> {
    const { tenant } = rules;
    const until = Math.floor(now / 1000);
    const firsts = await Promise.all(shards.map((shard) => this.#due(tenant, shard, '-inf', until, 1)));
    const first = Math.min(...firsts.flat().map(({ due }) => due));
    if (first === Number.POSITIVE_INFINITY) return false;
    for (const [i, shard] of shards.entries()) {
      if (firsts[i]![0]?.due !== first) continue;
      let users: DueUser[];
      do {
        users = await this.#due(tenant, shard, first, first, USERS_PER_CALL);
        const userIds = users.map(({ userId }) => userId);
        if (userIds.length > 0) await this.#settler.step(rules, first, userIds);
      } while (users.length === USERS_PER_CALL);
    }
    return true;
  }

  /** Newer rules may want something of people who are not due: everybody of the shard is looked at once. */
  async #review(rules: Rules, shard: number, now: number, signal?: AbortSignal): Promise<boolean> {
    let cursor = '0';
    do {
      if (signal?.aborted) return false;
      const [next, members] = await this.#redis.zscan(keys.seen(rules.tenant, shard), cursor, 'COUNT', USERS_PER_CALL);
      const userIds = members.filter((_, i) => i % 2 === 0);
      if (userIds.length > 0) await this.#settler.review(rules, Math.floor(now / 1000), userIds);
      cursor = next;
    } while (cursor !== '0');
    return true;
  }

  async #due(tenant: number, shard: number, from: number | '-inf', until: number, count: number): Promise<DueUser[]> {
    const key = keys.due(tenant, shard);
    const flat = await this.#redis.zrange(key, from, String(until), 'BYSCORE', 'LIMIT', 0, count, 'WITHSCORES');
    const users: DueUser[] = [];
    for (let i = 0; i < flat.length; i += 2) users.push({ userId: flat[i]!, due: Number(flat[i + 1]) });
    return users;
  }

  async #rules(tenant: number): Promise<Rules> {
    const known = this.#store.get(tenant);
    return (known && (await this.#store.loadNewer(known))) ?? known ?? (await this.#store.load(tenant));
  }

  #sign(tenant: number, shard: number): Promise<string | null> {
    return this.#redis.get(keys.timeRules(tenant, shard));
  }
}

/** What settling goes by, as a word that differs when it does. */
function signOf(rules: Rules): string {
  const { frequency, enabled } = rules.config.streak;
  const packed = pack([rules.scriptTime, frequency, enabled, rules.config.settings.defaultTimeZone]);
  return createHash('sha256').update(packed).digest('hex').slice(0, 16);
}
