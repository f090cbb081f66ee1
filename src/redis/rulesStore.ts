import type { Redis } from 'ioredis';
import { ServiceError } from '../base/errors.ts';
import type { Config } from '../rules/config.ts';
import { Rules } from '../rules/rules.ts';
import { pack, unpackAll } from './codec.ts';
import { keys } from './keys.ts';
import { Scripts } from './scripts.ts';

/** Makes a configuration the one that events are evaluated with; from then on older ones are stale. */
export async function publishRules(redis: Redis, config: Config, shards: number): Promise<void> {
  await new Scripts(redis).publishRules(config.tenant, config.version, pack(config), shards);
}

/** The published rules of the tenants, in memory. */
export class RulesStore {
  readonly #redis: Redis;
  readonly #rules = new Map<number, Rules>();
  readonly #loading = new Map<number, Promise<Rules>>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Of whom rules have been loaded. */
  tenants(): number[] {
    return [...this.#rules.keys()];
  }

  /** The rules as last loaded: undefined before the first `load`. No I/O. */
  get(tenant: number): Rules | undefined {
    return this.#rules.get(tenant);
  }

  /**
   * Fetches the published rules; calls at the same time share one fetch.
   * @throws ServiceError `unavailable` when none are published; then those known are forgotten
   */
  load(tenant: number): Promise<Rules> {
    let loading = this.#loading.get(tenant);
    if (loading === undefined) {
      loading = this.#fetch(tenant).finally(() => this.#loading.delete(tenant));
      this.#loading.set(tenant, loading);
    }
    return loading;
  }

  /** The published rules if they are newer than these, else null. Fetches the configuration only then. */
  async loadNewer(rules: Rules): Promise<Rules | null> {
    const version = await this.#redis.hget(keys.rules(rules.tenant), 'version');
    return Number(version) > rules.version ? this.load(rules.tenant) : null;
  }

  async #fetch(tenant: number): Promise<Rules> {
    const packed = await this.#redis.hgetBuffer(keys.rules(tenant), 'config');
    if (packed === null) {
      this.#rules.delete(tenant);
      throw new ServiceError('unavailable', 'The store is empty or being restored');
    }
    const [config] = unpackAll(packed) as [Config];
    const known = this.#rules.get(tenant);
    if (known !== undefined && known.version >= config.version) return known;
    const rules = new Rules(config);
    this.#rules.set(tenant, rules);
    return rules;
  }
}
