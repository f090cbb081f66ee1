import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import { TENANT_ID_CHARS_MAX } from '../../base/limits.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { isStorable } from '../../base/text.ts';
import { DEFAULT_TENANT, findActiveConfig, loadConfig } from '../../db/configuration/loadConfig.ts';
import { publishRules, type RulesStore } from '../../engine/calls/rulesStore.ts';
import { assertRestored } from '../../engine/stores/availability.ts';
import type { Stores } from '../../engine/stores/stores.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { Config } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import type { ApiKey } from './apiKeys.ts';

/**
 * Finds the tenant of a call. An account without multi-tenancy is one tenant. With multi-tenancy, the header
 * Tenant-ID holds the customer's id of the tenant. The rules of recently called tenants are in memory; the
 * others are loaded from Redis, or from PostgreSQL if the tenant was never called.
 */
export class Tenants {
  readonly #stores: Stores & { rulesStore: RulesStore; clock: Clock };
  readonly #searches = new SingleFlight<string, Rules>();

  constructor(stores: Stores & { rulesStore: RulesStore; clock: Clock }) {
    this.#stores = stores;
  }

  /**
   * The rules of the account itself, for a call about the account as a whole. They are fetched if this server
   * does not have them, as after a restore of Redis.
   * @throws ServiceError `forbidden` for a key of one tenant; rejects with `unavailable` while none are
   * published
   */
  accountFor(key: ApiKey): Rules | Promise<Rules> {
    if (key.tenant === null) return this.#account();
    throw new ServiceError(
      'forbidden',
      'This call is about the whole account, and the key belongs to one tenant',
    );
  }

  /**
   * The rules of the tenant that a call is for; not a promise if they are in memory. Throws, or rejects with,
   * ServiceError `invalid` if a required Tenant-ID is missing, `notFound` for an unknown or archived tenant,
   * `forbidden` if the key belongs to another tenant, `unavailable` while no rules are published.
   */
  rulesFor(key: ApiKey, headers: TenantHeaders): Rules | Promise<Rules> {
    const account = this.#account();
    if (account instanceof Rules) {
      const { multiTenancy } = account.config.settings;
      return this.#choose(account, key, multiTenancy ? readTenantId(headers) : '');
    }
    const tenantId = readTenantId(headers);
    return handled(account.then((loaded) => this.#choose(loaded, key, tenantId)));
  }

  #account(): Rules | Promise<Rules> {
    return (
      this.#stores.rulesStore.get(DEFAULT_TENANT) ?? handled(this.#stores.rulesStore.load(DEFAULT_TENANT))
    );
  }

  /** Without multi-tenancy, keys that belong to no tenant are for the account. */
  #choose(account: Rules, key: ApiKey, inHeader: string): Rules | Promise<Rules> {
    if (!account.config.settings.multiTenancy) {
      return key.tenant === null || key.tenant === DEFAULT_TENANT
        ? account
        : handled(this.#rulesOfKey(key.tenant, ''));
    }
    if (key.tenant !== null) return handled(this.#rulesOfKey(key.tenant, inHeader));
    const tenantId = tenantNamed(key, inHeader);
    if (tenantId === '') return handled(this.#withoutTenant(account));
    const known = this.#stores.rulesStore.getByCustomerId(tenantId);
    return known === undefined || known.config.archived ? handled(this.#find(tenantId)) : known;
  }

  async #rulesOfKey(tenant: number, tenantId: string): Promise<Rules> {
    const rules =
      this.#stores.rulesStore.get(tenant) ??
      (await this.#stores.rulesStore.find(tenant)) ??
      (await this.#publish(loadConfig(this.#stores.pool, tenant)));
    rules.assertServing();
    if (tenantId !== '' && tenantId !== rules.config.customerId) {
      throw new ServiceError(
        'forbidden',
        'Tenant-ID must be left out, or name the tenant that the key belongs to',
      );
    }
    return rules;
  }

  /** Multi-tenancy may just have been switched off through another server. */
  async #withoutTenant(account: Rules): Promise<Rules> {
    const rules = (await this.#stores.rulesStore.loadNewer(account)) ?? account;
    rules.assertServing();
    if (!rules.config.settings.multiTenancy) return rules;
    throw new ServiceError('invalid', 'Tenant-ID is required: the id of the tenant that the call is for');
  }

  /** Concurrent calls for the same tenant share the search. Unknown tenants are not remembered. */
  #find(tenantId: string): Promise<Rules> {
    return this.#searches.run(tenantId, () => this.#search(tenantId));
  }

  async #search(tenantId: string): Promise<Rules> {
    if (tenantId.length > TENANT_ID_CHARS_MAX) {
      throw new ServiceError(
        'invalid',
        `Tenant-ID must not be longer than ${TENANT_ID_CHARS_MAX} characters`,
      );
    }
    if (!isStorable(tenantId)) throw noTenant(tenantId);
    // The hint finds tenants that were called before without PostgreSQL.
    const hint = await this.#stores.redis.hget(keys.tenants, tenantId);
    const hinted = hint === null ? null : await this.#stores.rulesStore.find(Number(hint));
    if (hinted?.config.customerId === tenantId && !hinted.config.archived) return hinted;
    return this.#publish(this.#findStored(tenantId));
  }

  async #findStored(tenantId: string): Promise<Config> {
    const config = await findActiveConfig(this.#stores.pool, tenantId);
    if (config === null) throw noTenant(tenantId);
    return config;
  }

  /** Callers wait for this, so it makes few round trips. It does not record that the version is published. */
  async #publish(stored: Promise<Config>): Promise<Rules> {
    const { redis, cells } = this.#stores;
    const [config] = await Promise.all([stored, assertRestored(this.#stores)]);
    const rules = await publishRules(redis, config, cells, this.#stores.clock.now());
    return rules === null
      ? this.#stores.rulesStore.load(config.tenant)
      : this.#stores.rulesStore.adopt(rules);
  }
}

const noTenant = (tenantId: string): ServiceError =>
  new ServiceError('notFound', `Tenant-ID ${tenantId} does not name an active tenant`);

/**
 * The customer's id of the tenant of a call: of a token, the one that it names and no other.
 * @throws ServiceError `forbidden`
 */
function tenantNamed({ token }: ApiKey, inHeader: string): string {
  if (token === undefined) return inHeader;
  if (token.tenantId === null)
    throw new ServiceError('forbidden', 'The token must name its tenant in the claim tenant');
  if (inHeader !== '' && inHeader !== token.tenantId)
    throw new ServiceError('forbidden', 'Tenant-ID must be left out, or name the tenant of the token');
  return token.tenantId;
}

/** The headers of a request, or a substitute, in which a call names its tenant. */
export interface TenantHeaders {
  getHeader(name: string): string;
}

/**
 * Your own id of the tenant in the header Tenant-ID; empty without one. The header holds it percent-encoded
 * (RFC 3986): headers carry printable ASCII only.
 * @throws ServiceError `invalid`
 */
export function readTenantId(headers: TenantHeaders): string {
  const inHeader = headers.getHeader('tenant-id');
  if (!inHeader.includes('%')) return inHeader;
  try {
    return decodeURIComponent(inHeader);
  } catch {
    throw new ServiceError('invalid', 'Tenant-ID must be percent-encoded, a % as %25');
  }
}

export const namingTenant = (tenantId: string): TenantHeaders => ({
  getHeader: () => encodeURIComponent(tenantId.toWellFormed()),
});
