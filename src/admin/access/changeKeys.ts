import { ServiceError } from '../../base/errors.ts';
import { NAME_CHARS_MAX, TENANT_ID_CHARS_MAX, USER_ID_CHARS_MAX } from '../../base/limits.ts';
import { ROLES, type Role } from '../../base/roles.ts';
import {
  type AdminKey,
  createApiKey,
  deleteAdminKeys,
  deleteApplicationKeys,
  listAdminKeys,
  revokeApiKey,
} from '../../db/access/apiKeyRows.ts';
import { type AuditChange, writeAudit } from '../../db/access/audit.ts';
import { findTenantByCustomerId } from '../../db/access/tenantRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { tenantTransaction } from '../../db/configuration/tenantTransaction.ts';
import type { PoolClient } from '../../db/pool.ts';
import { issuesOf } from '../entities/entityBatch.ts';
import { type AdminContext, deletion, type Resource, reads } from '../entities/resource.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import { checkText } from '../kinds/ruleChecks.ts';

/**
 * Limits of active keys of the account, and of each tenant: with the role `admin`, so that each remains
 * known, and with others.
 */
const ACTIVE_ADMIN_KEYS_MAX = 3;
const ACTIVE_OTHER_KEYS_MAX = 100;

/** The result of a change of keys or sessions, with the ids that all servers must reload. */
interface KeyChange<T> {
  result: T;
  ids: string[];
  audit: AuditChange[];
}

/**
 * Changes keys, sessions or secrets in a transaction, one change at a time, and publishes them to all
 * servers.
 * @param tenant whose audit log shows the change
 */
export async function changeKeys<T>(
  context: AdminContext,
  tenant: number,
  change: (client: PoolClient) => Promise<KeyChange<T>>,
): Promise<T> {
  const { result, ids } = await tenantTransaction(context.pool, DEFAULT_TENANT, async (client) => {
    const done = await change(client);
    await writeAudit(client, tenant, context, done.audit);
    return done;
  });
  await context.reloadKeys(ids);
  return result;
}

/** Entries of the audit log. */
export const wasCreated = (kind: string, id: string, after: object): AuditChange => ({
  action: 'create',
  kind,
  id,
  before: null,
  after,
});
export const wasDeleted = (kind: string, id: string, before: object): AuditChange => ({
  action: 'delete',
  kind,
  id,
  before,
  after: null,
});

/** What is wrong with a text of an item. */
export function textProblems(field: string, text: string, charsMax: number): string[] {
  const problems: string[] = [];
  checkText((name, message) => problems.push(`${name} ${message}`), field, text, charsMax);
  return problems;
}

/** Keys of end users, bound to the tenant of the caller. */
export const applicationKeyResource: Resource = {
  create: (context, _parent, items) =>
    changeKeys(context, context.tenant, async (client) => {
      const problems = items.map(({ userId }: Item) =>
        userId === '' ? ['userId must not be empty'] : textProblems('userId', userId, USER_ID_CHARS_MAX),
      );
      const created: { id: string; userId: string; key: string; prefix: string }[] = [];
      for (const { userId } of items.filter((_, index) => problems[index]!.length === 0)) {
        const { id, key, prefix } = await createApiKey(
          client,
          { tenant: context.tenant, userId },
          context.now,
        );
        created.push({ id, userId, key, prefix });
      }
      return {
        result: { created, issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ id }) => id),
        audit: created.map(({ id, userId, prefix }) => wasCreated('applicationKeys', id, { userId, prefix })),
      };
    }),

  delete: (context, _parent, ids) =>
    changeKeys(context, context.tenant, async (client) => {
      const gone = await deleteApplicationKeys(client, context.tenant, ids);
      const known = new Set(gone.map(({ id }) => id));
      const problems = ids.map((id) => (known.has(id) ? [] : [`There is no application key ${id}`]));
      return {
        result: deletion(gone, ids, problems),
        ids: [...known],
        audit: gone.map(({ id, ...before }) => wasDeleted('applicationKeys', id, before)),
      };
    }),
};

const missing = (id: string): string => `There is no admin key ${id}`;
const LAST_ONE =
  'This is the last admin key that is active, has the role admin and is for every tenant: create another one first';

const view = ({ tenant: _tenant, customerId, created, lastUsed, ...key }: AdminKey) => ({
  ...key,
  tenant: customerId,
  created: created.toISOString(),
  lastUsed: lastUsed?.toISOString() ?? null,
});

const shownOnce = ({ stored, key }: { stored: AdminKey; key: string }) => ({ ...view(stored), key });

const isActive = ({ status }: AdminKey): boolean => status === 'active';
/** Whether the key may create others. */
const isFull = (key: AdminKey): boolean => isActive(key) && key.role === 'admin' && key.tenant === null;
const isLastFull = (key: AdminKey, all: AdminKey[]): boolean =>
  isFull(key) && all.filter(isFull).length === 1;

/** What is given with a new admin key. */
type NewAdminKey = Pick<AdminKey, 'name' | 'role' | 'tenant' | 'customerId'>;

async function createAdminKey(
  client: PoolClient,
  { name, role, tenant, customerId }: NewAdminKey,
  now: number,
): Promise<{ stored: AdminKey; key: string }> {
  const { id, prefix, key } = await createApiKey(client, { tenant, userId: null, name, role }, now);
  return {
    stored: {
      id,
      name,
      tenant,
      customerId,
      role,
      prefix,
      status: 'active',
      created: new Date(now),
      lastUsed: null,
    },
    key,
  };
}

/** Reads what is to be created. @returns the key, or what is wrong with it */
async function readNewKey(
  client: PoolClient,
  item: Item,
  active: AdminKey[],
): Promise<NewAdminKey | string[]> {
  const { name = '', role = 'admin', tenant: customerId = null } = item;
  const problems = textProblems('name', name, NAME_CHARS_MAX);
  const tenant = customerId === null ? null : await findTenantOfKey(client, customerId, problems);
  const ofSameTenant = active.filter((key) => key.tenant === tenant);
  problems.push(...roleProblems(role, ofSameTenant));
  return problems.length > 0 ? problems : { name, role, tenant, customerId };
}

/** The number of the tenant; null, with a problem, if no key can be bound to it. */
async function findTenantOfKey(
  client: PoolClient,
  customerId: string,
  problems: string[],
): Promise<number | null> {
  const found = textProblems('tenant', customerId, TENANT_ID_CHARS_MAX);
  problems.push(...found);
  if (found.length > 0) return null;
  const tenant = await findTenantByCustomerId(client, customerId);
  if (tenant === null) problems.push(`tenant does not name an active tenant: ${customerId}`);
  // Its settings and its audit log are those of the account.
  if (tenant?.no === DEFAULT_TENANT)
    problems.push(`tenant is the account itself, to which no key is bound: ${customerId}`);
  return tenant?.no ?? null;
}

/** What is wrong with the role of a key that is to be created beside the active ones. */
function roleProblems(role: string, active: { role: Role }[]): string[] {
  if (!isRole(role)) return [`role must be one of ${ROLES.join(', ')}`];
  const count = active.filter((key) => (key.role === 'admin') === (role === 'admin')).length;
  if (role !== 'admin') {
    return count < ACTIVE_OTHER_KEYS_MAX
      ? []
      : [`There are ${count} active keys of other roles: revoke one first`];
  }
  if (count < ACTIVE_ADMIN_KEYS_MAX) return [];
  return [`There are ${count} active admin keys (limit ${ACTIVE_ADMIN_KEYS_MAX}): revoke one first`];
}

const isRole = (role: string): role is Role => ROLES.some((known) => known === role);

/** A use is no change. */
const audited = (key: AdminKey) => {
  const { lastUsed: _, ...rest } = view(key);
  return rest;
};

const wasRevoked = (key: AdminKey): AuditChange => ({
  action: 'update',
  kind: 'adminKeys',
  id: key.id,
  before: audited(key),
  after: audited({ ...key, status: 'revoked' }),
});

export const adminKeyResource: Resource = {
  ...reads(({ pool }) => listAdminKeys(pool), view, missing),

  create: (context, _parent, items) =>
    changeKeys(context, DEFAULT_TENANT, async (client) => {
      const active = (await listAdminKeys(client)).filter(isActive);
      const created: { stored: AdminKey; key: string }[] = [];
      const problems: string[][] = [];
      for (const item of items) {
        const read = await readNewKey(client, item, active);
        problems.push(Array.isArray(read) ? read : []);
        if (Array.isArray(read)) continue;
        const made = await createAdminKey(client, read, context.now);
        created.push(made);
        active.push(made.stored);
      }
      return {
        result: { created: created.map(shownOnce), issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ stored }) => stored.id),
        audit: created.map(({ stored }) => wasCreated('adminKeys', stored.id, audited(stored))),
      };
    }),

  delete: (context, _parent, ids) =>
    changeKeys(context, DEFAULT_TENANT, async (client) => {
      const stored = new Map((await listAdminKeys(client)).map((key) => [key.id, key]));
      const gone: AdminKey[] = [];
      const problems = ids.map((id) => {
        const key = stored.get(id);
        if (key === undefined) return [missing(id)];
        if (isLastFull(key, [...stored.values()])) return [LAST_ONE];
        stored.delete(id);
        gone.push(key);
        return [];
      });
      await deleteAdminKeys(
        client,
        gone.map(({ id }) => id),
      );
      return {
        result: deletion(gone, ids, problems),
        ids: gone.map(({ id }) => id),
        audit: gone.map((key) => wasDeleted('adminKeys', key.id, audited(key))),
      };
    }),
};

function findKey(all: AdminKey[], id: string): AdminKey {
  const key = all.find((candidate) => candidate.id === id);
  if (key === undefined) throw new ServiceError('notFound', missing(id));
  return key;
}

/**
 * Revokes a key and creates another with the same name, role and tenant.
 * @throws ServiceError `notFound`; `invalid` when it is revoked already
 */
export function rotateAdminKey(context: AdminContext, id: string): Promise<ReturnType<typeof shownOnce>> {
  return changeKeys(context, DEFAULT_TENANT, async (client) => {
    const old = findKey(await listAdminKeys(client), id);
    if (!isActive(old)) throw new ServiceError('invalid', 'This admin key is revoked');
    await revokeApiKey(client, id);
    const created = await createAdminKey(client, old, context.now);
    return {
      result: shownOnce(created),
      ids: [id, created.stored.id],
      audit: [wasRevoked(old), wasCreated('adminKeys', created.stored.id, audited(created.stored))],
    };
  });
}

/**
 * A revoked key is refused from then on; it stays in the list.
 * @throws ServiceError `notFound`; `invalid` when no active key would be left
 */
export function revokeAdminKey(context: AdminContext, id: string): Promise<ReturnType<typeof view>> {
  return changeKeys(context, DEFAULT_TENANT, async (client) => {
    const all = await listAdminKeys(client);
    const old = findKey(all, id);
    if (!isActive(old)) return { result: view(old), ids: [], audit: [] };
    if (isLastFull(old, all)) throw new ServiceError('invalid', LAST_ONE);
    await revokeApiKey(client, id);
    return { result: view({ ...old, status: 'revoked' }), ids: [id], audit: [wasRevoked(old)] };
  });
}
