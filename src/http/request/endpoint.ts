import type { HttpRequest } from 'uWebSockets.js';
import { stringify } from 'yaml';
import { handled } from '../../base/handled.ts';
import { SharedReads } from '../../base/sharedReads.ts';
import { whenKnown } from '../../base/whenKnown.ts';
import { jsonText, type WrittenJson } from '../../base/writtenJson.ts';
import {
  type Access,
  isBodyOptional,
  type Method,
  methodAndPath,
  type Operation,
  type PathOf,
  type QueryOf,
  type RequestOf,
  type ResponseOf,
  roleFor,
} from '../../contract/operation.ts';
import { createValidator } from '../../contract/validator.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { withKey } from '../authentication/admission.ts';
import { type ApiKey, assertAdmin, assertOwnUser, assertRole } from '../authentication/apiKeys.ts';
import type { TenantHeaders } from '../authentication/tenants.ts';
import { writeCsv } from './csv.ts';
import { createParameterReader, decodePathPart, givenInPath, givenInQuery } from './parameters.ts';
import { bodyOf, parseJson, parseOptionalJson, parseText } from './readBody.ts';
import { createHandler, type Handler } from './respond.ts';
import type { Service } from './service.ts';
import { createParameterCheck, ignoredFieldsHeader } from './unknownNames.ts';

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
  const caller = whenKnown(rules, (loaded) => ({ service, rules: loaded, key }));
  return caller instanceof Promise ? handled(caller) : caller;
}

/** A call about the thing, mostly a user, whose id is in the path. */
export interface CallById extends Caller {
  path: { id: string };
}

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

/** What JSON.stringify turns into a `T`: instants may be dates. */
export type Unwritten<T> = T extends string
  ? string extends T
    ? T | Date
    : T
  : T extends object
    ? { [K in keyof T]: Unwritten<T[K]> }
    : T;

export interface OperationResponse<O extends Operation = Operation> {
  status: number;
  body: Unwritten<ResponseOf<O>>;
}

type Answered<O extends Operation> =
  | OperationResponse<O>
  | { status: number; body: WrittenJson<ResponseOf<O>> };

export type Endpoint<O extends Operation> = (call: OperationRequest<O>) => Promise<Answered<O>> | Answered<O>;

/** Whether the answer to an application key depends on its user, although the call names no user. */
export type DependsOnUser<O extends Operation> = (
  call: Omit<OperationRequest<O>, 'body' | 'ifMatch' | 'answerHeaders'>,
) => boolean;

/** A route and the operation that it serves. */
export interface Route {
  method: Method;
  /** Path below the base of its API, with `{name}` for each parameter. */
  path: string;
  operation: Operation;
  /** Name in the OpenAPI document. */
  name: string;
  serve: (service: Service) => Handler;
  /** Runs the operation for a caller who is known; absent where a route has a handler of its own. */
  runner?: Runner;
}

/** A route whose endpoint gets what its operation declares, and answers with it. */
export function endpoint<O extends Operation>(
  operation: O,
  answer: Endpoint<O>,
  dependsOnUser?: DependsOnUser<O>,
): Route {
  const runner = createRunner(operation, answer, dependsOnUser);
  return { ...routeOf(operation, (service) => serveEndpoint(service, operation, runner)), runner };
}

/** A route with a handler of its own. */
export const routeOf = (operation: Operation, serve: Route['serve']): Route => ({
  ...methodAndPath(operation),
  operation,
  name: operation.name,
  serve,
});

const isRoute = (exported: unknown): exported is Route =>
  typeof exported === 'object' && exported !== null && 'runner' in exported;

/** Every endpoint that these modules export. */
export const routesIn = (...modules: Record<string, unknown>[]): Route[] =>
  modules.flatMap((module) => Object.values(module).filter(isRoute));

const YAML = /^(application|text)\/(x-)?yaml\b/i;

type Format = 'json' | 'csv' | 'yaml';

interface TextAnswer {
  status: number;
  text: string;
  contentType: string;
  headers?: Record<string, string> | undefined;
}

export const ok = <T>(body: T): { status: 200; body: T } => ({ status: 200, body });

/**
 * Admits a call of an operation. `pathSegments` are in the order of the path.
 * @throws ServiceError `forbidden` if path and query show that the key may not make this call
 */
export type Runner = (key: ApiKey, pathSegments: string[], query: string) => AdmittedCall;

/** A call that its key may make. */
export interface AdmittedCall {
  /**
   * The user of the key if the answer depends on it, else empty. Calls with the same reader can share an
   * answer.
   */
  readerOf(caller: Caller): string;
  /**
   * Validates and runs.
   * @param preferred format of the answer, unless the query says otherwise
   */
  run(
    caller: Pick<Caller, 'service' | 'rules'> & { ifMatch?: string },
    body: unknown,
    preferred?: Format,
  ): TextAnswer | Promise<TextAnswer>;
}

export function createRunner<O extends Operation>(
  operation: O,
  answerCall: Endpoint<O>,
  dependsOnUser?: DependsOnUser<O>,
): Runner {
  const { access, request } = operation;
  const { method, path } = methodAndPath(operation);
  const role = roleFor(method, operation);
  const pathNames = namesInPath(path);
  const readPath = operation.path && createParameterReader(operation.path);
  const readQuery = operation.query && createParameterReader(operation.query);
  const checkParameters = createParameterCheck(operation);
  const validateBody = request && createValidator(request);
  const readInput = (pathSegments: string[], queryText: string) => {
    const inPath = readPath?.(givenInPath(pathNames, pathSegments)) ?? {};
    const given = givenInQuery(queryText);
    return { path: inPath, query: readQuery?.(given) ?? {}, given };
  };
  return (key, pathSegments, queryText) => {
    let input: ReturnType<typeof readInput> | null = null;
    const read = () => {
      input ??= readInput(pathSegments, queryText);
      return input;
    };
    assertAdmin(key, access);
    assertRole(key, role);
    // A body may name the user.
    if (key.kind !== 'admin' && !request)
      assertOwnUser(key, access, namedUsers(path, access, { ...read(), body: {} }));
    return {
      readerOf: (caller) => {
        if (dependsOnUser === undefined || key.userId === null) return '';
        const { path: inPath, query } = read();
        const call = { ...caller, path: inPath, query } as Parameters<DependsOnUser<O>>[0];
        return dependsOnUser(call) ? key.userId : '';
      },
      run: ({ service, rules, ifMatch = '' }, body, preferred = 'json') => {
        const { path: inPath, query, given } = read();
        const isYaml = operation.mayBeYaml && typeof body === 'string';
        const validBody = isYaml ? body : (validateBody?.(body) ?? {});
        const valid = { path: inPath, query, body: validBody };
        if (key.kind !== 'admin') assertOwnUser(key, access, namedUsers(path, access, valid));
        const answerHeaders: Record<string, string> = { ...checkParameters(given) };
        const call = { service, rules, key, ifMatch, answerHeaders, ...valid };
        return whenKnown(answerCall(call as OperationRequest<O>), (answer) => {
          const { format = preferred } = query as { format?: Format };
          if (request) Object.assign(answerHeaders, ignoredFieldsHeader(request, body));
          return {
            status: answer.status,
            ...formatted(operation, answer.body, format),
            headers: answerHeaders,
          };
        });
      },
    };
  };
}

function formatted({ csv, asYaml }: Operation, body: unknown, format: Format): Omit<TextAnswer, 'status'> {
  if (csv !== undefined && format === 'csv') {
    const list = (body as Record<string, object[]>)[csv]!;
    return { text: writeCsv(list), contentType: 'text/csv; charset=utf-8' };
  }
  if (asYaml && format === 'yaml')
    return { text: stringify(body), contentType: 'application/yaml; charset=utf-8' };
  return { text: jsonText(body), contentType: 'application/json' };
}

/** The format that the header `Accept` asks for, if the operation has it. */
function formatOf({ csv, asYaml }: Operation, req: HttpRequest): Format {
  if (csv === undefined && !asYaml) return 'json';
  const accept = req.getHeader('accept');
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
  { scope }: Operation,
  key: ApiKey,
  headers: TenantHeaders,
): Rules | Promise<Rules> {
  const isForAccount =
    scope === 'account' ||
    (scope === 'either' && key.tenant === null && headers.getHeader('tenant-id') === '');
  return isForAccount ? tenants.accountFor(key) : tenants.rulesFor(key, headers);
}

/** Serves every endpoint except events: authenticate, read, validate, run, answer. */
function serveEndpoint(service: Service, operation: Operation, runner: Runner): Handler {
  const { method, path } = methodAndPath(operation);
  const reads = new SharedReads<TextAnswer>();
  const segmentCount = namesInPath(path).length;
  const parseBody = isBodyOptional(operation) ? parseOptionalJson : parseJson;

  return createHandler(service, (context, req) => {
    service.cors.admit(context, req);
    const isYaml = operation.mayBeYaml === true && YAML.test(req.getHeader('content-type'));
    const preferred = formatOf(operation, req);
    const query = req.getQuery() ?? '';
    const ifMatch = method === 'get' ? '' : req.getHeader('if-match');
    const url = req.getUrl();
    const segments: string[] = [];
    for (let i = 0; i < segmentCount; i++) segments.push(req.getParameter(i) ?? '');
    let call: AdmittedCall;
    const caller = withKey(service.admission.admit(context.res, req), req, (key, headers) => {
      const rules = rulesForCall(service, operation, key, headers);
      call = runner(key, segments.map(decodePathPart), query);
      return callerOf(service, key, rules);
    });
    const run = ({ rules }: Caller, body?: unknown): TextAnswer | Promise<TextAnswer> =>
      call.run({ service, rules, ifMatch }, body, preferred);
    const read = (known: Caller): TextAnswer | Promise<TextAnswer> => {
      if (method !== 'get') return run(known);
      const name = `${known.rules.tenant} ${preferred} ${url}?${query} ${call.readerOf(known)}`;
      return reads.share(name, () => run(known));
    };
    const answer = operation.request
      ? bodyOf(context, isYaml ? parseText : parseBody, operation.bodyBytesMax).then((body) =>
          whenKnown(caller, (known) => run(known, body)),
        )
      : whenKnown(caller, read);
    return whenKnown(answer, ({ status, text, contentType, headers }) =>
      context.send(status, text, contentType, headers),
    );
  });
}

/** "/users/{id}/points/{key}" → ["id", "key"] */
export function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
