import { LRUCache } from 'lru-cache';
import { Batcher } from '../../base/batcher.ts';
import { DELIVERIES_TOGETHER_MAX, TENANT_RULES_MAX } from '../../base/limits.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import type { Pool } from '../../db/pool.ts';
import { isPostgresOutage } from '../../db/postgresAvailability.ts';
import { Rules } from '../../rules/inForce/rules.ts';

/**
 * The rules of tenants that have an active webhook or notification template, or a challenge. PostgreSQL is
 * asked at each batch, after its entries were read: whatever happened after a change of the configuration had
 * been answered is reported by that configuration.
 */
export class Subscriptions {
  readonly #pool: Pool;
  readonly #known = new LRUCache<number, Rules>({ max: TENANT_RULES_MAX });
  readonly #finds = new Batcher<number, Rules | null>(
    async (tenants) => {
      const found = await this.find(new Set(tenants));
      return tenants.map((tenant) => found.get(tenant) ?? null);
    },
    { most: DELIVERIES_TOGETHER_MAX, isCommon: isPostgresOutage },
  );

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The tenants, of those given, that have a subscription, with their rules as stored now. */
  async find(tenants: ReadonlySet<number>): Promise<Map<number, Rules>> {
    const { rows } = await this.#pool.query<{ no: number; version: string }>({
      name: 'find subscriptions',
      text: `select no, version from tenants where no = any($1) and exists (
        select from entities where tenant = tenants.no and (kind = 'challenges'
          or kind in ('webhooks', 'notificationTemplates') and body ->> 'status' = 'active'))`,
      values: [[...tenants]],
    });
    const found = new Map<number, Rules>();
    for (const { no, version } of rows) {
      let rules = this.#known.get(no);
      if (rules?.version !== Number(version)) {
        rules = new Rules(await loadConfig(this.#pool, no));
        this.#known.set(no, rules);
      }
      found.set(no, rules);
    }
    return found;
  }

  /** The rules of one tenant; null without a subscription. Concurrent calls share one query. */
  findOne(tenant: number): Promise<Rules | null> {
    return this.#finds.call(tenant);
  }
}
