import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { historyLag, isServiceBroken } from '../api/historyLag.ts';
import type { Loaded } from '../api/useApi.ts';
import { formatDuration } from '../format.ts';

/** What a call answered, or that it is under way, or why it failed. */
export function Loading<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, ageSeconds, isLoading, reload } = of;
  return (
    <>
      {error && isServiceBroken.value && ageSeconds !== undefined && (
        <p class="soft small">What is shown is {formatDuration(ageSeconds)} old.</p>
      )}
      {error && !(isServiceBroken.value && data !== null) && (
        <div class="error" role="alert">
          {textOf(error)}{' '}
          {data !== null && ageSeconds !== undefined && `What is shown is ${formatDuration(ageSeconds)} old.`}{' '}
          <button type="button" class="quiet" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {isLoading && (
        <p class="loading" role="status">
          <span>Loading…</span>
        </p>
      )}
      {data !== null && children(data)}
    </>
  );
}

/** While the history is behind, a read that waits for it fails: what is behind says more than "try again". */
const textOf = ({ status, message }: ApiError): string => (status === 503 && historyLag.value) || message;

export function ErrorMessage({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <div class="error" role="alert">
      {text}
    </div>
  );
}
