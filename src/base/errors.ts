/** HTTP status of every error code. A test compares it with docs/application-api.md. */
export const ERROR_STATUS = {
  malformed: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  wrongMethod: 405,
  changed: 412,
  tooLarge: 413,
  unsupported: 415,
  invalid: 422,
  tooMany: 429,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An error whose message may be shown to the caller. All other errors are answered as internal errors. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Headers of the answer, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the answer beside `error`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.details = details;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}
