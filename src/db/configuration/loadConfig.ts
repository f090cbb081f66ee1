import { newId } from '../../base/ids.ts';
import {
  type Config,
  DEFAULT_STREAK,
  type Entity,
  type EntityKind,
  emptyConfig,
  type StreakSettings,
} from '../../rules/config.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../rules/tenantSettings.ts';
import type { Queryable } from '../pool.ts';
import { column, execute, first, prepared } from '../rows.ts';
import { sql } from '../sql.ts';

/** The tenant of an installation that has only one. */
export const DEFAULT_TENANT = 1;

/** Creates the default tenant unless it exists. */
export async function createDefaultTenant(db: Queryable, now: number): Promise<void> {
  await execute(db)`
    insert into tenants (no, id, name, created, updated)
    values (${DEFAULT_TENANT}, ${newId()}, 'default', ${new Date(now)}, ${new Date(now)})
    on conflict (no) do nothing`;
}

interface StoredEntity {
  kind: EntityKind;
  id: string;
  no: number;
  key: string | null;
  body: object;
  created: string;
  updated: string;
}

// One statement, so that version and entities are of the same moment even outside a transaction.
const LOAD_CONFIG = sql`
  select no, customer_id as "customerId", status, version, streak, settings, coalesce(
    (select jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'no', no, 'key', key, 'body', body,
                                         'created', created, 'updated', updated)
                      order by coalesce((body ->> 'position')::float8, no), no)
       from entities where tenant = tenants.no), '[]') as entities
  from tenants`;

interface StoredConfig {
  no: number;
  customerId: string | null;
  status: 'active' | 'archived';
  version: string;
  streak: StreakSettings | null;
  settings: Settings | null;
  entities: StoredEntity[];
}

/** @throws Error if the tenant does not exist */
export async function loadConfig(db: Queryable, tenant: number): Promise<Config> {
  const stored = await first(prepared(db))<StoredConfig>`${LOAD_CONFIG} where no = ${tenant}`;
  if (stored === null) throw new Error(`no tenant ${tenant}`);
  return toConfig(stored);
}

/** The configuration of the tenant with this customer's id; null if it does not exist or is archived. */
export async function findActiveConfig(db: Queryable, customerId: string): Promise<Config | null> {
  const stored = await first(prepared(db))<StoredConfig>`
    ${LOAD_CONFIG} where customer_id = ${customerId} and status = 'active'`;
  return stored && toConfig(stored);
}

function toConfig(row: StoredConfig): Config {
  const config: Config = {
    ...emptyConfig(row.no),
    // An archived tenant has given its id back.
    customerId: row.status === 'archived' ? null : row.customerId,
    archived: row.status === 'archived',
    version: Number(row.version),
    streak: row.streak ?? DEFAULT_STREAK,
    settings: row.settings ?? DEFAULT_SETTINGS,
  };
  for (const { kind, id, no, key, body, created, updated } of row.entities) {
    const entity: Entity = {
      ...body,
      ...(key === null ? {} : { key }),
      id,
      no,
      created: new Date(created).toISOString(),
      updated: new Date(updated).toISOString(),
    };
    (config[kind] as Entity[]).push(entity);
  }
  return config;
}

/**
 * The tenants whose last change is stored but not published. A tenant that never changed is published by its
 * first call.
 */
export const listUnpublished = (db: Queryable): Promise<number[]> =>
  column(db)`select no from tenants where published < version order by no`;

/** Records that this version or a newer one is published. */
export async function markPublished(db: Queryable, tenant: number, version: number): Promise<void> {
  await execute(db)`
    update tenants set published = ${version} where no = ${tenant} and published < ${version}`;
}
