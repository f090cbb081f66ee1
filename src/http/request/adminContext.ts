import type { AdminContext } from '../../admin/entities/resource.ts';
import { expectVersion, tagOf } from '../../admin/files/expectedVersion.ts';
import { type AuditChange, writeAudit } from '../../db/access/audit.ts';
import type { Queryable } from '../../db/pool.ts';
import type { ExpectedVersion } from '../../engine/configuration/changedSince.ts';
import type { ApiKey } from '../authentication/apiKeys.ts';
import type { EndpointCall } from './endpoint.ts';
import { invalid } from './refuse.ts';
import type { Service } from './service.ts';

/** The stores, the tenant, the caller and the time of a call of the Admin API. */
export function contextOf({ service, rules, key, ifMatch, answerHeaders }: EndpointCall): AdminContext {
  const context = contextFor(service, rules.tenant, key);
  return {
    ...context,
    expected: readExpected(ifMatch, context.now),
    showVersion: (version) => {
      answerHeaders.ETag = tagOf(version);
    },
  };
}

/** An ETag of the configuration; a proxy that compresses may have made it a weak one. */
const TAG = /^(?:W\/)?"(\d{1,15})"$/;

/** @throws ServiceError `invalid` */
function readExpected(ifMatch: string, now: number): ExpectedVersion | null {
  if (ifMatch === '' || ifMatch === '*') return null;
  const version = TAG.exec(ifMatch)?.[1];
  if (version === undefined) throw invalid('If-Match must be the ETag of an earlier answer, such as "17"');
  return expectVersion(Number(version), now);
}

/** Writes a change that is not one of the configuration to the audit log. */
export function audit(
  db: Queryable,
  context: AdminContext,
  change: Pick<AuditChange, 'action' | 'kind'> & Partial<AuditChange>,
): Promise<void> {
  return writeAudit(db, context.tenant, context, [{ id: null, before: null, after: null, ...change }]);
}

export function contextFor(
  service: Service,
  tenant: number,
  key: Pick<ApiKey, 'prefix' | 'name'>,
): AdminContext {
  const { pool, redis, cells, rulesStore, clock, followedKeys } = service;
  return {
    pool,
    redis,
    cells,
    rulesStore,
    tenant,
    actor: key.prefix,
    actorName: key.name,
    now: clock.now(),
    reloadKeys: (ids) => followedKeys.reload(ids),
  };
}
