import { randomBytes } from 'node:crypto';
import type { DurationHistogram, Durations } from '../../base/durations.ts';
import type { Log } from '../../base/log.ts';
import type { Tracing } from '../../base/spans.ts';
import { SparseLog } from '../../base/sparseLog.ts';

/** Longest X-Request-Id that is accepted. */
export const REQUEST_ID_CHARS_MAX = 128;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The requests of a server that are not answered yet, and whether their connections are to be closed. */
export class Requests {
  underWay = 0;
  /** Every answer closes its connection, so that clients go to another server before this one ends. */
  isDraining = false;
  /** null unless requests are traced. */
  readonly tracing: Tracing | null;
  /** Begins the ids that this server makes. */
  readonly #prefix = `${randomBytes(6).toString('hex')}-`;
  readonly #log: Log;
  readonly #isDebug: boolean;
  readonly #slowMs: number;
  readonly #slow: SparseLog;
  #made = 0;

  /** @param slowMs time to the head of the answer from which a request is logged as slow */
  constructor(log: Log, slowMs: number, tracing: Tracing | null = null) {
    this.tracing = tracing;
    this.#log = log;
    this.#isDebug = log.isLevelEnabled('debug');
    this.#slowMs = slowMs;
    this.#slow = new SparseLog(log, 'slow requests');
  }

  /** @param status null if the client left before the answer */
  logRequest(id: string, { method, route }: RouteTimes, status: number | null, ms: number): void {
    if (ms < this.#slowMs && !this.#isDebug) return;
    const request = { request: id, method, route, status, ms: Math.round(ms) };
    if (this.#isDebug) this.#log.debug(request, 'request');
    if (ms >= this.#slowMs) this.#slow.warn(request);
  }

  /** The id that a client or proxy has given, if it can be logged and returned as it is, else a new one. */
  idFor(given: string): string {
    if (given !== '' && given.length <= REQUEST_ID_CHARS_MAX && VISIBLE_ASCII.test(given)) return given;
    return this.#prefix + (this.#made++).toString(36);
  }
}

/** Index of the durations of requests whose client left before the answer. */
const ABORTED = 0;
/** Status classes: 1xx to 5xx. */
const CLASSES = 5;

/** Durations of the requests of a route, by the class of the status. */
export class RouteTimes {
  readonly method: string;
  /** Path with `{name}` for each parameter. */
  readonly route: string;
  readonly #durations: Durations[] = [];

  constructor(histogram: DurationHistogram, method: string, route: string) {
    this.method = method;
    this.route = route;
    for (let index = 0; index <= CLASSES; index++) {
      const status = index === ABORTED ? 'aborted' : `${index}xx`;
      this.#durations.push(histogram.labels({ method, route, status }));
    }
  }

  /** @param status null if the client left before the answer */
  add(status: number | null, ms: number): void {
    this.#durations[status === null ? ABORTED : Math.trunc(status / 100)]!.add(ms);
  }
}
