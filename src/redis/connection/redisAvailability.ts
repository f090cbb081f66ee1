/** Error replies of a Redis that cannot serve now. */
const REFUSALS =
  /^(OOM|LOADING|READONLY|MISCONF|CLUSTERDOWN|MASTERDOWN|BUSY|TRYAGAIN|NOREPLICAS|UNBLOCKED)\b/;
/** Client errors for a missing or lost connection. */
const LOST =
  /isn't writeable|Connection is closed|ECONN|ENOENT|EPIPE|Cluster isn't ready|Cluster redirections|slots cache/;

/** Whether the error means that Redis cannot serve now. */
export function isRedisOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    error.name === 'MaxRetriesPerRequestError' ||
    error.name === 'AbortError' ||
    error.name === 'ClusterAllFailedError'
  )
    return true;
  return (
    LOST.test(error.message) || (error.name === 'ReplyError' && REFUSALS.test(stripScript(error.message)))
  );
}

/** Removes the name of the script that precedes an error inside it. */
function stripScript(message: string): string {
  return message.replace(/^ERR Error running script.*?: /, '').replace(/^.*?@user_script: *\d+: */, '');
}
