import { errorOf, LaurelError } from './errors.js';

export interface TransportOptions {
  /** Address of laurel, such as https://laurel.example. */
  url: string;
  /** Admin key or application key. */
  key?: string;
  /** User token. */
  token?: string;
  /** Makes a user token: called without a token, and again when it has expired. */
  getToken?: () => string | Promise<string>;
  /** Your own id of the tenant, with multi-tenancy. */
  tenant?: string;
  /** Repetitions of a call that may succeed later, 3 by default. */
  retries?: number;
  /** Longest time of one attempt, 10,000 ms by default. */
  timeoutMs?: number;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface HttpCall {
  method: string;
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Whether a repetition is safe although the call may have been carried out. */
  isRepeatable: boolean;
}

const RETRIES = 3;
const TIMEOUT_MS = 10_000;
const BACKOFF_FIRST_MS = 200;
/** Longest wait before a repetition. The error is thrown if the server asks for a longer one. */
const WAIT_MS_MAX = 60_000;
/** Refused before anything was done. */
const TOO_MANY = 429;
const PASSING = [408, 502, 503, 504];

/** Sends calls, with the token of the moment, and repeats those that may succeed later. */
export class Transport {
  readonly #options: TransportOptions;
  #token: string | null;
  #refresh: Promise<string> | null = null;

  constructor(options: TransportOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
    this.#token = options.token ?? null;
  }

  /** Uses another token from now on. */
  setToken(token: string): void {
    this.#token = token;
  }

  /** Rejects with LaurelError, or with the reason of the signal. */
  async send(call: HttpCall, { signal }: CallOptions = {}): Promise<Response> {
    const { retries = RETRIES } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attemptWithToken(call, signal);
      if (!(outcome instanceof LaurelError)) return outcome;
      const waitMs = attempt < retries ? waitBefore(call, outcome, attempt) : null;
      if (waitMs === null) throw outcome;
      await sleep(waitMs, signal);
    }
  }

  /** An attempt, and another one if the token had expired. */
  async #attemptWithToken(call: HttpCall, signal?: AbortSignal): Promise<Response | LaurelError> {
    const used = await this.#currentToken();
    const outcome = await this.#attempt(call, used, signal);
    const isExpired = outcome instanceof LaurelError && outcome.status === 401;
    if (!isExpired || this.#options.getToken === undefined) return outcome;
    // Another call may have renewed the token meanwhile.
    if (this.#token === used) this.#token = null;
    return this.#attempt(call, await this.#currentToken(), signal);
  }

  /** Calls that need a new token at the same time share it. */
  async #currentToken(): Promise<string | null> {
    const { getToken } = this.#options;
    if (this.#token !== null || getToken === undefined) return this.#token;
    this.#refresh ??= Promise.resolve()
      .then(getToken)
      .then((token) => {
        this.#token = token;
        return token;
      })
      .finally(() => {
        this.#refresh = null;
      });
    return this.#refresh;
  }

  async #attempt(
    { method, path, headers, body }: HttpCall,
    token: string | null,
    signal?: AbortSignal,
  ): Promise<Response | LaurelError> {
    const { url, key, tenant, timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch } = this.#options;
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), timeoutMs);
    const abort = (): void => timer.abort();
    signal?.addEventListener('abort', abort);
    try {
      signal?.throwIfAborted();
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(key !== undefined && { 'X-API-KEY': key }),
          ...(token !== null && { Authorization: `Bearer ${token}` }),
          ...(tenant !== undefined && { 'Tenant-ID': encodeURIComponent(tenant) }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: timer.signal,
      });
      return response.ok ? response : errorOf(response);
    } catch (error) {
      signal?.throwIfAborted();
      const isLate = timer.signal.aborted;
      const message = isLate ? `laurel did not answer within ${timeoutMs} ms` : 'laurel could not be reached';
      return new LaurelError(message, { code: isLate ? 'timeout' : 'network' }, { cause: error });
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** How long to wait before the call is repeated; null if it is not to be. */
function waitBefore(
  { isRepeatable }: HttpCall,
  { status, retryAfterMs }: LaurelError,
  attempt: number,
): number | null {
  const mayPass = status === TOO_MANY || (isRepeatable && (status === 0 || PASSING.includes(status)));
  if (!mayPass) return null;
  const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(BACKOFF_FIRST_MS, attempt));
  return waitMs > WAIT_MS_MAX ? null : waitMs;
}

/** Twice as long each time, by up to half shorter so that clients do not come back together. */
export const backoffMs = (firstMs: number, attempt: number): number =>
  Math.min(WAIT_MS_MAX, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
