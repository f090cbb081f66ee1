import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { stringify } from 'yaml';
import { handled } from '../../base/handled.ts';
import {
  type Access,
  isBodyOptional,
  type Operation,
  type PathOf,
  type QueryOf,
  type RequestOf,
  type ResponseOf,
  roleFor,
} from '../../contract/operation.ts';
import { createValidator } from '../../contract/validator.ts';
import type { Rules } from '../../rules/rules.ts';
import { withKey } from './admission.ts';
import { type ApiKey, assertAdmin, assertOwnUser, assertRole } from './apiKeys.ts';
import { writeCsv } from './csv.ts';
import { ignoredFieldsHeader } from './ignoredFields.ts';
import { createParameterReader, decodePathPart, givenInPath, givenInQuery } from './parameters.ts';
import { type BodyOptions, readBody, readText } from './readBody.ts';
import { type ErrorResponder, openContext } from './respond.ts';
import type { RouteTimes } from './routeTimes.ts';
import type { Service } from './service.ts';
import { SharedReads } from './sharedReads.ts';
import type { TenantHeaders } from './tenantHeader.ts';
import { createParameterCheck } from './unknownParameters.ts';

/** The key of a call and the rules of its tenant. */
export interface Caller {
  service: Service;
  rules: Rules;
  key: ApiKey;
}

/** Not a promise if the rules are in memory. */
export function callerOf(
  service: Service,
  key: ApiKey,
  rules: Rules | Promise<Rules>,
): Caller | Promise<Caller> {
  if (!(rules instanceof Promise)) return { service, rules, key };
  return handled(rules.then((loaded) => ({ service, rules: loaded, key })));
}

/** A call of an endpoint. */
export interface EndpointCall extends Caller {
  /** The header If-Match; empty without it. */
  ifMatch: string;
  /** Headers that the answer gets. */
  answerHeaders: Record<string, string>;
}

/** An authenticated and valid request of an operation. */
export interface OperationRequest<O extends Operation = Operation> extends EndpointCall {
  path: PathOf<O>;
  query: QueryOf<O>;
  body: RequestOf<O>;
}

export interface OperationResponse<O extends Operation = Operation> {
  status: number;
  body: ResponseOf<O>;
}

export type Endpoint<O extends Operation> = (
  call: OperationRequest<O>,
) => Promise<OperationResponse<O>> | OperationResponse<O>;

/** Whether the answer to an application key depends on its user, although the call names no user. */
export type DependsOnUser<O extends Operation> = (call: Omit<OperationRequest<O>, 'body'>) => boolean;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** @param route the route that the request is for */
export type Handler = (res: HttpResponse, req: HttpRequest, route: RouteTimes) => void;

/** A route and the operation that it serves. */
export interface Route {
  method: Method;
  /** Path below the base of its API, with `{name}` for each parameter. */
  path: string;
  operation: Operation;
  /** Name of the function that answers, in the code and in the OpenAPI document. */
  name: string;
  serve: (service: Service, errors: ErrorResponder) => Handler;
  /** Runs the operation for a caller who is known; absent where a route has a handler of its own. */
  runner?: Runner;
}

/** A route whose endpoint gets what its operation declares, and answers with it. */
export function route<O extends Operation>(
  method: Method,
  path: string,
  operation: O,
  endpoint: Endpoint<O>,
  dependsOnUser?: DependsOnUser<O>,
): Route {
  const runner = createRunner(method, path, operation, endpoint, dependsOnUser);
  const serve: Route['serve'] = (service, errors) =>
    serveEndpoint(service, errors, method, path, operation, runner);
  return { method, path, operation, name: endpoint.name, serve, runner };
}

/** Content types of YAML. */
const YAML = /^(application|text)\/(x-)?yaml\b/i;

/** Formats of answers. */
type Format = 'json' | 'csv' | 'yaml';

interface TextAnswer {
  status: number;
  text: string;
  contentType: string;
  headers?: Record<string, string> | undefined;
}

export const ok = <T>(body: T): { status: 200; body: T } => ({ status: 200, body });

/** Runs an operation for an authenticated caller. `pathSegments` are in the order of the path. */
export interface Runner {
  /** @throws ServiceError `forbidden` if path and query show that the key may not make this call */
  admit(key: ApiKey, pathSegments: string[], query: string): void;
  /**
   * The user of the key if the answer depends on it, else empty. Calls with the same reader can share an
   * answer.
   */
  readerOf(caller: Caller, pathSegments: string[], query: string): string;
  /**
   * Reads, validates, admits and runs.
   * @param preferred format of the answer, unless the query says otherwise
   */
  run(
    caller: Caller & { ifMatch?: string },
    pathSegments: string[],
    query: string,
    body: unknown,
    preferred?: Format,
  ): Promise<TextAnswer>;
}

/** The runner of an operation, made once. */
export function createRunner<O extends Operation>(
  method: Method,
  path: string,
  operation: O,
  endpoint: Endpoint<O>,
  dependsOnUser?: DependsOnUser<O>,
): Runner {
  const role = roleFor(method, operation);
  const pathNames = namesInPath(path);
  const readPath = operation.path && createParameterReader(operation.path);
  const readQuery = operation.query && createParameterReader(operation.query);
  const checkParameters = createParameterCheck(operation);
  const validateBody = operation.request && createValidator(operation.request);
  const read = (pathSegments: string[], query: string) => ({
    path: readPath?.(givenInPath(pathNames, pathSegments)) ?? {},
    query: readQuery?.(givenInQuery(query)) ?? {},
  });
  return {
    admit: (key, pathSegments, query) => {
      const { access, request } = operation;
      assertAdmin(key, access);
      assertRole(key, role);
      // A body may name the user.
      if (key.kind === 'admin' || request) return;
      assertOwnUser(key, access, namedUsers(path, access, { ...read(pathSegments, query), body: {} }));
    },
    readerOf: (caller, pathSegments, query) => {
      const { userId } = caller.key;
      if (dependsOnUser === undefined || userId === null) return '';
      const call = { ...caller, ...read(pathSegments, query) } as Omit<OperationRequest<O>, 'body'>;
      return dependsOnUser(call) ? userId : '';
    },
    run: async (caller, pathSegments, query, body, preferred = 'json') => {
      const isYaml = operation.mayBeYaml && typeof body === 'string';
      const input = { ...read(pathSegments, query), body: isYaml ? body : (validateBody?.(body) ?? {}) };
      const { access } = operation;
      if (caller.key.kind !== 'admin') assertOwnUser(caller.key, access, namedUsers(path, access, input));
      const answerHeaders: Record<string, string> = { ...checkParameters(query) };
      const call = { ifMatch: '', ...caller, ...input, answerHeaders };
      const answer = await endpoint(call as OperationRequest<O>);
      const { format = preferred } = input.query as { format?: Format };
      if (operation.request) Object.assign(answerHeaders, ignoredFieldsHeader(operation.request, body));
      return {
        status: answer.status,
        ...formatted(operation, answer.body, format),
        headers: answerHeaders,
      };
    },
  };
}

function formatted({ csv, asYaml }: Operation, body: unknown, format: Format): Omit<TextAnswer, 'status'> {
  if (csv !== undefined && format === 'csv') {
    const list = (body as Record<string, object[]>)[csv]!;
    return { text: writeCsv(list), contentType: 'text/csv; charset=utf-8' };
  }
  if (asYaml && format === 'yaml')
    return { text: stringify(body), contentType: 'application/yaml; charset=utf-8' };
  return { text: JSON.stringify(body), contentType: 'application/json' };
}

/** The format that the header `Accept` asks for, if the operation has it. */
function formatOf({ csv, asYaml }: Operation, accept: string): Format {
  if (csv !== undefined && accept.includes('text/csv')) return 'csv';
  return asYaml && YAML.test(accept) ? 'yaml' : 'json';
}

/** Ids of the users that a call of the Application API is about. Any key may rank users by their ids. */
function namedUsers(
  pathOfRoute: string,
  access: Access,
  {
    path,
    query,
    body,
  }: { path: { id?: string }; query: { userId?: string; userIds?: string[] }; body: object },
): string[] {
  const { id, user } = body as { id?: string; user?: { id: string } };
  const named = [pathOfRoute.startsWith('/users/{id}') ? path.id : undefined, query.userId, id, user?.id];
  return [
    ...named.filter((userId) => userId !== undefined),
    ...((access === 'ownUser' && query.userIds) || []),
  ];
}

/** The rules of the tenant, or of the account, that a call of an operation is for. Throws as `Tenants`. */
export function rulesForCall(
  { tenants }: Service,
  { isOfAccount, mayBeOfAccount }: Operation,
  key: ApiKey,
  headers: TenantHeaders,
): Rules | Promise<Rules> {
  const isForAccount =
    isOfAccount || (mayBeOfAccount && key.tenant === null && headers.getHeader('tenant-id') === '');
  return isForAccount ? tenants.accountFor(key) : tenants.rulesFor(key, headers);
}

/** Serves every endpoint except events: authenticate, read, validate, run, answer. */
function serveEndpoint(
  service: Service,
  errors: ErrorResponder,
  method: Method,
  path: string,
  operation: Operation,
  { admit, readerOf, run }: Runner,
): Handler {
  const reads = new SharedReads<TextAnswer>();
  const segmentCount = namesInPath(path).length;
  const bodyOptions: BodyOptions = {
    bytesMax: operation.bodyBytesMax,
    isOptional: isBodyOptional(operation),
  };

  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    service.cors.admit(context, req);
    const refuse = (error: unknown): void => errors.fail(context, error);
    const send = ({ status, text, contentType, headers }: TextAnswer): void =>
      context.send(status, text, contentType, headers);
    const isYaml = operation.mayBeYaml === true && YAML.test(req.getHeader('content-type'));
    const preferred = formatOf(operation, req.getHeader('accept'));
    let caller: Caller | Promise<Caller>;
    let pathSegments: string[];
    const query = req.getQuery() ?? '';
    const ifMatch = req.getHeader('if-match');
    const url = req.getUrl();
    try {
      const segments = Array.from({ length: segmentCount }, (_, i) => req.getParameter(i));
      caller = withKey(service.admission.admit(res, req), req, (key, headers) => {
        const rules = rulesForCall(service, operation, key, headers);
        pathSegments = segments.map(decodePathPart);
        admit(key, pathSegments, query);
        return callerOf(service, key, rules);
      });
    } catch (error) {
      refuse(error);
      return;
    }
    const runWith = (known: Caller, body?: unknown): Promise<TextAnswer> =>
      run({ ...known, ifMatch }, pathSegments, query, body, preferred);
    if (operation.request) {
      const onBody = async (body: unknown): Promise<TextAnswer> => runWith(await caller, body);
      const readAny = isYaml ? readText : readBody;
      readAny(context, (body) => onBody(body).then(send, refuse), refuse, bodyOptions);
      return;
    }
    const answer = async (): Promise<TextAnswer> => {
      const known = await caller;
      if (method !== 'get') return runWith(known);
      const reader = readerOf(known, pathSegments, query);
      return reads.share(JSON.stringify([known.rules.tenant, preferred, url, query, reader]), () =>
        runWith(known),
      );
    };
    answer().then(send, refuse);
  };
}

/** "/users/{id}/points/{key}" → ["id", "key"] */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
