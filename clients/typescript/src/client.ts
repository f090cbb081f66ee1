import { OPERATIONS, type Operations } from './generated.js';
import type { KeyOf } from './keys.js';
import { type CallOptions, Transport, type TransportOptions } from './transport.js';
import { type LiveOptions, watchLeaderboard } from './watch.js';

export type { LiveOptions } from './watch.js';
export type ClientOptions = TransportOptions;

type Name = keyof Operations;
type Input<N extends Name> = Operations[N]['input'];
type Output<N extends Name> = Operations[N]['output'];

/** The input may be left out if nothing in it is required. */
type Given<I> =
  Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** A method for each operation. */
export type Methods = { [N in Name]: (...given: Given<Input<N>>) => Promise<Output<N>> };

/** Operations that answer page by page. */
type Paged = {
  [N in Name]: Input<N> extends { query?: infer Q }
    ? [keyof Q & ('cursor' | 'skip')] extends [never]
      ? never
      : N
    : never;
}[Name];

/** An item of a page: of the list that the answer is or contains. */
type ItemOf<O> = O extends readonly (infer I)[]
  ? I
  : { [K in keyof O]: O[K] extends readonly (infer I)[] ? I : never }[keyof O];

export interface Client extends Methods {
  /** All items of an operation that answers page by page. */
  each<N extends Paged>(name: N, ...given: Given<Input<N>>): AsyncGenerator<ItemOf<Output<N>>, void, void>;
  /** Reports a leaderboard now and whenever it changes, until the returned function is called. */
  watchLeaderboard(key: KeyOf<'leaderboards'>, options: LiveOptions): () => void;
  /** Uses another token from now on. */
  setToken(token: string): void;
}

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A client of laurel, for browsers and Node.js. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  const call = (name: Name, input: AnyInput = {}, callOptions?: CallOptions): Promise<unknown> =>
    callOperation(transport, name, input, callOptions);
  const methods = Object.fromEntries(
    (Object.keys(OPERATIONS) as Name[]).map((name) => [
      name,
      (input?: AnyInput, callOptions?: CallOptions) => call(name, input, callOptions),
    ]),
  );
  return {
    ...(methods as unknown as Methods),
    each: (name: Name, input?: AnyInput, callOptions?: CallOptions) => pages(call, name, input, callOptions),
    watchLeaderboard: (key: string, live: LiveOptions) => watchLeaderboard(transport, key, live),
    setToken: (token: string) => transport.setToken(token),
  } as Client;
}

async function callOperation(
  transport: Transport,
  name: Name,
  { path = {}, query = {}, headers, body }: AnyInput,
  options?: CallOptions,
): Promise<unknown> {
  const [method, pattern] = OPERATIONS[name];
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(path[part]!));
  const call = {
    method,
    path: filled + queryText(query),
    isRepeatable: method !== 'POST' && method !== 'PATCH',
  };
  const sent = withIdempotencyKey(name, headers, body);
  const response = await transport.send(
    {
      ...call,
      isRepeatable: call.isRepeatable || sent !== headers || hasIdempotencyKey(headers, body),
      ...(sent && { headers: sent }),
      ...(body !== undefined && { body }),
    },
    options,
  );
  return response.json();
}

const hasIdempotencyKey = (headers: Record<string, string> | undefined, body: unknown): boolean =>
  headers?.['Idempotency-Key'] !== undefined ||
  (body as { idempotencyKey?: string } | undefined)?.idempotencyKey !== undefined;

/** Operations that record one event. */
const EVENTS: Name[] = ['recordEvents', 'recordMetricsEvent'];

/** An event that brings no key gets one, so that it counts once however often it is sent. */
function withIdempotencyKey(
  name: Name,
  headers: Record<string, string> | undefined,
  body: unknown,
): Record<string, string> | undefined {
  if (!EVENTS.includes(name) || hasIdempotencyKey(headers, body)) return headers;
  return { ...headers, 'Idempotency-Key': newKey() };
}

/** Not `randomUUID`, which pages without TLS do not have. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function queryText(query: Record<string, unknown>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : value === undefined ? [] : [value])
      pairs.append(name, String(item));
  }
  return pairs.size === 0 ? '' : `?${pairs}`;
}

async function* pages(
  call: (name: Name, input?: AnyInput, options?: CallOptions) => Promise<unknown>,
  name: Name,
  input: AnyInput = {},
  options?: CallOptions,
): AsyncGenerator<unknown, void, void> {
  const paging = OPERATIONS[name][2]!;
  let next: unknown = input.query?.[paging];
  for (;;) {
    const page = await call(name, { ...input, query: { ...input.query, [paging]: next } }, options);
    const items = (
      Array.isArray(page) ? page : Object.values(page as object).find(Array.isArray)
    ) as unknown[];
    yield* items;
    if (paging === 'cursor') next = (page as { cursor: string | null }).cursor;
    else next = items.length === 0 ? null : Number(next ?? 0) + items.length;
    if (next === null) return;
  }
}
