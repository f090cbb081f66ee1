const CODES = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  405: 'wrongMethod',
  413: 'tooLarge',
  415: 'unsupported',
  422: 'invalid',
  429: 'tooMany',
  503: 'unavailable',
} as const;

/** Codes of laurel's errors; `network`: no answer; `timeout`: no answer in time; `internal`: anything else. */
export type LaurelErrorCode = (typeof CODES)[keyof typeof CODES] | 'network' | 'timeout' | 'internal';

/** A call that did not succeed. */
export class LaurelError extends Error {
  override readonly name = 'LaurelError';
  readonly code: LaurelErrorCode;
  /** Why laurel refused, such as `outOfPoints` or `guard`, where it says so. */
  readonly reason: string | null;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** For the operator, who finds it in the log. */
  readonly requestId: string | null;
  /** Milliseconds after which a repetition may succeed; null if the server does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    {
      code,
      reason = null,
      status = 0,
      requestId = null,
      retryAfterMs = null,
    }: {
      code: LaurelErrorCode;
      reason?: string | null;
      status?: number;
      requestId?: string | null;
      retryAfterMs?: number | null;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error that an answer contains. */
export async function errorOf(response: Response): Promise<LaurelError> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => null)) as { error?: unknown; code?: unknown } | null;
  const message = typeof body?.error === 'string' ? body.error : `laurel answered ${status}`;
  return new LaurelError(message, {
    code: CODES[status as keyof typeof CODES] ?? 'internal',
    reason: typeof body?.code === 'string' ? body.code : null,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
