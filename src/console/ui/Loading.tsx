import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/useApi.ts';

/** What a call answered, or that it is under way, or why it failed. */
export function Loading<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = of;
  return (
    <>
      {error && (
        <div class="error" role="alert">
          {error.message}{' '}
          <button type="button" class="quiet" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {isLoading && (
        <p class="loading" role="status">
          Loading…
        </p>
      )}
      {data !== null && children(data)}
    </>
  );
}

export function ErrorMessage({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <div class="error" role="alert">
      {text}
    </div>
  );
}
