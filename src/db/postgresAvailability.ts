/**
 * SQLSTATE classes and codes of a PostgreSQL that cannot serve now; 55P03: a lock was not available in time;
 * 25006: it is read-only, as a standby is.
 */
const REFUSALS = /^(08|53|57|55P03|25006)/;
/** This message is matched because its SQLSTATE, 55000, has other meanings as well. */
const CLOSED = /is not currently accepting connections/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Error codes of the operating system, such as ECONNREFUSED; no SQLSTATE begins with E. */
const SYSTEM = /^E[A-Z_]+$/;
/** Client errors without a code: no connection, a lost connection, or a timeout. */
const LOST =
  /Connection terminated|timeout exceeded when trying to connect|connection error|Query read timeout/;

/** Whether the error means that PostgreSQL cannot serve now. */
export function isPostgresOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return LOST.test(error.message);
  return (
    SYSTEM.test(code) ||
    (SQLSTATE.test(code) ? REFUSALS.test(code) || CLOSED.test(error.message) : LOST.test(error.message))
  );
}
