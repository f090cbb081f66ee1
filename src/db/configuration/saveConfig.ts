import { ENTITY_KINDS, type EntityKind, keyScope, revisionOf } from '../../rules/config.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from './configChanges.ts';
import { insertPastCauses } from './pastCauses.ts';

interface EntityRow {
  kind: EntityKind;
  id: string;
  no: number;
  scope: string;
  key: string | null;
  body: object;
  created: string;
  updated: string;
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

function toRow({ kind, entity }: EntityChange): EntityRow {
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
  insert into entity_numbers (tenant, kind, last)
  select $1, kind, max(no) from jsonb_to_recordset($2::jsonb) as row (kind text, no integer) group by kind
  on conflict (tenant, kind) do update set last = excluded.last`;

const RAISE_VERSION = `
  update tenants set version = version + 1, streak = coalesce($2, streak), settings = coalesce($3, settings), updated = $4,
    customer_id = coalesce($5, customer_id)
  where no = $1 returning version`;

/**
 * Writes the changes and raises the version by 1, in a transaction that has locked the tenant.
 * @returns the new version
 * @throws Error if a change does not match the stored entities; the transaction must then be rolled back
 */
export async function saveConfigChanges(
  client: PoolClient,
  tenant: number,
  { changes, pastCauses, streak, settings, customerId }: ConfigChanges,
  now: number,
): Promise<number> {
  const write = async (statement: string, action: EntityChange['action']): Promise<void> => {
    const rows = changes.filter((change) => change.action === action).map(toRow);
    if (rows.length === 0) return;
    const { rowCount } = await client.query(statement, [tenant, JSON.stringify(rows)]);
    if (rowCount !== rows.length) throw new Error(`${action} touched ${rowCount} of ${rows.length} entities`);
  };
  await write(DELETE_ENTITIES, 'delete');
  await write(UPDATE_ENTITIES, 'update');
  await write(INSERT_ENTITIES, 'create');
  await raiseLastNumbers(client, tenant, changes.flatMap(newNumberOf));
  await insertPastCauses(client, tenant, pastCauses);
  const { rows } = await client.query<{ version: string }>(RAISE_VERSION, [
    tenant,
    streak && JSON.stringify(streak),
    settings && JSON.stringify(settings),
    new Date(now),
    customerId,
  ]);
  return Number(rows[0]!.version);
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
  await client.query(RAISE_LAST_NUMBERS, [tenant, JSON.stringify(numbers)]);
}
