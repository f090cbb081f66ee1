import Type from 'typebox';
import { ADMIN_ROUTES } from '../admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../application/routes.ts';
import type { ApiKey } from '../authentication/apiKeys.ts';
import { namingTenant } from '../authentication/tenants.ts';
import { namesInPath, type Route, type Runner, rulesForCall } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

/** An operation of the Application API or the Admin API that a tool calls. */
export type ToolRoute = Route & { runner: Runner };

const ROUTES = new Map([...APPLICATION_ROUTES, ...ADMIN_ROUTES].map((route) => [route.name, route]));

/** @throws Error if no operation has this name */
export function routeNamed(name: string): ToolRoute {
  const route = ROUTES.get(name);
  if (!route?.runner) throw new Error(`no operation ${name} for a tool`);
  return route as ToolRoute;
}

/** Who calls a tool, and for which tenant unless the arguments name one. */
export interface ToolCaller {
  service: Service;
  /** Named `mcp:…`, as the audit log shows it. */
  key: ApiKey;
  tenantId: string;
}

export type Arguments = Record<string, unknown>;

/** Runs an operation with the rights of the caller. @throws ServiceError as the operation over HTTP */
export async function callOperation(
  { service, key, tenantId }: ToolCaller,
  { path, operation, runner }: ToolRoute,
  { tenant = tenantId, ...given }: Arguments,
): Promise<unknown> {
  const segments = namesInPath(path).map((name) => String(given[name]));
  const query = queryOf(Object.keys(operation.query?.properties ?? {}), given);
  const call = runner(key, segments, query);
  const rules = await rulesForCall(service, operation, key, namingTenant(String(tenant)));
  const { text } = await call.run({ service, rules }, bodyOf(operation, given));
  return JSON.parse(text);
}

function queryOf(names: string[], given: Arguments): string {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      throw invalid(`${name} must be a single value`);
    for (const item of Array.isArray(value) ? value : value === undefined ? [] : [value])
      query.append(name, String(item));
  }
  return query.toString();
}

function bodyOf({ request }: ToolRoute['operation'], given: Arguments): unknown {
  if (request === undefined) return undefined;
  if (!Type.IsObject(request)) return given.items;
  const names = Object.keys(request.properties);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}
