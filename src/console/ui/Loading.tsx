import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { historyLag, isServiceBroken } from '../api/health.ts';
import type { Loaded } from '../api/useApi.ts';
import { formatDuration } from '../text/format.ts';
import { t } from '../text/translate.ts';

/** The answer of a call, or its loading or error state. */
export function Loading<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, ageSeconds, isLoading, reload } = of;
  return (
    <>
      {error && isServiceBroken.value && ageSeconds !== undefined && (
        <p class="soft small">{t('Last updated {age} ago.', { age: formatDuration(ageSeconds) })}</p>
      )}
      {error && !(isServiceBroken.value && data !== null) && (
        <div class="error" role="alert">
          {textOf(error)}{' '}
          {data !== null &&
            ageSeconds !== undefined &&
            t('Last updated {age} ago.', { age: formatDuration(ageSeconds) })}{' '}
          <button type="button" class="quiet" onClick={reload}>
            {t('Try again')}
          </button>
        </div>
      )}
      {isLoading && (
        <p class="loading" role="status">
          <span>{t('Loading…')}</span>
        </p>
      )}
      {data !== null && children(data)}
    </>
  );
}

/** While the history is behind, reads that wait for it fail; the lag says more than the error. */
const textOf = ({ status, message }: ApiError): string => (status === 503 && historyLag.value) || message;

export function ErrorMessage({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <div class="error" role="alert">
      {text}
    </div>
  );
}
