import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { IMPORTS_OPEN_MAX } from '../../base/importLimits.ts';
import type {
  AddImportChunk,
  CancelImport,
  CreateImport,
  GetImport,
  ListImports,
  ListRefusedRows,
  PauseImport,
  ResumeImport,
} from '../../contract/imports.ts';
import { refused } from '../../contract/refusal.ts';
import { writeAudit } from '../../db/access/audit.ts';
import { tenantTransaction } from '../../db/configuration/tenantTransaction.ts';
import {
  cancel,
  countOpenImports,
  findImport,
  type ImportRecord,
  insertImport,
  listImports as listRecords,
  listRefusals,
  setPaused,
} from '../../db/imports/importRows.ts';
import type { PoolClient } from '../../db/pool.ts';
import { receiveChunk } from '../../engine/imports/receiveChunk.ts';
import { assertColumns } from '../../engine/imports/userValues.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

const KIND = 'imports';

/** POST /admin/v1/imports */
export async function createImport(
  call: OperationRequest<typeof CreateImport>,
): Promise<OperationResponse<typeof CreateImport>> {
  const { service, rules, body } = call;
  const { kind, merge = null, name = '', columns = [], id = newId() } = body;
  const { tenant } = rules;
  const context = contextOf(call);
  return tenantTransaction(service.pool, tenant, async (client) => {
    const known = await findImport(client, { tenant, id });
    if (known !== null) return ok(importView(known, context.now));
    assertColumns(rules, kind, columns);
    if ((await countOpenImports(client, tenant)) >= IMPORTS_OPEN_MAX)
      throw new ServiceError('invalid', `A tenant must not have more than ${IMPORTS_OPEN_MAX} open imports`);
    if (!(await insertImport(client, { id, tenant, kind, merge, name }, context.now)))
      throw refused(
        'invalid',
        'idTaken',
        `id ${id} belongs to an import of another tenant: choose another one`,
      );
    await writeAudit(client, tenant, context, [
      { action: 'create', kind: KIND, id, before: null, after: { kind, merge, name } },
    ]);
    return { status: 201, body: importView((await findImport(client, { tenant, id }))!, context.now) };
  });
}

/** POST /admin/v1/imports/{id}/chunks */
export async function addImportChunk({
  service,
  rules,
  path,
  body,
}: OperationRequest<typeof AddImportChunk>): Promise<OperationResponse<typeof AddImportChunk>> {
  const now = service.clock.now();
  const { chunk, rows, isLast = false } = body;
  const of = { tenant: rules.tenant, id: path.id };
  return ok(importView(await receiveChunk(service.pool, of, { chunk, rows, isLast }, now), now));
}

/** GET /admin/v1/imports */
export async function listImports({
  service,
  rules,
  query,
}: OperationRequest<typeof ListImports>): Promise<OperationResponse<typeof ListImports>> {
  const records = await listRecords(service.pool, rules.tenant, query);
  return ok(records.map((record) => importView(record, service.clock.now())));
}

/** GET /admin/v1/imports/{id} */
export async function getImport({
  service,
  rules,
  path,
}: OperationRequest<typeof GetImport>): Promise<OperationResponse<typeof GetImport>> {
  const record = known(await findImport(service.pool, { tenant: rules.tenant, id: path.id }), path.id);
  return ok(importView(record, service.clock.now()));
}

/** GET /admin/v1/imports/{id}/refused */
export async function listRefusedRows({
  service,
  rules,
  path,
}: OperationRequest<typeof ListRefusedRows>): Promise<OperationResponse<typeof ListRefusedRows>> {
  const { id } = known(await findImport(service.pool, { tenant: rules.tenant, id: path.id }), path.id);
  return ok({ refused: await listRefusals(service.pool, id) });
}

/** POST /admin/v1/imports/{id}/pause */
export const pauseImport = (
  call: OperationRequest<typeof PauseImport>,
): Promise<OperationResponse<typeof PauseImport>> =>
  control(call, 'paused', (client, { id }) => setPaused(client, id, true));

/** POST /admin/v1/imports/{id}/resume */
export const resumeImport = (
  call: OperationRequest<typeof ResumeImport>,
): Promise<OperationResponse<typeof ResumeImport>> =>
  control(call, 'resumed', (client, { id }) => setPaused(client, id, false));

/** POST /admin/v1/imports/{id}/cancel */
export const cancelImport = (
  call: OperationRequest<typeof CancelImport>,
): Promise<OperationResponse<typeof CancelImport>> =>
  control(call, 'cancelled', (client, { id }) => cancel(client, id));

async function control(
  call: OperationRequest<typeof PauseImport>,
  change: string,
  make: (client: PoolClient, record: ImportRecord) => Promise<void>,
): Promise<{ status: 200; body: ReturnType<typeof importView> }> {
  const { service, rules, path } = call;
  const context = contextOf(call);
  const of = { tenant: rules.tenant, id: path.id };
  return tenantTransaction(service.pool, rules.tenant, async (client) => {
    const before = known(await findImport(client, of, true), path.id);
    if (before.finishedAt === null && before.state !== 'cancelled') {
      await make(client, before);
      const after = { state: change };
      await writeAudit(client, rules.tenant, context, [
        { action: 'update', kind: KIND, id: path.id, before: null, after },
      ]);
    }
    return ok(importView((await findImport(client, of))!, context.now));
  });
}

function known(record: ImportRecord | null, id: string): ImportRecord {
  if (record === null) throw new ServiceError('notFound', `Import ${id} does not exist`);
  return record;
}

function importView(record: ImportRecord, now: number): OperationResponse<typeof GetImport>['body'] {
  const { id, kind, merge, name, chunks, received, applied, refused, startedAt, finishedAt } = record;
  const until = finishedAt?.getTime() ?? now;
  const seconds = startedAt === null ? 0 : (until - startedAt.getTime()) / 1000;
  return {
    id,
    kind,
    merge,
    name,
    state: record.isPaused && finishedAt === null && record.state !== 'cancelled' ? 'paused' : record.state,
    chunks,
    rows: { received, applied, refused },
    rowsPerSecond: seconds > 0 ? Math.round((applied + refused) / seconds) : 0,
    created: record.created.toISOString(),
    finished: finishedAt?.toISOString() ?? null,
  };
}
