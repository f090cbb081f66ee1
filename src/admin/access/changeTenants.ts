import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../base/errors.ts';
import { TENANT_ID_CHARS_MAX } from '../../base/limits.ts';
import { writeAudit } from '../../db/access/audit.ts';
import {
  findTenant,
  findTenantByCustomerId,
  insertTenant,
  listTenants,
  type Tenant,
  updateTenant,
} from '../../db/access/tenantRows.ts';
import { listSecretsOfTenant } from '../../db/access/userTokenSecretRows.ts';
import { DEFAULT_TENANT, loadConfig } from '../../db/configuration/loadConfig.ts';
import { tenantTransaction } from '../../db/configuration/tenantTransaction.ts';
import type { PoolClient } from '../../db/pool.ts';
import { publishChange } from '../../engine/configuration/publishing.ts';
import { assertRestored } from '../../engine/stores/availability.ts';
import { issuesOf } from '../entities/entityBatch.ts';
import { type AdminContext, deletion, type Resource } from '../entities/resource.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import { checkName, checkText, type Report } from '../kinds/ruleChecks.ts';

/** The tenants of the account. */

function view({ no: _no, created, updated, ...fields }: Tenant): object {
  return { ...fields, created: created.toISOString(), updated: updated.toISOString() };
}

const missing = (id: string): string => `There is no tenant ${id}`;

export function checkCustomerId(report: Report, field: string, id: string): void {
  if (id === '') report(field, 'must not be empty');
  checkText(report, field, id, TENANT_ID_CHARS_MAX);
}

async function problemsOf(
  client: PoolClient,
  { id, customerId, name }: { id?: string; customerId: string; name: string },
): Promise<string[]> {
  const problems: string[] = [];
  const report = (field: string, message: string): void => {
    problems.push(`${field} ${message}`);
  };
  checkName(report, name);
  checkCustomerId(report, 'customerId', customerId);
  if (problems.length > 0) return problems;
  const other = await findTenantByCustomerId(client, customerId);
  if (other !== null && other.id !== id) report('customerId', `is not unique: ${customerId}`);
  return problems;
}

/** The id and the status of a tenant are published with its configuration. */
async function publish(context: AdminContext, tenants: Tenant[]): Promise<void> {
  for (const { no } of tenants) await publishChange(context, await loadConfig(context.pool, no), context.now);
}

/** Servers find the secrets of a tenant by its customer id, which may have changed. */
async function reloadSecrets(context: AdminContext, tenants: Tenant[]): Promise<void> {
  const secrets = await Promise.all(tenants.map(({ no }) => listSecretsOfTenant(context.pool, no)));
  await context.reloadKeys(secrets.flat().map(({ id }) => id));
}

/** Runs the step for each item, in order, in one transaction. Changes of tenants are made one at a time. */
async function eachItem<I>(
  { pool, actor, now }: AdminContext,
  items: I[],
  step: (client: PoolClient, item: I) => Promise<{ before: Tenant | null; after: Tenant } | string[]>,
): Promise<{ done: Tenant[]; problems: string[][] }> {
  return tenantTransaction(pool, DEFAULT_TENANT, async (client) => {
    const done: Tenant[] = [];
    const problems: string[][] = [];
    for (const item of items) {
      const outcome = await step(client, item);
      problems.push(Array.isArray(outcome) ? outcome : []);
      if (Array.isArray(outcome)) continue;
      const { before, after } = outcome;
      done.push(after);
      if (after === before) continue;
      await writeAudit(client, DEFAULT_TENANT, { actor, now }, [
        {
          action: before ? 'update' : 'create',
          kind: 'tenants',
          id: after.id,
          before: before && view(before),
          after: view(after),
        },
      ]);
    }
    return { done, problems };
  });
}

export const tenantResource: Resource = {
  list: async ({ pool }, _parent, page) => (await listTenants(pool, page)).map(view),

  get: async ({ pool }, _parent, id) => {
    const tenant = await findTenant(pool, id);
    if (tenant === null) throw new ServiceError('notFound', missing(id));
    return view(tenant);
  },

  create: async (context, _parent, items) => {
    const { done, problems } = await eachItem(context, items, async (client, { customerId, name }: Item) => {
      const found = await problemsOf(client, { customerId, name });
      if (found.length > 0) return found;
      return { before: null, after: await insertTenant(client, customerId, name, context.now) };
    });
    return { created: done.map(view), issues: issuesOf(problems, (index) => ({ index })) };
  },

  update: async (context, _parent, items) => {
    await assertRestored(context);
    const { done, problems } = await eachItem(context, items, async (client, { id, ...item }: Item) => {
      const before = await findTenant(client, id);
      if (before === null) return [missing(id)];
      if (before.status === 'archived') return ['This tenant is archived and cannot be changed'];
      const wanted = {
        ...before,
        customerId: item.customerId ?? before.customerId,
        name: item.name ?? before.name,
      };
      if (isDeepStrictEqual(wanted, before)) return { before, after: before };
      const found = await problemsOf(client, wanted);
      return found.length > 0 ? found : { before, after: await updateTenant(client, wanted, context.now) };
    });
    await publish(context, done);
    await reloadSecrets(context, done);
    return {
      updated: done.map(view),
      issues: issuesOf(problems, (index) => ({ id: items[index].id, index })),
    };
  },

  delete: async (context, _parent, ids) => {
    await assertRestored(context);
    const { done, problems } = await eachItem(context, ids, async (client, id) => {
      const before = await findTenant(client, id);
      if (before === null) return [missing(id)];
      if (before.status === 'archived') return ['This tenant is archived already'];
      if (before.no === DEFAULT_TENANT) return ['This tenant is the account itself and cannot be deleted'];
      return { before, after: await updateTenant(client, { ...before, status: 'archived' }, context.now) };
    });
    await publish(context, done);
    return deletion(done, ids, problems);
  },
};
