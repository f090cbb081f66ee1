import { monotonicMs } from '../../src/base/clock.ts';
import { readTimeZones } from '../../src/db/access/tenantRows.ts';
import type { DayOf } from '../../src/db/analytics/dailyCounts.ts';
import type { Pool } from '../../src/db/pool.ts';
import { LocalTimes } from '../../src/rules/localTimes.ts';
import { DEFAULT_SETTINGS } from '../../src/rules/tenantSettings.ts';

/** How long a tenant's time zone is cached; a change takes effect on daily counts after this time. */
const ZONE_KNOWN_MS = 10_000;

export class TenantDays {
  readonly #pool: Pool;
  readonly #zones = new Map<number, string>();
  readonly #times = new LocalTimes();
  #forgetMs = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Loads the time zones of these tenants unless they are cached. @returns a function for their days */
  async load(tenants: Iterable<number>): Promise<DayOf> {
    const now = monotonicMs();
    if (now >= this.#forgetMs) {
      this.#zones.clear();
      this.#forgetMs = now + ZONE_KNOWN_MS;
    }
    const missing = [...new Set(tenants)].filter((tenant) => !this.#zones.has(tenant));
    if (missing.length > 0) {
      const zones = await readTimeZones(this.#pool, missing);
      for (const tenant of missing)
        this.#zones.set(tenant, zones.get(tenant) ?? DEFAULT_SETTINGS.defaultTimeZone);
    }
    return (tenant, instant) => this.#times.at(this.#zones.get(tenant)!, instant).day;
  }
}
