import { ServiceError } from '../base/errors.ts';
import { NAME_CHARS_MAX, USER_ID_CHARS_MAX } from '../base/limits.ts';
import {
  type AdminKey,
  createApiKey,
  deleteAdminKeys,
  deleteApplicationKeys,
  listAdminKeys,
  revokeApiKey,
} from '../db/apiKeys.ts';
import { type AuditChange, writeAudit } from '../db/audit.ts';
import { DEFAULT_TENANT, lockTenant } from '../db/configuration.ts';
import { type PoolClient, transaction } from '../db/pool.ts';
import { issuesOf } from './batch.ts';
import type { AdminContext, Item, Resource } from './resource.ts';
import { checkText } from './ruleChecks.ts';

/** Limit of active admin keys, so that each remains known. */
const ACTIVE_ADMIN_KEYS_MAX = 3;

/** The result of a change of keys, with the ids to announce to all servers. */
interface KeyChange<T> {
  result: T;
  ids: string[];
  audit: AuditChange[];
}

/** Changes keys in a transaction, one change at a time, and announces them to all servers. */
async function changeKeys<T>(
  context: AdminContext,
  tenant: number,
  change: (client: PoolClient) => Promise<KeyChange<T>>,
): Promise<T> {
  const { result, ids } = await transaction(context.pool, async (client) => {
    await lockTenant(client, DEFAULT_TENANT);
    const done = await change(client);
    await writeAudit(client, tenant, context, done.audit);
    return done;
  });
  await context.announceKeys(ids);
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
          ...{ action: 'create', kind: 'applicationKeys', id, before: null, after: { userId, prefix } },
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
          ...{ action: 'delete', kind: 'applicationKeys', id, before, after: null },
        })),
      };
    }),
};

const missing = (id: string): string => `There is no admin key ${id}`;
const LAST_ONE = 'This is the last admin key that is active: create another one first';

const view = ({ created, ...key }: AdminKey) => ({ ...key, created: created.toISOString() });

const isActive = ({ status }: AdminKey): boolean => status === 'active';

async function createAdminKey(
  client: PoolClient,
  name: string,
  now: number,
): Promise<ReturnType<typeof view> & { key: string }> {
  const { id, prefix, key } = await createApiKey(client, { tenant: null, userId: null, name }, now);
  return { ...view({ id, name, prefix, status: 'active', created: new Date(now) }), key };
}

const auditKey = (action: AuditChange['action'], before: AdminKey | null, after: AdminKey | null): AuditChange => ({
  ...{ action, kind: 'adminKeys', id: (after ?? before)!.id, before, after },
});

export const adminKeyResource: Resource = {
  list: async ({ pool }, _parent, { skip, limit }) => (await listAdminKeys(pool)).slice(skip, skip + limit).map(view),

  get: async ({ pool }, _parent, id) => view(findKey(await listAdminKeys(pool), id)),

  create: (context, _parent, items) =>
    changeKeys(context, DEFAULT_TENANT, async (client) => {
      let active = (await listAdminKeys(client)).filter(isActive).length;
      const created: Awaited<ReturnType<typeof createAdminKey>>[] = [];
      const problems: string[][] = [];
      for (const { name = '' } of items) {
        const found = textProblems('name', name, NAME_CHARS_MAX);
        if (active >= ACTIVE_ADMIN_KEYS_MAX) {
          found.push(`There are ${active} active admin keys, and may be ${ACTIVE_ADMIN_KEYS_MAX}: revoke one first`);
        }
        problems.push(found);
        if (found.length > 0) continue;
        active++;
        created.push(await createAdminKey(client, name, context.now));
      }
      return {
        result: { created, issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ id }) => id),
        audit: created.map(({ key: _key, ...shown }) => ({
          ...{ action: 'create', kind: 'adminKeys', id: shown.id, before: null, after: shown },
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
        if (isActive(key) && [...stored.values()].filter(isActive).length === 1) return [LAST_ONE];
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
    const created = await createAdminKey(client, old.name, context.now);
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
    if (all.filter(isActive).length === 1) throw new ServiceError('invalid', LAST_ONE);
    await revokeApiKey(client, id);
    return { result: view(revoked), ids: [id], audit: [auditKey('update', old, revoked)] };
  });
}
