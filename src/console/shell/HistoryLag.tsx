import { useEffect } from 'preact/hooks';
import type { Status } from '../../contract/status.ts';
import { describeLag, historyLag } from '../api/historyLag.ts';
import { LIVE_MS, useApi } from '../api/useApi.ts';

/** Says above every screen that the history is behind, and why. */
export function HistoryLag() {
  const status = useApi<Status>('/status', {}, { everyMs: LIVE_MS }).data;
  const lag = status && describeLag(status);
  useEffect(() => {
    historyLag.value = lag;
  }, [lag]);
  if (lag === null) return null;
  return (
    <p class="warning" role="status">
      {lag} What happened since is counted, but not shown yet.{' '}
      <a href="/console/operations">Background work</a>
    </p>
  );
}
