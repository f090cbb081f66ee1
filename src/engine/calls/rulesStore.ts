import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { type Cells, cellsOf, homeCellOf } from '../../base/cells.ts';
import { TENANT_RULES_MAX } from '../../base/limits.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { connectSubscriber } from '../../redis/connection/redisClient.ts';
import { unpackAll } from '../../redis/decoding/codec.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { PUBLISHED } from '../../redis/lua/scriptConstants.ts';
import { Scripts } from '../../redis/scripts/scripts.ts';
import type { Config } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import type { TimeInForce } from '../../rules/scriptRules.ts';
import { faultOfRedisWithoutRules, unavailable } from '../availability/storeFaults.ts';

/**
 * Puts a configuration in force: events are evaluated by it from now on, also after a failover if the
 * connection requires replicas, and older versions are stale. Servers that hold rules of the tenant are told.
 * @param now ms: its rules of time count from then on
 * @returns null when a newer version is in force
 * @throws ServiceError `unavailable` while replicas lack it
 */
export async function publishRules(
  redis: Redis,
  config: Config,
  cells: Cells,
  now: number,
): Promise<Rules | null> {
  const timeInForce = await publishInCells(redis, new Rules(config), cells, now);
  if (timeInForce !== null && config.customerId !== null) {
    await redis.hset(keys.tenants, config.customerId, config.tenant);
  }
  return timeInForce && new Rules(config, timeInForce);
}

/**
 * Publishes in the home cell first, from which servers load rules. A script of another cell that gets newer
 * rules than it knows raises the version itself (lua/includes/isStale.lua), so no cell goes back to older
 * rules. The time rules count from the same instant in all cells.
 */
async function publishInCells(
  redis: Redis,
  rules: Rules,
  cells: Cells,
  now: number,
): Promise<TimeInForce | null> {
  const scripts = new Scripts(redis, cells);
  const [home, ...others] = cellsOf(rules.tenant, cells);
  const since = Math.max(Math.floor(now / 1000), await readLatestHour(redis, rules.tenant, others));
  const confirm = scripts.watch(home!, ...others);
  const timeInForce = await scripts.publishRules(rules, home!, since);
  if (timeInForce === null) return null;
  await Promise.all(others.map((cell) => scripts.publishRules(rules, cell, timeInForce.since)));
  await confirm();
  return timeInForce;
}

/**
 * The latest hour (seconds since 1970) in which a user in these cells had an event. The script looks at the
 * users of its own cell.
 */
async function readLatestHour(redis: Redis, tenant: number, cells: readonly number[]): Promise<number> {
  const latest = await Promise.all(
    cells.map((cell) => redis.zrange(keys.seen(tenant, cell), '0', '0', 'REV', 'WITHSCORES')),
  );
  return Math.max(0, ...latest.map(([, hour = '0']) => Number(hour) * 3_600));
}

/**
 * The published rules of recently called tenants, in memory. The rules of the account stay, because every
 * call reads them.
 */
export class RulesStore {
  readonly #redis: Redis;
  readonly #cells: Cells;
  readonly #rules: LRUCache<number, Rules>;
  readonly #tenantOf = new Map<string, number>();
  readonly #loading = new SingleFlight<number, Rules | null>();
  #subscriber: Redis | null = null;

  constructor(redis: Redis, cells: Cells, tenantsMax = TENANT_RULES_MAX) {
    this.#redis = redis;
    this.#cells = cells;
    this.#rules = new LRUCache({ max: tenantsMax, dispose: ({ config }) => this.#unname(config) });
  }

  /** The rules as last loaded; undefined if they were never loaded or have been evicted. No I/O. */
  get(tenant: number): Rules | undefined {
    return this.#rules.get(tenant);
  }

  /** The same by the customer's id of the tenant. */
  getByCustomerId(customerId: string): Rules | undefined {
    const tenant = this.#tenantOf.get(customerId);
    return tenant === undefined ? undefined : this.#rules.get(tenant);
  }

  get size(): number {
    return this.#rules.size;
  }

  /**
   * Fetches the published rules; calls at the same time share one fetch.
   * @throws ServiceError `unavailable` if none are published; the known rules are then dropped
   */
  async load(tenant: number): Promise<Rules> {
    const rules = await this.find(tenant);
    if (rules === null) throw unavailable(await faultOfRedisWithoutRules(this.#redis));
    return rules;
  }

  /** The same, but null when none are published. */
  find(tenant: number): Promise<Rules | null> {
    return this.#loading.run(tenant, () => this.#fetch(tenant));
  }

  /** Stores rules that have just been published, unless newer rules are known. @returns the stored rules */
  adopt(rules: Rules): Rules {
    const { tenant, customerId } = rules.config;
    const known = this.#rules.get(tenant);
    if (known !== undefined && known.version > rules.version) return known;
    this.#rules.set(tenant, rules);
    if (customerId !== null) this.#tenantOf.set(customerId, tenant);
    return rules;
  }

  /**
   * The published rules if they are newer than these, else null. Fetches the configuration only then. After a
   * restore, the rules of time of the same version count from another instant.
   */
  async loadNewer(rules: Rules): Promise<Rules | null> {
    const fields = [PUBLISHED.version, PUBLISHED.timeSince];
    const [version, since] = (await this.#redis.hmget(this.#key(rules.tenant), ...fields)).map(Number);
    const isOlder = (known: Rules): boolean =>
      known.version < version! || (known.version === version && known.scriptTime.since !== since);
    if (!isOlder(rules)) return null;
    const loaded = await this.load(rules.tenant);
    // The load may have joined a fetch that began before the newer rules were published.
    return isOlder(loaded) ? this.load(rules.tenant) : loaded;
  }

  /**
   * Follows the published rules of the tenants in memory, including versions published while the connection
   * was away. Events do not depend on this: scripts refuse events that were prepared with older rules.
   */
  async follow(): Promise<void> {
    const subscriber = connectSubscriber(this.#redis);
    this.#subscriber = subscriber;
    // If a fetch fails, the rules are fetched when the connection is back.
    const refresh = (tenant: number): void => void this.#refresh(tenant).catch(() => {});
    subscriber.on('message', (_channel, tenant) => refresh(Number(tenant)));
    subscriber.on('ready', () => {
      for (const tenant of this.#rules.keys()) refresh(tenant);
    });
    await subscriber.subscribe(keys.published);
  }

  /** Ends `follow`. */
  close(): void {
    this.#subscriber?.disconnect();
  }

  async #refresh(tenant: number): Promise<void> {
    await this.#loading.get(tenant);
    const known = this.#rules.peek(tenant);
    if (known !== undefined) await this.loadNewer(known);
  }

  async #fetch(tenant: number): Promise<Rules | null> {
    const fields = [PUBLISHED.config, PUBLISHED.timeVersion, PUBLISHED.timeSince];
    const [packed, timeVersion, timeSince] = await this.#redis.hmgetBuffer(this.#key(tenant), ...fields);
    if (!packed) {
      this.#rules.delete(tenant);
      return null;
    }
    const [config] = unpackAll(packed) as [Config];
    return this.adopt(new Rules(config, { version: Number(timeVersion), since: Number(timeSince) }));
  }

  #key(tenant: number): string {
    return keys.rules(tenant, homeCellOf(tenant, this.#cells));
  }

  #unname({ customerId, tenant }: Config): void {
    if (customerId !== null && this.#tenantOf.get(customerId) === tenant) this.#tenantOf.delete(customerId);
  }
}
