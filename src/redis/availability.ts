import { ServiceError } from '../base/errors.ts';

/** Replies by which Redis says that it cannot serve now. */
const REFUSALS = /^(OOM|LOADING|READONLY|MISCONF|CLUSTERDOWN|MASTERDOWN|BUSY|TRYAGAIN|NOREPLICAS)\b/;
/** What the client says when there is no connection. */
const LOST = /isn't writeable|Connection is closed|ECONN|ENOENT|EPIPE/;

/** The error to answer with: `unavailable` when Redis cannot serve, else the error itself. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return unavailable();
  if (LOST.test(error.message) || (error.name === 'ReplyError' && REFUSALS.test(stripScript(error.message)))) {
    return unavailable();
  }
  return error;
}

/** An error inside a script comes with the script's name in front. */
function stripScript(message: string): string {
  return message.replace(/^ERR Error running script.*?: /, '').replace(/^.*?@user_script: *\d+: */, '');
}

function unavailable(): ServiceError {
  return new ServiceError('unavailable', 'The store is not available; try again');
}
