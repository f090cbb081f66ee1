import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { callApi, type Reply } from '../server.ts';
import { BY_API, METRICS, type MetricKey } from './config.ts';

const KEYED_SHARE = 0.7;
const COMPLETION_SHARE = 0.02;
const VALUE_MAX = 4;
/** Between two requests of a client: leaves the machine time to start processes. */
const PAUSE_MS = 20;
/** A client whose server was killed, or says 503, waits so long before it tries again. */
const AGAIN_AFTER_MS = 50;

/** Number and sum of events. */
export interface Tally {
  events: number;
  sum: number;
}

/** What clients know of the events of one user and metric. */
export interface Known {
  /** Answered, or repeated until they were. */
  certain: Tally;
  /** Sent once, without a key, and the answer was lost: each may count once or not at all. */
  unknown: Tally;
}

export interface KeyedEvent {
  userId: string;
  metric: MetricKey;
  value: number;
  idempotencyKey: string;
}

/** Clients that behave as the README tells them to: they repeat what failed, if it has an idempotency key. */
export class Load {
  readonly userIds: string[];
  /** Users for whom the `api` achievement was completed. */
  readonly completed = new Set<string>();
  readonly keyed: KeyedEvent[] = [];
  /** Answers that should never be: neither recorded nor refused for the time being. */
  readonly wrong: string[] = [];
  readonly counts = { recorded: 0, replayed: 0, repeated: 0, unknown: 0 };
  readonly #known = new Map<string, Known>();
  readonly #random: Random;
  readonly #urls: readonly string[];
  #clients: Promise<unknown> = Promise.resolve();
  #sent = 0;
  #isOver = false;

  /** @param urls of servers; each request goes to one of them */
  constructor(random: Random, urls: readonly string[], users: number) {
    this.#random = random;
    this.#urls = urls;
    this.userIds = Array.from({ length: users }, (_, i) => `user-${i}`);
  }

  start(clients: number): void {
    this.#clients = Promise.all(Array.from({ length: clients }, () => this.#runClient()));
  }

  /** Resolves when every event with a key has its answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  known(userId: string, metric: MetricKey): Known {
    const key = `${metric} ${userId}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { certain: { events: 0, sum: 0 }, unknown: { events: 0, sum: 0 } };
      this.#known.set(key, known);
    }
    return known;
  }

  async #runClient(): Promise<void> {
    while (!this.#isOver) {
      if (this.#random.chance(COMPLETION_SHARE)) await this.#complete();
      else await this.#record();
      await sleep(PAUSE_MS);
    }
  }

  async #record(): Promise<void> {
    const userId = this.#random.pick(this.userIds);
    const metric = this.#random.pick(METRICS);
    const value = this.#random.int(1, VALUE_MAX);
    const { certain, unknown } = this.known(userId, metric);
    if (this.#random.chance(KEYED_SHARE)) {
      const event = { userId, metric, value, idempotencyKey: `event-${this.#sent++}` };
      await this.#untilAnswered((url) => sendEvent(url, event));
      this.keyed.push(event);
      count(certain, value);
      return;
    }
    const status = await this.#attempt((url) => sendEvent(url, { userId, metric, value }));
    if (status === 201) {
      count(certain, value);
    } else {
      this.counts.unknown++;
      count(unknown, value);
      await sleep(AGAIN_AFTER_MS);
    }
  }

  /** Completing again changes nothing, so it can be repeated as it is. */
  async #complete(): Promise<void> {
    const userId = this.#random.pick(this.userIds);
    await this.#untilAnswered((url) =>
      callApi(`${url}/v1/achievements/${BY_API}/complete`, 'POST', { user: { id: userId } }),
    );
    this.completed.add(userId);
  }

  async #untilAnswered(send: (url: string) => Promise<Reply>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const status = await this.#attempt(send);
      // Only what was sent before may turn out to have been recorded.
      if (status === 202 && attempt === 0) this.wrong.push('a replay of what was never sent');
      if (status !== null) return;
      this.counts.repeated++;
      await sleep(AGAIN_AFTER_MS);
    }
  }

  /** @returns null when there was no answer, or one that says "later" */
  async #attempt(send: (url: string) => Promise<Reply>): Promise<number | null> {
    let reply: Reply;
    try {
      reply = await send(this.#random.pick(this.#urls));
    } catch (error) {
      // Which says that the connection broke; anything else is about what came over it.
      if (error instanceof TypeError) return null;
      this.wrong.push(String(error));
      return 0;
    }
    const { status, body } = reply;
    // 502 is the answer of a load balancer whose server was killed.
    if (status === 503 || status === 502) return null;
    if (status === 201) this.counts.recorded++;
    else if (status === 202) this.counts.replayed++;
    else this.wrong.push(`${status} ${JSON.stringify(body)}`);
    return status;
  }
}

export function sendEvent(
  url: string,
  { userId, metric, value, idempotencyKey }: Omit<KeyedEvent, 'idempotencyKey'> & { idempotencyKey?: string },
): Promise<Reply> {
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return callApi(`${url}/v1/metrics/${metric}/event`, 'POST', { user: { id: userId }, value }, headers);
}

function count(tally: Tally, value: number): void {
  tally.events++;
  tally.sum += value;
}
