import Type from 'typebox';
import { revokeAdminKey, rotateAdminKey } from '../../admin/access/changeKeys.ts';
import type { AdminContext, Resource } from '../../admin/entities/resource.ts';
import type { Item } from '../../admin/kinds/itemsOfApi.ts';
import type { AdminIssue, ResourceOperations } from '../../contract/admin.ts';
import { RevokeAdminKey, RotateAdminKey } from '../../contract/adminAccess.ts';
import type { Operation } from '../../contract/operation.ts';
import { unknownFields } from '../../contract/unknownFields.ts';
import { contextOf } from '../request/adminContext.ts';
import { endpoint, type OperationResponse, ok, type Route } from '../request/endpoint.ts';

interface ResourceCall {
  context: AdminContext;
  parent: string | null;
  path: { id: string };
  query: { ids: string[]; limit: number; skip: number };
  items: Item[];
  warnings: AdminIssue[];
}

function warningsOf({ request }: Operation, items: Item[]): AdminIssue[] {
  if (!Type.IsArray(request)) return [];
  return items.flatMap((item, index) =>
    Array.from(unknownFields(request.items, item), ({ path }) => ({
      ...(typeof item.id === 'string' && { id: item.id }),
      index,
      severity: 'warning',
      message: `${path} is not a field that can be set, and was ignored`,
    })),
  );
}

const RUNS: Record<
  keyof ResourceOperations,
  (resource: Required<Resource>, call: ResourceCall) => Promise<{ status: number; body: unknown }>
> = {
  list: async (resource, { context, parent, query }) => ok(await resource.list(context, parent, query)),
  create: async (resource, { context, parent, items, warnings }) => {
    const { created, issues } = await resource.create(context, parent, items);
    return { status: created.length > 0 ? 201 : 200, body: { created, issues: [...issues, ...warnings] } };
  },
  update: async (resource, { context, parent, items, warnings }) => {
    const { updated, issues } = await resource.update(context, parent, items);
    return ok({ updated, issues: [...issues, ...warnings] });
  },
  delete: async (resource, { context, parent, query }) =>
    ok(await resource.delete(context, parent, query.ids)),
  get: async (resource, { context, parent, path }) => ok(await resource.get(context, parent, path.id)),
};

/** The routes of a resource, one for each operation that it supports. */
export function resourceRoutes(operations: ResourceOperations, resource: Resource): Route[] {
  return Object.entries(operations).map(([verb, operation]: [string, Operation]) =>
    endpoint(operation, async (call) => {
      const { id, ...parents } = call.path as Record<string, string>;
      const [parent = null] = Object.values(parents);
      const items = call.body as Item[];
      const answer = await RUNS[verb as keyof ResourceOperations](resource as Required<Resource>, {
        context: contextOf(call),
        parent,
        path: { id: id! },
        query: call.query as ResourceCall['query'],
        items,
        warnings: warningsOf(operation, items),
      });
      return answer as OperationResponse;
    }),
  );
}

export const rotateKey = endpoint(RotateAdminKey, async (call) => {
  return { status: 201, body: await rotateAdminKey(contextOf(call), call.path.id) };
});

export const revokeKey = endpoint(RevokeAdminKey, async (call) => {
  return ok(await revokeAdminKey(contextOf(call), call.path.id));
});
