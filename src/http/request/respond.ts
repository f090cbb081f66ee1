import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { RETRY_AFTER_SECONDS } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Span, Tracing } from '../../base/spans.ts';
import { SparseLog } from '../../base/sparseLog.ts';
import { asServiceError } from '../../engine/stores/availability.ts';
import { IGNORED_FIELDS, IGNORED_PARAMETERS } from '../authentication/headerText.ts';
import type { Requests, RouteTimes } from './requests.ts';

const STATUS_LINE: Record<number, string> = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  204: '204 No Content',
  303: '303 See Other',
  308: '308 Permanent Redirect',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  406: '406 Not Acceptable',
  405: '405 Method Not Allowed',
  412: '412 Precondition Failed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  422: '422 Unprocessable Entity',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** A header with several values is sent once for each. */
type Headers = Readonly<Record<string, string | readonly string[]>>;
const NO_HEADERS: Headers = {};
const REQUEST_ID = 'X-Request-Id';
/** Headers of answers that scripts of other origins may read. */
const READABLE_HEADERS = `${REQUEST_ID}, Retry-After, WWW-Authenticate, ${IGNORED_FIELDS}, ${IGNORED_PARAMETERS}`;
/** Header of every 503. */
export const TRY_AGAIN: Headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

/** A request and its response, which is sent at most once and not after the client has disconnected. */
export class HttpContext {
  readonly res: HttpResponse;
  /** Of the request: given in X-Request-Id, or made. */
  readonly id: string;
  readonly #requests: Requests;
  readonly #route: RouteTimes;
  readonly #startedMs = monotonicMs();
  /** null unless requests are traced. */
  readonly span: Span | null;
  #isAnswered = false;
  #over = false;
  #origin: string | null = null;
  #isHead = false;

  /** @param onGone called if the client disconnects before the response is complete */
  constructor(
    requests: Requests,
    route: RouteTimes,
    res: HttpResponse,
    req: HttpRequest,
    onGone?: () => void,
  ) {
    this.res = res;
    this.id = requests.idFor(req.getHeader('x-request-id'));
    this.#requests = requests;
    this.#route = route;
    const { tracing } = requests;
    this.span = tracing === null ? null : this.#trace(tracing, req.getHeader('traceparent'));
    requests.underWay++;
    res.onAborted(() => {
      if (!this.#isAnswered) this.#record(null);
      this.#close();
      onGone?.();
    });
  }

  get over(): boolean {
    return this.#over;
  }

  /** Allows scripts of this origin to read the response (cors.ts). */
  allowOrigin(origin: string): void {
    this.#origin = origin;
  }

  /** Sends the headers of the response to GET without its body, for a HEAD request (RFC 9110, 9.3.2). */
  omitBody(): void {
    this.#isHead = true;
  }

  /** Writes status and common headers; to be called inside a cork. */
  writeHead(status: number, contentType: string): void {
    this.#writeStatus(status);
    this.res.writeHeader('Content-Type', contentType);
    if (this.#origin !== null)
      this.res
        .writeHeader('Access-Control-Allow-Origin', this.#origin)
        .writeHeader('Access-Control-Expose-Headers', READABLE_HEADERS)
        .writeHeader('Vary', 'Origin');
  }

  #writeStatus(status: number): void {
    this.res.writeStatus(STATUS_LINE[status]!).writeHeader(REQUEST_ID, this.id);
    this.#isAnswered = true;
    this.#record(status);
  }

  #trace(traces: Tracing, parent: string): Span {
    const { method, route } = this.#route;
    const attributes = { 'http.request.method': method, 'http.route': route, 'laurel.request_id': this.id };
    return traces.begin(`${method} ${route}`, { kind: 'server', parent, attributes });
  }

  /** @param status null if the client left before the answer */
  #record(status: number | null): void {
    const ms = monotonicMs() - this.#startedMs;
    this.#route.add(status, ms);
    this.span?.end(status !== null && status < 500 ? undefined : (status ?? 'the client left'));
    this.#requests.logRequest(this.id, this.#route, status, ms);
  }

  send(status: number, body: string, contentType = 'application/json', headers: Headers = NO_HEADERS): void {
    if (this.#over) return;
    this.#close();
    this.res.cork(() => {
      this.writeHead(status, contentType);
      this.#finish(body, headers);
    });
  }

  /** Ends a response that was written in parts. */
  end(): void {
    if (this.#over) return;
    this.#close();
    this.res.cork(() => this.res.end());
  }

  sendFile(body: string | Buffer, headers: Headers, status = 200): void {
    if (this.#over) return;
    this.#close();
    this.res.cork(() => {
      this.#writeStatus(status);
      this.#finish(body, headers);
    });
  }

  #finish(body: string | Buffer, headers: Headers): void {
    for (const name in headers) {
      const value = headers[name]!;
      if (typeof value === 'string') this.res.writeHeader(name, value);
      else for (const one of value) this.res.writeHeader(name, one);
    }
    const { isDraining } = this.#requests;
    if (this.#isHead) this.#endWithoutBody(Buffer.byteLength(body), isDraining);
    else this.res.end(typeof body === 'string' ? responseText(body) : body, isDraining);
  }

  /** uWebSockets waits for the body if it is told the length, and then never closes the connection. */
  #endWithoutBody(length: number, closes: boolean): void {
    this.res.writeHeader('Content-Length', String(length));
    if (closes) this.res.writeHeader('Connection', 'close');
    this.res.endWithoutBody();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#requests.underWay--;
  }
}

/** @param route the route that the request is for */
export type Handler = (res: HttpResponse, req: HttpRequest, route: RouteTimes) => void;

/**
 * A handler of GET and HEAD, or of a method with a body. `answer` reads the request before it waits for
 * anything. What it throws is answered by `fail`.
 */
export const createHandler =
  (
    { requests, errors }: { requests: Requests; errors: ErrorResponder },
    answer: (context: HttpContext, req: HttpRequest) => Promise<void> | void,
    fail = (context: HttpContext, error: unknown) => errors.fail(context, error),
  ): Handler =>
  (res, req, route) => {
    const context = new HttpContext(requests, route, res, req);
    if (req.getMethod() === 'head') context.omitBody();
    try {
      const answering = answer(context, req);
      if (answering instanceof Promise) answering.catch((error) => fail(context, error));
    } catch (error) {
      fail(context, error);
    }
  };

/** Answers errors: a ServiceError with its message, any other as 500, which is logged. */
export class ErrorResponder {
  readonly #log: Log;
  readonly #metrics: Metrics;
  /** During an outage every request is refused. */
  readonly #refusals: SparseLog;

  constructor(log: Log, metrics: Metrics) {
    this.#log = log;
    this.#refusals = new SparseLog(log, 'requests refused');
    this.#metrics = metrics;
  }

  fail(context: HttpContext, thrown: unknown): void {
    const { status, message, details, headers } = this.describe(context, thrown);
    context.send(status, JSON.stringify({ error: message, ...details }), undefined, headers);
  }

  /** Counts and logs an error. @returns what the client is told */
  describe(
    context: HttpContext,
    thrown: unknown,
  ): { status: number; message: string; details: object; headers: Headers } {
    const error = asServiceError(thrown);
    const status = error instanceof ServiceError ? error.status : 500;
    this.#metrics.responses.inc({ status });
    if (status === 500) this.#log.error({ err: thrown, request: context.id }, 'request failed');
    else if (status === 503) this.#refusals.warn({ error: String(thrown), request: context.id });
    if (!(error instanceof ServiceError))
      return { status, message: 'Internal error', details: {}, headers: NO_HEADERS };
    const { message, details } = error;
    const headers = status === 503 ? { ...TRY_AGAIN, ...error.headers } : error.headers;
    return { status, message, details, headers };
  }
}

/**
 * What uWebSockets.js sends as UTF-8. Its build for Node 24 sends a string of which V8 keeps a byte per
 * character as these bytes, so that "ë" goes out as ISO 8859-1 and breaks JSON. ASCII is the same in both,
 * and bytes go out as they are.
 */
export function responseText(text: string): string | Buffer {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}
