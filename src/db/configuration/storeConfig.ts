import { type Config, ENTITY_KINDS, type EntityKind, keyScope, revisionOf } from '../../rules/config.ts';
import { type AuditChange, type Author, writeAudit } from '../access/audit.ts';
import { forgetFailures } from '../deliveries/webhookAttempts.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, value } from '../rows.ts';
import { type Sql, sql } from '../sql.ts';
import { addActivations } from './activations.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from './configChanges.ts';
import { scheduleLeaderboards } from './dueLeaderboards.ts';
import { insertPastCauses } from './pastCauses.ts';
import { scheduleWebhooks } from './scheduledWebhooks.ts';

/**
 * Stores changes of a configuration and what follows from them: audit log, activations, due leaderboards and
 * scheduled webhooks. Runs in a transaction that has locked the tenant.
 * @returns the new version
 */
export async function storeConfig(
  client: PoolClient,
  current: Config,
  changes: ConfigChanges,
  author: Author,
): Promise<number> {
  const { tenant } = current;
  const version = await saveConfigChanges(client, tenant, changes, author.now);
  await writeAudit(client, tenant, author, auditChanges(current, changes), version);
  await addActivations(client, tenant, version, changes, author.now);
  await scheduleLeaderboards(client, tenant, changes, author.now);
  await scheduleWebhooks(client, tenant, changes, author.now);
  const webhooks = changes.changes.filter(({ kind }) => kind === 'webhooks').map(({ id }) => id);
  // A changed webhook starts without failures.
  if (webhooks.length > 0) await forgetFailures(client, webhooks);
  return version;
}

/** Counters are left out, because they are derived from other entities. */
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
  if (streak)
    entries.push({ action: 'update', kind: 'streak', id: null, before: current.streak, after: streak });
  if (settings) {
    entries.push({ action: 'update', kind: 'settings', id: null, before: current.settings, after: settings });
  }
  return entries;
}

export async function loadLastNumbers(db: Queryable, tenant: number): Promise<LastNumbers> {
  const rows = await all(db)<{ kind: EntityKind; last: number }>`
    select kind, last from entity_numbers where tenant = ${tenant}`;
  const numbers = Object.fromEntries(ENTITY_KINDS.map((kind) => [kind, 0])) as LastNumbers;
  for (const row of rows) numbers[row.kind] = row.last;
  return numbers;
}

/** The columns of an entity. */
function toRow({ kind, entity }: EntityChange) {
  const { id, no, created, updated, ...fields } = entity;
  const { key, ...body } = { key: null, ...fields };
  return { kind, id, no, scope: keyScope(entity), key, body, created, updated };
}

/**
 * Writes the changes and raises the version by 1, in a transaction that has locked the tenant.
 * @returns the new version
 * @throws Error if a change does not match the stored entities; the transaction must then be rolled back
 */
async function saveConfigChanges(
  client: PoolClient,
  tenant: number,
  { changes, pastCauses, streak, settings, customerId }: ConfigChanges,
  now: number,
): Promise<number> {
  const write = async (action: EntityChange['action'], statement: (rows: Sql) => Sql): Promise<void> => {
    const given = changes.filter((change) => change.action === action).map(toRow);
    if (given.length === 0) return;
    const rows = sql`jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as row (kind text, id uuid, no integer,
      scope text, key text, body jsonb, created timestamptz, updated timestamptz)`;
    const count = await execute(client)`${statement(rows)}`;
    if (count !== given.length) throw new Error(`${action} touched ${count} of ${given.length} entities`);
  };
  const isGiven = sql`entities.tenant = ${tenant} and entities.id = row.id`;
  await write('delete', (rows) => sql`delete from entities using ${rows} where ${isGiven}`);
  await write(
    'update',
    (rows) => sql`
    update entities set scope = row.scope, key = row.key, body = row.body, updated = row.updated
    from ${rows} where ${isGiven}`,
  );
  await write(
    'create',
    (rows) => sql`
    insert into entities (tenant, kind, id, no, scope, key, body, created, updated)
    select ${tenant}, kind, id, no, scope, key, body, created, updated from ${rows}`,
  );
  await raiseLastNumbers(client, tenant, changes.flatMap(newNumberOf));
  await insertPastCauses(client, tenant, pastCauses);
  return value(client)`
    update tenants set version = version + 1, streak = coalesce(${streak && JSON.stringify(streak)}, streak),
      settings = coalesce(${settings && JSON.stringify(settings)}, settings), updated = ${new Date(now)},
      customer_id = coalesce(${customerId}, customer_id)
    where no = ${tenant} returning version::float8`;
}

interface NewNumber {
  kind: EntityKind;
  no: number;
}

/** The number that a change has given to its entity. */
function newNumberOf({ action, kind, no, before, entity }: EntityChange): NewNumber[] {
  const revision = revisionOf(entity);
  if (action === 'create') return [{ kind, no: Math.max(no, revision) }];
  return action === 'update' && before !== null && revision !== revisionOf(before)
    ? [{ kind, no: revision }]
    : [];
}

async function raiseLastNumbers(client: PoolClient, tenant: number, numbers: NewNumber[]): Promise<void> {
  if (numbers.length === 0) return;
  const last = await loadLastNumbers(client, tenant);
  for (const { kind, no } of numbers) {
    if (no <= last[kind]) throw new Error(`number ${no} of ${kind} has been used before`);
  }
  await execute(client)`
    insert into entity_numbers (tenant, kind, last)
    select ${tenant}, kind, max(no)
    from jsonb_to_recordset(${JSON.stringify(numbers)}::jsonb) as row (kind text, no integer) group by kind
    on conflict (tenant, kind) do update set last = excluded.last`;
}
