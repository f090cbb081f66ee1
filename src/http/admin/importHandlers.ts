import { newId } from '../../base/ids.ts';
import {
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
import type { PoolClient, Queryable } from '../../db/pool.ts';
import { receiveChunk } from '../../engine/imports/receiveChunk.ts';
import { assertColumns } from '../../engine/imports/userValues.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import {
  type CallById,
  endpoint,
  type OperationRequest,
  type OperationResponse,
  ok,
} from '../request/endpoint.ts';
import { invalid, notFound } from '../request/refuse.ts';

/** Imports of a tenant that have not ended. */
const IMPORTS_OPEN_MAX = 4;

export const createImport = endpoint(CreateImport, async (call) => {
  const { service, rules, body } = call;
  const { kind, merge = null, name = '', secondsPerDay = null, columns = [], id = newId() } = body;
  const { tenant } = rules;
  const context = contextOf(call);
  return tenantTransaction(service.pool, tenant, async (client) => {
    const known = await findImport(client, { tenant, id });
    if (known !== null) return ok(importView(known, context.now));
    assertColumns(rules, kind, columns);
    if (secondsPerDay !== null && kind !== 'events')
      throw invalid('secondsPerDay is only for events: users have no days');
    if ((await countOpenImports(client, tenant)) >= IMPORTS_OPEN_MAX)
      throw invalid(`A tenant must not have more than ${IMPORTS_OPEN_MAX} open imports`);
    if (!(await insertImport(client, { id, tenant, kind, merge, name, secondsPerDay }, context.now)))
      throw refused(
        'invalid',
        'idTaken',
        `id ${id} belongs to an import of another tenant: choose another one`,
      );
    const after = { kind, merge, name, secondsPerDay };
    await audit(client, context, { action: 'create', kind: 'imports', id, after });
    return { status: 201, body: importView((await findImport(client, { tenant, id }))!, context.now) };
  });
});

export const addImportChunk = endpoint(AddImportChunk, async ({ service, rules, path, body }) => {
  const now = service.clock.now();
  const { chunk, rows, isLast = false } = body;
  const of = { tenant: rules.tenant, id: path.id };
  return ok(importView(await receiveChunk(service.pool, of, { chunk, rows, isLast }, now), now));
});

export const listImports = endpoint(ListImports, async ({ service, rules, query }) => {
  const records = await listRecords(service.pool, rules.tenant, query);
  return ok(records.map((record) => importView(record, service.clock.now())));
});

export const getImport = endpoint(GetImport, async (call) =>
  ok(importView(await knownImport(call), call.service.clock.now())),
);

export const listRefusedRows = endpoint(ListRefusedRows, async (call) => {
  const { id } = await knownImport(call);
  return ok({ refused: await listRefusals(call.service.pool, id) });
});

export const pauseImport = endpoint(PauseImport, (call) =>
  control(call, 'paused', (client, id) => setPaused(client, id, true)),
);

export const resumeImport = endpoint(ResumeImport, (call) =>
  control(call, 'resumed', (client, id) => setPaused(client, id, false)),
);

export const cancelImport = endpoint(CancelImport, (call) =>
  control(call, 'cancelled', (client, id) => cancel(client, id)),
);

async function control(
  call: OperationRequest<typeof PauseImport>,
  state: string,
  make: (client: PoolClient, id: string) => Promise<void>,
): Promise<OperationResponse<typeof PauseImport>> {
  const { service, rules, path } = call;
  const context = contextOf(call);
  return tenantTransaction(service.pool, rules.tenant, async (client) => {
    const before = await knownImport(call, client, true);
    if (before.finishedAt === null && before.state !== 'cancelled') {
      await make(client, path.id);
      await audit(client, context, { action: 'update', kind: 'imports', id: path.id, after: { state } });
    }
    return ok(importView(await knownImport(call, client), context.now));
  });
}

/** The import that the path names. @throws ServiceError `notFound` */
async function knownImport(
  { service, rules, path: { id } }: CallById,
  db: Queryable = service.pool,
  locks = false,
): Promise<ImportRecord> {
  const record = await findImport(db, { tenant: rules.tenant, id }, locks);
  if (record === null) throw notFound(`Import ${id} does not exist`);
  return record;
}

function importView(record: ImportRecord, now: number): OperationResponse<typeof GetImport>['body'] {
  const {
    id,
    kind,
    merge,
    name,
    secondsPerDay,
    day,
    chunks,
    received,
    applied,
    refused,
    startedAt,
    finishedAt,
  } = record;
  const until = finishedAt?.getTime() ?? now;
  const seconds = startedAt === null ? 0 : (until - startedAt.getTime()) / 1000;
  return {
    id,
    kind,
    merge,
    name,
    secondsPerDay,
    day,
    state: record.isPaused && finishedAt === null && record.state !== 'cancelled' ? 'paused' : record.state,
    chunks,
    rows: { received, applied, refused },
    rowsPerSecond: seconds > 0 ? Math.round((applied + refused) / seconds) : 0,
    created: record.created,
    finished: finishedAt,
  };
}
