import { newId } from '../base/ids.ts';
import {
  type Config,
  DEFAULT_SETTINGS,
  DEFAULT_STREAK,
  type Entity,
  type EntityKind,
  type EntityOf,
  emptyConfig,
  type Settings,
  type StreakSettings,
} from '../rules/config.ts';
import { noteActivations } from './activations.ts';
import { type AuditChange, type Author, writeAudit } from './audit.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from './configChanges.ts';
import { noteLeaderboards } from './dueLeaderboards.ts';
import { type Pool, type PoolClient, type Queryable, transaction } from './pool.ts';

/** The tenant of an installation that has only one. */
export const DEFAULT_TENANT = 1;

const KINDS: Record<EntityKind, true> = {
  attributes: true,
  metrics: true,
  counters: true,
  achievements: true,
  pointsSystems: true,
  pointsLevels: true,
  pointsTriggers: true,
  pointsBoosts: true,
  leaderboards: true,
  webhooks: true,
  notificationTemplates: true,
};
/** Every kind, each after the kinds that it refers to. */
export const ENTITY_KINDS = Object.keys(KINDS) as EntityKind[];

/** The space in which a key is unique: attributes have one per type, the parts of a points system one per system. */
export function keyScope(entity: EntityOf<EntityKind>): string {
  if ('systemId' in entity) return entity.systemId;
  // Of the kinds that have both a key and a type, there are only attributes.
  if ('type' in entity && 'key' in entity) return entity.type;
  return '';
}

/** Creates the default tenant unless it exists. */
export async function createDefaultTenant(db: Queryable, now: number): Promise<void> {
  await db.query(
    `insert into tenants (no, id, name, created, updated) values ($1, $2, 'default', $3, $3) on conflict (no) do nothing`,
    [DEFAULT_TENANT, newId(), new Date(now)],
  );
}

interface StoredEntity {
  kind: EntityKind;
  id: string;
  no: number;
  scope: string;
  key: string | null;
  body: object;
  created: string;
  updated: string;
}

// One statement, so that version and entities are of the same moment even outside a transaction.
const LOAD_CONFIG = `
  select no, customer_id as "customerId", status, version, streak, settings, coalesce(
    (select jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'no', no, 'key', key, 'body', body,
                                         'created', created, 'updated', updated) order by no)
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

/** @throws Error when there is no such tenant */
export async function loadConfig(db: Queryable, tenant: number): Promise<Config> {
  const text = `${LOAD_CONFIG} where no = $1`;
  const { rows } = await db.query<StoredConfig>({ name: 'load configuration', text, values: [tenant] });
  if (rows[0] === undefined) throw new Error(`no tenant ${tenant}`);
  return toConfig(rows[0]);
}

/** The configuration of the tenant with this customer's id; null when there is none, or it is archived. */
export async function findActiveConfig(db: Queryable, customerId: string): Promise<Config | null> {
  const text = `${LOAD_CONFIG} where customer_id = $1 and status = 'active'`;
  const { rows } = await db.query<StoredConfig>({ name: 'find configuration', text, values: [customerId] });
  return rows[0] === undefined ? null : toConfig(rows[0]);
}

function toConfig(row: StoredConfig): Config {
  const config: Config = {
    ...emptyConfig(row.no),
    customerId: row.customerId,
    archived: row.status === 'archived',
    version: Number(row.version),
    // Over the defaults, so that a setting younger than the row has a value.
    streak: { ...DEFAULT_STREAK, ...row.streak },
    settings: { ...DEFAULT_SETTINGS, ...row.settings },
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

export async function loadLastNumbers(db: Queryable, tenant: number): Promise<LastNumbers> {
  const { rows } = await db.query<{ kind: EntityKind; last: number }>(
    'select kind, last from entity_numbers where tenant = $1',
    [tenant],
  );
  const numbers = Object.fromEntries(ENTITY_KINDS.map((kind) => [kind, 0])) as LastNumbers;
  for (const row of rows) numbers[row.kind] = row.last;
  return numbers;
}

function toStored({ kind, entity }: EntityChange): StoredEntity {
  const { id, no, created, updated, ...fields } = entity;
  const { key, ...body } = { key: null, ...fields };
  return { kind, id, no, scope: keyScope(entity), key, body, created, updated };
}

const ROWS = `jsonb_to_recordset($2::jsonb) as row(kind text, id uuid, no integer, scope text, key text, body jsonb,
  created timestamptz, updated timestamptz)`;

const INSERT_ENTITIES = `
  insert into entities (tenant, kind, id, no, scope, key, body, created, updated)
  select $1, kind, id, no, scope, key, body, created, updated from ${ROWS}`;

const UPDATE_ENTITIES = `
  update entities set scope = row.scope, key = row.key, body = row.body, updated = row.updated from ${ROWS}
  where entities.tenant = $1 and entities.id = row.id`;

const DELETE_ENTITIES = `delete from entities using ${ROWS} where entities.tenant = $1 and entities.id = row.id`;

const RAISE_LAST_NUMBERS = `
  insert into entity_numbers (tenant, kind, last) select $1, kind, max(no) from ${ROWS} group by kind
  on conflict (tenant, kind) do update set last = excluded.last`;

const RAISE_VERSION = `
  update tenants set version = version + 1, streak = coalesce($2, streak), settings = coalesce($3, settings), updated = $4
  where no = $1 returning version`;

/**
 * Writes the changes and raises the version by 1, inside a transaction that holds the lock of the tenant's row.
 * @returns the new version
 * @throws Error when a change does not fit what is stored; nothing is to be kept then
 */
export async function saveConfigChanges(
  client: PoolClient,
  tenant: number,
  { changes, streak, settings }: ConfigChanges,
  now: number,
): Promise<number> {
  const write = async (statement: string, action: EntityChange['action']): Promise<void> => {
    const rows = changes.filter((change) => change.action === action).map(toStored);
    if (rows.length === 0) return;
    const { rowCount } = await client.query(statement, [tenant, JSON.stringify(rows)]);
    if (rowCount !== rows.length) throw new Error(`${action} touched ${rowCount} of ${rows.length} entities`);
  };
  await write(DELETE_ENTITIES, 'delete');
  await write(UPDATE_ENTITIES, 'update');
  await write(INSERT_ENTITIES, 'create');
  await raiseLastNumbers(
    client,
    tenant,
    changes.filter((change) => change.action === 'create'),
  );
  const { rows } = await client.query<{ version: string }>(RAISE_VERSION, [
    tenant,
    streak && JSON.stringify(streak),
    settings && JSON.stringify(settings),
    new Date(now),
  ]);
  return Number(rows[0]!.version);
}

async function raiseLastNumbers(client: PoolClient, tenant: number, created: EntityChange[]): Promise<void> {
  if (created.length === 0) return;
  const last = await loadLastNumbers(client, tenant);
  for (const { kind, no } of created) {
    if (no <= last[kind]) throw new Error(`number ${no} of ${kind} has been used before`);
  }
  await client.query(RAISE_LAST_NUMBERS, [tenant, JSON.stringify(created.map(toStored))]);
}

/** Serializes changes of a tenant: until the end of the transaction, nobody else gets past here. */
export async function lockTenant(client: PoolClient, tenant: number): Promise<void> {
  await client.query('select from tenants where no = $1 for update', [tenant]);
}

/**
 * The way every change of a tenant's configuration takes: one at a time, from what is stored now to what `decide` answers.
 * Without any change the version stays. What `decide` throws changes nothing.
 */
export function changeConfig<T extends ConfigChanges>(
  pool: Pool,
  tenant: number,
  author: Author,
  decide: (current: Config, lastNumbers: LastNumbers) => T,
): Promise<T & { version: number; changed: boolean }> {
  return transaction(pool, async (client) => {
    await lockTenant(client, tenant);
    const current = await loadConfig(client, tenant);
    const decided = decide(current, await loadLastNumbers(client, tenant));
    const changed = decided.changes.length > 0 || decided.streak !== null || decided.settings !== null;
    if (!changed) return { ...decided, version: current.version, changed };
    const version = await saveConfigChanges(client, tenant, decided, author.now);
    await writeAudit(client, tenant, author, auditChanges(current, decided));
    await noteActivations(client, tenant, version, decided, author.now);
    await noteLeaderboards(client, tenant, decided, author.now);
    return { ...decided, version, changed };
  });
}

/** Counters are left out: they are derived, and nobody asked for them. */
function auditChanges(current: Config, { changes, streak, settings }: ConfigChanges): AuditChange[] {
  const entries: AuditChange[] = changes
    .filter(({ kind }) => kind !== 'counters')
    .map(({ action, kind, id, before, entity }) => ({
      action,
      kind,
      id,
      before,
      after: action === 'delete' ? null : entity,
    }));
  if (streak) entries.push({ action: 'update', kind: 'streak', id: null, before: current.streak, after: streak });
  if (settings) {
    entries.push({ action: 'update', kind: 'settings', id: null, before: current.settings, after: settings });
  }
  return entries;
}

/** The tenants whose last change has not been put in force. One that was never changed is, with the first call for it. */
export async function listUnpublished(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ no: number }>('select no from tenants where published < version order by no');
  return rows.map(({ no }) => no);
}

/** Notes that this version, or a newer one, is in force. */
export async function markPublished(db: Queryable, tenant: number, version: number): Promise<void> {
  await db.query('update tenants set published = $2 where no = $1 and published < $2', [tenant, version]);
}
