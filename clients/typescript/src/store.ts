import type { LaurelError } from './errors.js';
import type {
  EventRequest,
  EventResponse,
  HeldEventResponse,
  LeaderboardResponseWithRankings,
} from './generated.js';
import { type Expected, type Prediction, predict } from './predict.js';
import type { Session } from './session.js';

export { type Expected, isExtended } from './predict.js';
export { Session, type SessionOptions, subjectOf } from './session.js';

/** What a hook or an element shows. */
export interface Loadable<T> {
  /** The newest data; undefined until the first answer. */
  readonly data: T | undefined;
  /** Why the last read failed. Earlier data stay. */
  readonly error: Error | undefined;
  /** Whether there is neither data nor an error yet. */
  readonly isLoading: boolean;
}

export const LOADING: Loadable<never> = { data: undefined, error: undefined, isLoading: true };
export const LIVE = 'watchLeaderboard';
/** Data outlive their last reader this long, so that the next screen and React's StrictMode find them. */
const KEPT_MS = 10_000;

export interface ReadInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
}

/** The data of one operation with one input. */
interface Entry {
  readonly operation: string;
  readonly input: ReadInput;
  readonly subscribers: Set<() => void>;
  data: unknown;
  error: Error | undefined;
  /** Place of the answer in the order of reads and events. */
  readAt: number;
  shown: Loadable<unknown>;
  /** Ends a live entry. */
  stop(): void;
  forgetting: ReturnType<typeof setTimeout> | undefined;
}

export interface SentEvent {
  metric: string;
  value: number;
  body: Partial<EventRequest>;
  expected: Expected;
}

/**
 * The data that hooks and elements show. An event changes them at once as it predicts. When no event is under way any
 * more, all data are read again and replaced together. A read during which an event was sent is discarded,
 * because it may or may not contain the event.
 */
export class Store {
  readonly #session: Session;
  readonly #entries = new Map<string, Entry>();
  #predictions: Prediction[] = [];
  /** Counts reads and events in their order. */
  #sequence = 0;
  #lastSent = 0;
  #lastRefresh = 0;
  #underWay = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param id of `idOf` */
  shown(id: string): Loadable<unknown> {
    return this.#entries.get(id)?.shown ?? LOADING;
  }

  /** Reads the data, and reports every change until the returned function is called. */
  subscribe(id: string, onChange: () => void): () => void {
    const entry = this.#entries.get(id) ?? this.#open(id);
    clearTimeout(entry.forgetting);
    entry.subscribers.add(onChange);
    return () => {
      entry.subscribers.delete(onChange);
      if (entry.subscribers.size === 0) entry.forgetting = setTimeout(() => this.#forget(id), KEPT_MS);
    };
  }

  /** Reads everything again, unless an event is under way, after which that happens anyway. */
  async refresh(): Promise<void> {
    if (this.#underWay > 0) return;
    const began = ++this.#sequence;
    this.#lastRefresh = began;
    const all = [...this.#entries.values()];
    for (const entry of all)
      if (entry.operation === LIVE && entry.error !== undefined) this.#watchAgain(entry);
    const entries = all.filter(({ operation }) => operation !== LIVE);
    const answers = await Promise.allSettled(
      entries.map((entry) => this.#call(entry.operation, entry.input)),
    );
    if (this.#lastSent > began || this.#lastRefresh > began) return;
    for (const [i, entry] of entries.entries()) this.#keep(entry, answers[i]!);
    this.#predictions = [];
    this.#show();
  }

  /** Records an event of the user. Rejects with LaurelError after everything that it predicted is undone. */
  async record({ metric, value, body, expected }: SentEvent): Promise<EventResponse | HeldEventResponse> {
    return this.#send(async (sentAt) => {
      const prediction = { sentAt, metric, value, expected };
      this.#predictions.push(prediction);
      this.#show();
      try {
        const id = await this.#session.userId();
        const input = { path: { key: metric as never }, body: { ...body, user: { id }, value } };
        return await this.#session.client.recordEvents(input);
      } catch (error) {
        this.#predictions = this.#predictions.filter((other) => other !== prediction);
        this.#show();
        throw error;
      }
    });
  }

  /** Calls an operation that changes the user, and reads everything again. Rejects with LaurelError. */
  change(operation: string, input: ReadInput): Promise<unknown> {
    return this.#send(() => this.#call(operation, input));
  }

  /** Changes the user, and reads everything again. Answers to earlier reads are not shown any more. */
  async #send<T>(call: (sentAt: number) => Promise<T>): Promise<T> {
    const sentAt = ++this.#sequence;
    this.#lastSent = sentAt;
    this.#underWay++;
    try {
      return await call(sentAt);
    } finally {
      this.#underWay--;
      void this.refresh();
    }
  }

  #open(id: string): Entry {
    const [operation, input] = JSON.parse(id) as [string, ReadInput];
    const entry: Entry = {
      operation,
      input,
      subscribers: new Set(),
      data: undefined,
      error: undefined,
      readAt: 0,
      shown: LOADING,
      stop() {},
      forgetting: undefined,
    };
    this.#entries.set(id, entry);
    if (operation === LIVE) this.#watch(entry);
    else void this.#load(entry);
    return entry;
  }

  #forget(id: string): void {
    this.#entries.get(id)?.stop();
    this.#entries.delete(id);
  }

  async #load(entry: Entry): Promise<void> {
    const [answer] = await Promise.allSettled([this.#call(entry.operation, entry.input)] as const);
    // A refresh may have been faster.
    if (entry.readAt > 0) return;
    this.#keep(entry, answer);
    this.#show();
  }

  async #call(operation: string, input: ReadInput): Promise<unknown> {
    const call = this.#session.client[operation as 'getUser'] as (given: unknown) => Promise<unknown>;
    return call({ ...input, path: { id: await this.#session.userId(), ...input.path } });
  }

  /** A refusal, such as that of a signed-out user, has ended the stream. */
  #watchAgain(entry: Entry): void {
    entry.stop();
    this.#watch(entry);
  }

  #watch(entry: Entry): void {
    const { path, query } = entry.input;
    let losses = 0;
    entry.stop = this.#session.client.watchLeaderboard(path!.key as never, {
      ...(query && { query }),
      onChange: (value: LeaderboardResponseWithRankings) => {
        losses = 0;
        this.#keep(entry, { status: 'fulfilled', value });
        this.#show();
      },
      onError: (reason) => {
        // A stream that ends with its token is opened again, which nobody needs to see.
        if (++losses === 1 && !(reason as LaurelError).status) return;
        this.#keep(entry, { status: 'rejected', reason });
        this.#show();
      },
    });
  }

  /** After a failure, what was predicted stays: its events were recorded. */
  #keep(entry: Entry, answer: PromiseSettledResult<unknown>): void {
    const isRead = answer.status === 'fulfilled';
    const data = isRead ? answer.value : entry.shown.data;
    // Equal data keep their identity, so that components are not rendered again.
    if (JSON.stringify(data) !== JSON.stringify(entry.data)) entry.data = data;
    entry.error = isRead ? undefined : answer.reason;
    entry.readAt = ++this.#sequence;
  }

  /** Reports all that has changed in what entries show. */
  #show(): void {
    for (const entry of this.#entries.values()) {
      const { operation, input, error, readAt, shown } = entry;
      const later = readAt === 0 ? [] : this.#predictions.filter(({ sentAt }) => sentAt > readAt);
      const data =
        entry.data === undefined
          ? undefined
          : later.reduce<unknown>(
              (now, event) => predict(operation, input.path?.key, now, event),
              entry.data,
            );
      if (data === shown.data && error === shown.error && readAt > 0 === !shown.isLoading) continue;
      entry.shown = { data, error, isLoading: readAt === 0 };
      for (const onChange of entry.subscribers) onChange();
    }
  }
}

/** Names an entry. */
export const idOf = (operation: string, input: ReadInput): string => JSON.stringify([operation, input]);
