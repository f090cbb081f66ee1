import { ServiceError } from '../base/errors.ts';

/** SQLSTATE classes by which PostgreSQL says that it cannot serve now. */
const REFUSALS = /^(08|53|57)/;
/** What the client says when there is no connection, it was lost, or no answer came in time. */
const LOST = /Connection terminated|timeout exceeded when trying to connect|connection error|Query read timeout/;

/** The error to answer with: `unavailable` when PostgreSQL cannot serve, else the error itself. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  const isOutage = typeof code === 'string' && code.length === 5 ? REFUSALS.test(code) : LOST.test(error.message);
  return isOutage ? new ServiceError('unavailable', 'The store is not available; try again') : error;
}
