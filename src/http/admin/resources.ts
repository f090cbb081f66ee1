import Type from 'typebox';
import type { AdminContext, Item, Resource } from '../../admin/entities/resource.ts';
import { expectVersion, tagOf } from '../../admin/files/expectedVersion.ts';
import { ServiceError } from '../../base/errors.ts';
import type { AdminIssue, ResourceOperations } from '../../contract/admin.ts';
import type { Operation } from '../../contract/operation.ts';
import { unknownFields } from '../../contract/unknownFields.ts';
import type { ExpectedVersion } from '../../engine/configuration/changedSince.ts';
import type { ApiKey } from '../request/apiKeys.ts';
import {
  type Endpoint,
  type EndpointCall,
  type Method,
  type OperationRequest,
  type OperationResponse,
  ok,
  type Route,
  route,
} from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';

/** What the Admin API works on, and who calls it. */
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
  if (version === undefined)
    throw new ServiceError('invalid', 'If-Match must be the ETag of an earlier answer, such as "17"');
  return expectVersion(Number(version), now);
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

interface ResourceCall {
  context: AdminContext;
  parent: string | null;
  path: { id: string };
  query: { ids: string[]; limit: number; skip: number };
  items: Item[];
  /** Warnings about unknown fields. */
  warnings: AdminIssue[];
}

function warningsOf({ request }: Operation, items: Item[]): AdminIssue[] {
  if (!Type.IsArray(request)) return [];
  return items.flatMap((item, index) =>
    unknownFields(request.items, item).map((field) => ({
      ...(typeof item.id === 'string' && { id: item.id }),
      index,
      severity: 'warning',
      message: `${field} is not a field that can be set, and was ignored`,
    })),
  );
}

const ENDPOINTS: Record<
  keyof ResourceOperations,
  {
    method: Method;
    suffix: string;
    run: (resource: Required<Resource>, call: ResourceCall) => Promise<{ status: number; body: unknown }>;
  }
> = {
  list: {
    method: 'get',
    suffix: '',
    run: async (resource, { context, parent, query }) => ok(await resource.list(context, parent, query)),
  },
  create: {
    method: 'post',
    suffix: '',
    run: async (resource, { context, parent, items, warnings }) => {
      const { created, issues } = await resource.create(context, parent, items);
      return { status: created.length > 0 ? 201 : 200, body: { created, issues: [...issues, ...warnings] } };
    },
  },
  update: {
    method: 'patch',
    suffix: '',
    run: async (resource, { context, parent, items, warnings }) => {
      const { updated, issues } = await resource.update(context, parent, items);
      return ok({ updated, issues: [...issues, ...warnings] });
    },
  },
  delete: {
    method: 'delete',
    suffix: '',
    run: async (resource, { context, parent, query }) =>
      ok(await resource.delete(context, parent, query.ids)),
  },
  get: {
    method: 'get',
    suffix: '/{id}',
    run: async (resource, { context, parent, path }) => ok(await resource.get(context, parent, path.id)),
  },
};

/** The operations of the Admin API are named `admin…`, so that no name is also one of the Application API. */
const adminName = (name: string): string => `admin${name[0]!.toUpperCase()}${name.slice(1)}`;

/** A route of the Admin API. */
export function adminRoute<O extends Operation>(...parts: Parameters<typeof route<O>>): Route {
  const made = route(...parts);
  return { ...made, name: adminName(made.name) };
}

/**
 * The routes of a resource, one for each operation that it supports.
 * @param name of the resource in the names of its operations: `adminListMetrics`
 */
export function resourceRoutes(
  name: string,
  path: string,
  operations: ResourceOperations,
  resource: Resource,
): Route[] {
  return Object.entries(operations).map(([verb, operation]: [string, Operation]) => {
    const { method, suffix, run } = ENDPOINTS[verb as keyof ResourceOperations];
    const endpoint = async (call: OperationRequest): Promise<OperationResponse> => {
      const { id, ...parents } = call.path as Record<string, string>;
      const [parent = null] = Object.values(parents);
      const query = call.query as ResourceCall['query'];
      const items = call.body as Item[];
      const answer = await run(resource as Required<Resource>, {
        context: contextOf(call),
        parent,
        path: { id: id! },
        query,
        items,
        warnings: warningsOf(operation, items),
      });
      return answer as OperationResponse;
    };
    const made = route(method, path + suffix, operation, endpoint as Endpoint<Operation>);
    return { ...made, name: adminName(verb + name) };
  });
}
