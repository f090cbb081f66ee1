import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ServiceError } from '../base/errors.ts';
import type { Rules } from '../rules/rules.ts';
import { decodePathPart } from './pathPart.ts';
import { Query } from './query.ts';
import { readBody } from './readBody.ts';
import { type ErrorResponder, Exchange } from './respond.ts';
import { rulesFor, type Service } from './service.ts';
import { SharedReads } from './sharedReads.ts';

/** A request once it is authenticated and read. */
export interface Call {
  service: Service;
  rules: Rules;
  /** Parts of the path that the route names, decoded. */
  parameters: string[];
  query: Query;
  /** Undefined where the method has none. */
  body: unknown;
}

export interface Answer {
  status: number;
  body: unknown;
}

export type Endpoint = (call: Call) => Promise<Answer> | Answer;

export const ok = (body: unknown): Answer => ({ status: 200, body });

export interface EndpointOptions {
  /** Number of parts of the path that the route names. */
  parameters: number;
  hasBody: boolean;
  adminOnly: boolean;
}

/** Everything around an endpoint that is not on the hot path: authenticate, read, run, answer. */
export function serveEndpoint(
  service: Service,
  errors: ErrorResponder,
  endpoint: Endpoint,
  { parameters, hasBody, adminOnly }: EndpointOptions,
) {
  const reads = new SharedReads();
  return (res: HttpResponse, req: HttpRequest): void => {
    const exchange = new Exchange(res);
    const refuse = (error: unknown): void => errors.fail(exchange, error);
    let call: Call;
    let name: string;
    try {
      const key = service.apiKeys.authenticate(req.getHeader('x-api-key'));
      if (adminOnly && key.kind !== 'admin') throw new ServiceError('forbidden', 'This call needs an admin key');
      const query = req.getQuery() ?? '';
      call = {
        service,
        rules: rulesFor(service, key),
        parameters: Array.from({ length: parameters }, (_, i) => decodePathPart(req.getParameter(i))),
        query: new Query(query),
        body: undefined,
      };
      name = `${call.rules.tenant} ${req.getUrl()}?${query}`;
    } catch (error) {
      refuse(error);
      return;
    }
    if (hasBody) {
      readBody(
        exchange,
        (body) => {
          call.body = body;
          run(endpoint, call).then(({ status, json }) => exchange.send(status, json), refuse);
        },
        refuse,
      );
      return;
    }
    const read = async (): Promise<string> => (await run(endpoint, call)).json;
    reads.share(name, read).then((json) => exchange.send(200, json), refuse);
  };
}

async function run(endpoint: Endpoint, call: Call): Promise<{ status: number; json: string }> {
  const { status, body } = await endpoint(call);
  return { status, json: JSON.stringify(body) };
}
