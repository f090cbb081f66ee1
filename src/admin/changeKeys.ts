import { ServiceError } from '../base/errors.ts';
import { NAME_CHARS_MAX, USER_ID_CHARS_MAX } from '../base/limits.ts';
import { ROLES } from '../contract/operation.ts';
import {
  type AdminKey,
  createApiKey,
  deleteAdminKeys,
  deleteApplicationKeys,
  type KeyRole,
  listAdminKeys,
  revokeApiKey,
} from '../db/access/apiKeyRows.ts';
import { type AuditChange, writeAudit } from '../db/access/audit.ts';
import { DEFAULT_TENANT } from '../db/configuration/loadConfig.ts';
import { tenantTransaction } from '../db/configuration/tenantTransaction.ts';
import type { PoolClient } from '../db/pool.ts';
import { issuesOf } from './entities/entityBatch.ts';
import type { AdminContext, Item, Resource } from './entities/resource.ts';
import { checkText } from './entities/ruleChecks.ts';

/** Limit of active keys with the role `admin`, so that each remains known, and of those with other roles. */
const ACTIVE_ADMIN_KEYS_MAX = 3;
const ACTIVE_OTHER_KEYS_MAX = 100;

/** The result of a change of keys, with the ids that all servers must reload. */
interface KeyChange<T> {
  result: T;
  ids: string[];
  audit: AuditChange[];
}

/** Changes keys in a transaction, one change at a time, and publishes them to all servers. */
async function changeKeys<T>(
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

/** What is wrong with a text of an item. */
function textProblems(field: string, text: string, charsMax: number): string[] {
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
        const { id, key, prefix } = await createApiKey(client, { tenant: context.tenant, userId }, context.now);
        created.push({ id, userId, key, prefix });
      }
      return {
        result: { created, issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ id }) => id),
        audit: created.map(({ id, userId, prefix }) => ({
          action: 'create',
          kind: 'applicationKeys',
          id,
          before: null,
          after: { userId, prefix },
        })),
      };
    }),

  delete: (context, _parent, ids) =>
    changeKeys(context, context.tenant, async (client) => {
      const gone = await deleteApplicationKeys(client, context.tenant, ids);
      const known = new Set(gone.map(({ id }) => id));
      const problems = ids.map((id) => (known.has(id) ? [] : [`There is no application key ${id}`]));
      return {
        result: {
          deleted: gone.map(({ id }) => ({ id })),
          issues: issuesOf(problems, (index) => ({ id: ids[index]! })),
        },
        ids: [...known],
        audit: gone.map(({ id, ...before }) => ({
          action: 'delete',
          kind: 'applicationKeys',
          id,
          before,
          after: null,
        })),
      };
    }),
};

const missing = (id: string): string => `There is no admin key ${id}`;
const LAST_ONE = 'This is the last admin key that is active and has the role admin: create another one first';

const view = ({ created, ...key }: AdminKey) => ({ ...key, created: created.toISOString() });

const isActive = ({ status }: AdminKey): boolean => status === 'active';
/** Whether the key may create others. */
const isFull = (key: AdminKey): boolean => isActive(key) && key.role === 'admin';
const isLastFull = (key: AdminKey, all: AdminKey[]): boolean => isFull(key) && all.filter(isFull).length === 1;

async function createAdminKey(
  client: PoolClient,
  { name, role }: Pick<AdminKey, 'name' | 'role'>,
  now: number,
): Promise<ReturnType<typeof view> & { key: string }> {
  const { id, prefix, key } = await createApiKey(client, { tenant: null, userId: null, name, role }, now);
  return { ...view({ id, name, role, prefix, status: 'active', created: new Date(now) }), key };
}

type CreatedKey = Awaited<ReturnType<typeof createAdminKey>>;

/** What is wrong with the role of a key that is to be created beside the active ones. */
function roleProblems(role: string, active: { role: KeyRole }[]): string[] {
  if (!isRole(role)) return [`role must be one of ${ROLES.join(', ')}`];
  const count = active.filter((key) => (key.role === 'admin') === (role === 'admin')).length;
  if (role !== 'admin') {
    return count < ACTIVE_OTHER_KEYS_MAX ? [] : [`There are ${count} active keys of other roles: revoke one first`];
  }
  if (count < ACTIVE_ADMIN_KEYS_MAX) return [];
  return [`There are ${count} active admin keys, and may be ${ACTIVE_ADMIN_KEYS_MAX}: revoke one first`];
}

const isRole = (role: string): role is KeyRole => ROLES.some((known) => known === role);

const auditKey = (action: AuditChange['action'], before: AdminKey | null, after: AdminKey | null): AuditChange => ({
  action,
  kind: 'adminKeys',
  id: (after ?? before)!.id,
  before,
  after,
});

export const adminKeyResource: Resource = {
  list: async ({ pool }, _parent, { skip, limit }) => (await listAdminKeys(pool)).slice(skip, skip + limit).map(view),

  get: async ({ pool }, _parent, id) => view(findKey(await listAdminKeys(pool), id)),

  create: (context, _parent, items) =>
    changeKeys(context, DEFAULT_TENANT, async (client) => {
      const active = (await listAdminKeys(client)).filter(isActive);
      const created: CreatedKey[] = [];
      const problems: string[][] = [];
      for (const { name = '', role = 'admin' } of items) {
        const found = [...textProblems('name', name, NAME_CHARS_MAX), ...roleProblems(role, [...active, ...created])];
        problems.push(found);
        if (found.length === 0) created.push(await createAdminKey(client, { name, role }, context.now));
      }
      return {
        result: { created, issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ id }) => id),
        audit: created.map(({ key: _key, ...shown }) => ({
          action: 'create',
          kind: 'adminKeys',
          id: shown.id,
          before: null,
          after: shown,
        })),
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
        result: {
          deleted: gone.map(({ id }) => ({ id })),
          issues: issuesOf(problems, (index) => ({ id: ids[index]! })),
        },
        ids: gone.map(({ id }) => id),
        audit: gone.map((key) => auditKey('delete', key, null)),
      };
    }),
};

function findKey(all: AdminKey[], id: string): AdminKey {
  const key = all.find((candidate) => candidate.id === id);
  if (key === undefined) throw new ServiceError('notFound', missing(id));
  return key;
}

/**
 * Revokes a key and creates another with the same name.
 * @throws ServiceError `notFound`; `invalid` when it is revoked already
 */
export function rotateAdminKey(context: AdminContext, id: string): Promise<Awaited<ReturnType<typeof createAdminKey>>> {
  return changeKeys(context, DEFAULT_TENANT, async (client) => {
    const old = findKey(await listAdminKeys(client), id);
    if (!isActive(old)) throw new ServiceError('invalid', 'This admin key is revoked');
    await revokeApiKey(client, id);
    const created = await createAdminKey(client, old, context.now);
    const { key: _key, ...shown } = created;
    return {
      result: created,
      ids: [id, created.id],
      audit: [
        auditKey('update', old, { ...old, status: 'revoked' }),
        { action: 'create', kind: 'adminKeys', id: created.id, before: null, after: shown },
      ],
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
    const revoked: AdminKey = { ...old, status: 'revoked' };
    if (!isActive(old)) return { result: view(old), ids: [], audit: [] };
    if (isLastFull(old, all)) throw new ServiceError('invalid', LAST_ONE);
    await revokeApiKey(client, id);
    return { result: view(revoked), ids: [id], audit: [auditKey('update', old, revoked)] };
  });
}
