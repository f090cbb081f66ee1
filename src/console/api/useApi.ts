import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerAt } from './answers.ts';
import { type ApiError, addressOf, callApi, callForVersion, type Query, type Versioned } from './client.ts';
import { repeatWhileVisible } from './repeat.ts';
import { session, tenant } from './session.ts';

/** The state of a read. `data` stays while newer data is loading. */
export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  /** After an error: age of `data`, s. */
  ageSeconds?: number;
  isLoading: boolean;
  /** Reads again; resolves when the answer or the error is shown. */
  reload(): Promise<void>;
  /** Of a list: shows more entries; absent if all are shown. */
  showMore?(): void;
}

/** The same read with a part of its answer. */
export const partOf = <T, U>(of: Loaded<T>, part: (answer: T) => U): Loaded<U> => ({
  ...of,
  data: of.data === null ? null : part(of.data),
});

interface UseApiOptions {
  /** Reads again this long after an answer, while the page is visible, ms. */
  everyMs?: number;
  /** Ignores earlier answers: a form must not start with values that the answer replaces. */
  isFresh?: boolean;
}

interface UseListOptions extends UseApiOptions {
  /** Entries that are read at first, and added by each `showMore`. All without it. */
  page?: number;
  /** The parameter that continues after the last item of a page, if the list is not continued by `skip`. */
  after?(id: string): Query;
}

/** Items that the API lists in one answer. */
const PAGE_ITEMS_MAX = 100;

/** Polling interval of screens. */
export const LIVE_MS = 2_000;

/** Latest answers by address: a screen that is opened again shows them until it has read new ones. */
const lastAnswers = new Map<string, unknown>();
const LAST_ANSWERS_MAX = 200;

function remember(address: string, answer: unknown): void {
  lastAnswers.delete(address);
  lastAnswers.set(address, answer);
  if (lastAnswers.size > LAST_ANSWERS_MAX) lastAnswers.delete(lastAnswers.keys().next().value!);
}

/**
 * Reads a path of the API; nothing if it is null. The path determines the type of the answer; a path that is
 * only known at run time needs the type as the second argument.
 * @param query null while it depends on another read: this one is loading until then
 */
export function useApi<const P extends string, T = AnswerAt<P>>(
  path: P | null,
  query: Query | null = {},
  options: UseApiOptions = {},
): Loaded<T> {
  const isWaiting = path !== null && query === null;
  const address = path === null || query === null ? null : addressOf(path, query);
  const loaded = useRead<T>(address, (from) => callApi<T>('GET', from), options);
  return isWaiting ? { ...loaded, isLoading: true } : loaded;
}

/** Reads a part of the configuration with its version, for a form; nothing if the path is null. */
export function useVersioned<const P extends string, T = AnswerAt<P>>(
  path: P | null,
  options: UseApiOptions = {},
): Loaded<Versioned<T>> {
  const address = path === null ? null : `${path} with its version`;
  return useRead(address, () => callForVersion<T>('GET', path!), { ...options, isFresh: true });
}

type ItemAt<P> = AnswerAt<P> extends (infer Item)[] ? Item : never;

/** Reads a list; nothing if the path is null. Types as for `useApi`. */
export function useList<const P extends string, T = ItemAt<P>>(
  path: P | null,
  query: Query = {},
  options: UseListOptions = {},
): Loaded<T[]> {
  const { page = Infinity, everyMs } = options;
  const [max, setMax] = useState(page);
  const address = path === null ? null : `${addressOf(path, query)} of ${max}`;
  const read = async (): Promise<T[]> => (await readPages<T>(path!, query, max, options.after)).value;
  const list = useRead<T[]>(address, read, { everyMs });
  return { ...list, showMore: list.data?.length === max ? () => setMax(max + page) : undefined };
}

/** Reads a list of the configuration as a whole, with its version. */
export function useVersionedList<T>(path: string): Loaded<Versioned<T[]>> {
  return useRead(`list ${path} with its version`, () => readPages<T>(path, {}, Infinity), {});
}

/** The version is that of the first page, so later changes are noticed whatever page they are on. */
async function readPages<T>(
  path: string,
  query: Query,
  max: number,
  after?: UseListOptions['after'],
): Promise<Versioned<T[]>> {
  const items: T[] = [];
  let version: string | null = null;
  while (items.length < max) {
    const limit = Math.min(max - items.length, PAGE_ITEMS_MAX);
    const page = await callForVersion<T[]>('GET', path, {
      query: { ...query, limit, ...continuation(items, after) },
    });
    version ??= page.etag;
    items.push(...page.value);
    if (page.value.length < limit) break;
  }
  return { value: items, etag: version };
}

/** Reads a list that is continued by a cursor; its entries are in the field `items` of the answer. */
export function useCursorList<F extends string, P extends { cursor: string | null } & Record<F, unknown[]>>(
  path: string,
  items: F,
  query: Query,
  { page, everyMs }: { page: number; everyMs: number },
): Loaded<P> {
  const [max, setMax] = useState(page);
  const read = async (): Promise<P> => {
    const found: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const limit = Math.min(max - found.length, PAGE_ITEMS_MAX);
      const answer = await callApi<P>('GET', path, { query: { ...query, limit, cursor } });
      found.push(...answer[items]);
      if (answer.cursor === null || found.length >= max) return { ...answer, [items]: found };
      cursor = answer.cursor;
    }
  };
  const list = useRead<P>(`${addressOf(path, query)} of ${max}`, read, { everyMs });
  return { ...list, showMore: list.data?.[items].length === max ? () => setMax(max + page) : undefined };
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
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'error' | 'ageSeconds'> & { cacheKey: string }>(
    {
      cacheKey,
      data: known,
      error: null,
    },
  );
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
  const { data, error, ageSeconds } = isCurrent ? state : { data: known, error: null, ageSeconds: undefined };
  const isLoading = address !== null && data === null && error === null;
  return { data, error, ageSeconds, isLoading, reload: load };
}

/** Forgets every answer, after somebody else signs in or another tenant is chosen. */
export function forgetAnswers(): void {
  lastAnswers.clear();
}
