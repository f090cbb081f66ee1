import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ADMIN, type ApiError, addressOf, callApi, type Query } from './client.ts';
import { repeatWhileVisible } from './repeat.ts';
import { session } from './session.ts';

/** What a screen shows of a call. `data` stays while newer data is on its way. */
export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  isLoading: boolean;
  reload(): void;
}

interface UseApiOptions {
  /** Reads again this long after an answer, while the page can be seen, ms. */
  everyMs?: number;
}

/** The pause after which screens look for what has happened. */
export const LIVE_MS = 2_000;

/** Last answers by address: a screen that is opened again shows them until the new ones are there. */
const lastAnswers = new Map<string, unknown>();
const LAST_ANSWERS_MAX = 200;

function remember(address: string, answer: unknown): void {
  lastAnswers.delete(address);
  lastAnswers.set(address, answer);
  if (lastAnswers.size > LAST_ANSWERS_MAX) lastAnswers.delete(lastAnswers.keys().next().value!);
}

/** Reads the Admin API, or the whole path if it begins with `/v1`; with `null` nothing. */
export function useApi<T>(path: string | null, query: Query = {}, { everyMs }: UseApiOptions = {}): Loaded<T> {
  const address = path === null ? null : addressOf(path.startsWith('/v1/') ? path : ADMIN + path, query);
  const signedIn = session.value;
  const cacheKey = `${signedIn?.tenant ?? ''} ${address}`;
  const [state, setState] = useState<{ cacheKey: string; data: T | null; error: ApiError | null }>({
    cacheKey,
    error: null,
    data: (lastAnswers.get(cacheKey) as T) ?? null,
  });
  const current = useRef(cacheKey);
  current.current = cacheKey;

  const load = useCallback(async (): Promise<void> => {
    if (address === null || signedIn === null) return;
    try {
      const data = await callApi<T>('GET', address);
      remember(cacheKey, data);
      if (current.current === cacheKey) setState({ cacheKey, data, error: null });
    } catch (error) {
      if (current.current === cacheKey) {
        setState((old) => ({
          cacheKey,
          data: old.cacheKey === cacheKey ? old.data : null,
          error: error as ApiError,
        }));
      }
    }
  }, [address, cacheKey, signedIn]);

  useEffect(() => {
    if (everyMs !== undefined) return repeatWhileVisible(load, everyMs);
    void load();
  }, [load, everyMs]);

  const isCurrent = state.cacheKey === cacheKey;
  const data = isCurrent ? state.data : ((lastAnswers.get(cacheKey) as T) ?? null);
  const error = isCurrent ? state.error : null;
  return { data, error, isLoading: address !== null && data === null && error === null, reload: () => void load() };
}

/** Forgets every answer, after somebody else signs in or another tenant is chosen. */
export function forgetAnswers(): void {
  lastAnswers.clear();
}
