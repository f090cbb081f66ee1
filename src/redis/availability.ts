/** Replies by which Redis says that it cannot serve now. */
const REFUSALS = /^(OOM|LOADING|READONLY|MISCONF|CLUSTERDOWN|MASTERDOWN|BUSY|TRYAGAIN|NOREPLICAS)\b/;
/** Messages of the client without a connection. */
const LOST = /isn't writeable|Connection is closed|ECONN|ENOENT|EPIPE/;

/** Whether the error means that Redis cannot serve now. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return LOST.test(error.message) || (error.name === 'ReplyError' && REFUSALS.test(stripScript(error.message)));
}

/** An error inside a script comes with the script's name in front. */
function stripScript(message: string): string {
  return message.replace(/^ERR Error running script.*?: /, '').replace(/^.*?@user_script: *\d+: */, '');
}
