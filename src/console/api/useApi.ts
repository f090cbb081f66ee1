import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  ADMIN,
  type ApiError,
  addressOf,
  callApi,
  callForVersion,
  type Query,
  type Versioned,
} from './client.ts';
import { repeatWhileVisible } from './repeat.ts';
import { session, tenant } from './session.ts';

/** What a screen shows of a call. `data` stays while newer data is on its way. */
export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  /** After an error: how old `data` is, s. */
  ageSeconds?: number;
  isLoading: boolean;
  /** Reads again; resolves when the answer is shown, or why there is none. */
  reload(): Promise<void>;
}

interface UseApiOptions {
  /** Reads again this long after an answer, while the page can be seen, ms. */
  everyMs?: number;
  /** Shows nothing that was read before: a form must not begin with values that the answer replaces. */
  isFresh?: boolean;
}

interface UseListOptions extends UseApiOptions {
  /** Items that are shown at most. */
  max?: number;
  /** The parameter that continues after the last item of a page, if the list is not continued by `skip`. */
  after?(id: string): Query;
}

/** Items that the API lists in one answer. */
const PAGE_ITEMS_MAX = 100;

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

/**
 * Reads the Admin API, or the whole path if it begins with `/v1`; with `null` nothing.
 * @param query null while it depends on another read: this one is loading until then
 */
export function useApi<T>(
  path: string | null,
  query: Query | null = {},
  options: UseApiOptions = {},
): Loaded<T> {
  const isWaiting = path !== null && query === null;
  const address =
    path === null || query === null ? null : addressOf(path.startsWith('/v1/') ? path : ADMIN + path, query);
  const loaded = useRead<T>(address, (from) => callApi<T>('GET', from), options);
  return isWaiting ? { ...loaded, isLoading: true } : loaded;
}

/** Reads a part of the configuration with its version, for a form; with `null` nothing. */
export function useVersioned<T>(path: string | null, options: UseApiOptions = {}): Loaded<Versioned<T>> {
  const read = () => callForVersion<T>('GET', ADMIN + path);
  const address = path === null ? null : `${ADMIN}${path} with its version`;
  return useRead(address, read, { ...options, isFresh: true });
}

/** Reads a list of the Admin API as a whole, page by page; with `null` nothing. */
export function useList<T>(
  path: string | null,
  query: Query = {},
  options: UseListOptions = {},
): Loaded<T[]> {
  const { max = Infinity, everyMs } = options;
  const address =
    path === null ? null : addressOf(ADMIN + path, { ...query, limit: Math.min(max, PAGE_ITEMS_MAX) });
  const read = async (): Promise<T[]> => (await readPages<T>(path!, query, options)).value;
  return useRead<T[]>(address === null ? null : `${address} of ${max}`, read, { everyMs });
}

/** Reads a list of the configuration as a whole, with its version. */
export function useVersionedList<T>(path: string): Loaded<Versioned<T[]>> {
  return useRead(`list ${ADMIN}${path} with its version`, () => readPages<T>(path, {}, {}), {});
}

/** The version is that of the first page: changes since then are noticed whatever page shows them. */
async function readPages<T>(
  path: string,
  query: Query,
  { max = Infinity, after }: UseListOptions,
): Promise<Versioned<T[]>> {
  const items: T[] = [];
  let version: string | null = null;
  while (items.length < max) {
    const limit = Math.min(max - items.length, PAGE_ITEMS_MAX);
    const page = await callForVersion<T[]>('GET', ADMIN + path, {
      query: { ...query, limit, ...continuation(items, after) },
    });
    version ??= page.etag;
    items.push(...page.value);
    if (page.value.length < limit) break;
  }
  return { value: items, etag: version };
}

/** Reads a list that is continued by a cursor, page by page, up to `max` items in the field `items`. */
export function useCursorList<F extends string, P extends { cursor: string | null } & Record<F, unknown[]>>(
  path: string,
  items: F,
  max: number,
  query: Query = {},
  options: UseApiOptions = {},
): Loaded<P> {
  const read = async (): Promise<P> => {
    const found: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const limit = Math.min(max - found.length, PAGE_ITEMS_MAX);
      const page = await callApi<P>('GET', ADMIN + path, { query: { ...query, limit, cursor } });
      found.push(...page[items]);
      if (page.cursor === null || found.length >= max) return { ...page, [items]: found };
      cursor = page.cursor;
    }
  };
  return useRead<P>(`${addressOf(ADMIN + path, query)} of ${max}`, read, options);
}

function continuation<T>(items: T[], after: UseListOptions['after']): Query {
  const last = items.at(-1);
  if (after === undefined || last === undefined) return after === undefined ? { skip: items.length } : {};
  return after((last as { id: string }).id);
}

const beginning = new Map<string, Promise<unknown>>();

/** Reads that begin together, such as those of the fields of a form, share one call. */
function share<T>(key: string, read: () => Promise<T>): Promise<T> {
  const shared = (beginning.get(key) as Promise<T> | undefined) ?? read();
  beginning.set(key, shared);
  setTimeout(() => beginning.delete(key));
  return shared;
}

/** @param address names what is read: what was read last from it is shown at once */
function useRead<T>(
  address: string | null,
  read: (address: string) => Promise<T>,
  { everyMs, isFresh = false }: UseApiOptions,
): Loaded<T> {
  const signedIn = session.value;
  const cacheKey = `${tenant.value ?? ''} ${address}`;
  const known = isFresh ? null : ((lastAnswers.get(cacheKey) as T | undefined) ?? null);
  const [state, setState] = useState<{
    cacheKey: string;
    data: T | null;
    error: ApiError | null;
    ageSeconds?: number;
  }>({
    cacheKey,
    error: null,
    data: known,
  });
  const current = useRef(cacheKey);
  const reads = useRef({ begun: 0, shown: 0 });
  const readAtMs = useRef<number | null>(null);
  if (current.current !== cacheKey) readAtMs.current = null;
  current.current = cacheKey;

  const load = useCallback(async (): Promise<void> => {
    if (address === null || !signedIn) return;
    const number = ++reads.current.begun;
    // A read that began earlier does not replace what a later one has shown.
    const isNewest = (): boolean => {
      if (current.current !== cacheKey || number < reads.current.shown) return false;
      reads.current.shown = number;
      return true;
    };
    try {
      const data = await share(cacheKey, () => read(address));
      if (!isNewest()) return;
      remember(cacheKey, data);
      readAtMs.current = performance.now();
      setState({ cacheKey, data, error: null });
    } catch (error) {
      if (isNewest()) {
        setState((old) => ({
          cacheKey,
          data: old.cacheKey === cacheKey ? old.data : null,
          error: error as ApiError,
          ageSeconds: readAtMs.current === null ? undefined : (performance.now() - readAtMs.current) / 1000,
        }));
      }
    }
  }, [address, cacheKey, signedIn]);

  useEffect(() => {
    if (everyMs !== undefined) return repeatWhileVisible(load, everyMs);
    void load();
  }, [load, everyMs]);

  const isCurrent = state.cacheKey === cacheKey;
  const data = isCurrent ? state.data : known;
  const error = isCurrent ? state.error : null;
  const ageSeconds = isCurrent ? state.ageSeconds : undefined;
  return {
    data,
    error,
    ageSeconds,
    isLoading: address !== null && data === null && error === null,
    reload: load,
  };
}

/** Forgets every answer, after somebody else signs in or another tenant is chosen. */
export function forgetAnswers(): void {
  lastAnswers.clear();
}
