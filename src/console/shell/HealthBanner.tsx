import { useEffect } from 'preact/hooks';
import { describeLag, healthOf, historyLag, isServiceBroken, runbookAddress } from '../api/health.ts';
import { ofAccount } from '../api/session.ts';
import { LIVE_MS, useApi } from '../api/useApi.ts';
import { t } from '../text/translate.ts';

/** Shows above every screen what is wrong with the service. */
export function HealthBanner() {
  const { data, error } = useApi(ofAccount('/status'), {}, { everyMs: LIVE_MS });
  const isUnreachable = error?.status === 0;
  const lag = data && describeLag(data);
  const isKnown = data !== null || isUnreachable;
  const { level, cause, runbook } = healthOf(isUnreachable ? null : data);
  const isBroken = isKnown && level === 'red';
  useEffect(() => {
    historyLag.value = lag;
    isServiceBroken.value = isBroken;
  }, [lag, isBroken]);
  if (!isKnown || level === 'green') return null;
  return (
    <p class={level === 'red' ? 'error' : 'warning'} role="status">
      {cause} <a href="/console/operations">{t('Status')}</a>
      {runbook && (
        <>
          {' · '}
          <a href={runbookAddress(runbook)}>{t('Runbook {runbook}', { runbook })}</a>
        </>
      )}
    </p>
  );
}
