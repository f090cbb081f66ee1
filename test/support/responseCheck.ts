import type Type from 'typebox';
import { Compile } from 'typebox/compile';
import { errorBodyOf } from '../../src/contract/configReport.ts';
import { ADMIN_BASE, APPLICATION_BASES } from '../../src/contract/openApi.ts';
import { ErrorBody, errorStatuses } from '../../src/contract/operation.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import type { Route } from '../../src/http/request/endpoint.ts';

interface Pattern {
  method: string;
  path: RegExp;
  /** Number of parts that are parameters: the route with fewer is the closer one. */
  parameters: number;
  route: Route;
}

const patterns = [
  ...APPLICATION_BASES.map((base) => [base, APPLICATION_ROUTES] as const),
  [ADMIN_BASE, ADMIN_ROUTES] as const,
]
  .flatMap(([base, routes]) => routes.map((route) => toPattern(base, route)))
  .sort((a, b) => a.parameters - b.parameters);

function toPattern(base: string, route: Route): Pattern {
  const parts = route.path.split(/\{\w+\}/);
  return {
    method: route.method.toUpperCase(),
    path: new RegExp(`^${base}${parts.join('[^/]*')}$`),
    parameters: parts.length - 1,
    route,
  };
}

/** The schema with every property that it does not declare forbidden. */
export function strict<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(strict) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  return ('properties' in schema && 'type' in schema ? { ...copy, additionalProperties: false } : copy) as T;
}

const compiled = new Map<Type.TSchema, ReturnType<typeof Compile>>();

function mismatch(schema: Type.TSchema, body: unknown): string | null {
  let checker = compiled.get(schema);
  if (checker === undefined) {
    checker = Compile(strict(schema));
    compiled.set(schema, checker);
  }
  if (checker.Check(body)) return null;
  const errors = checker
    .Errors(body)
    .map((error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`);
  return errors.join('\n');
}

/** The route that serves a call; undefined when none does. */
export function routeOf(method: string, path: string): Route | undefined {
  return patterns.find((pattern) => pattern.method === method && pattern.path.test(path))?.route;
}

/** How a response departs from what its route declares; null when it does not. */
export function departure(method: string, path: string, status: number, body: unknown): string | null {
  const route = routeOf(method, path);
  if (route === undefined)
    return status === 404 || status === 405 ? mismatch(ErrorBody, body) : 'no route describes it';
  const { operation } = route;
  const schema =
    operation.responses[status] ??
    (errorStatuses(operation).includes(status) ? errorBodyOf(status) : undefined);
  if (schema === undefined) return `status ${status} is not declared`;
  const isMinimal =
    operation.minimalResponse !== undefined && mismatch(operation.minimalResponse, body) === null;
  return isMinimal ? null : mismatch(schema, body);
}
