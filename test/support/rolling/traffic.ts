import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { API_KEY } from '../server.ts';
import { dayFromStart } from '../testTime.ts';

const USERS_PER_CLIENT = 4;
const VALUE_MAX = 4;
const BATCH_EVENTS = 5;
const KEYED_SHARE = 0.5;
/** Between two requests of a client: leaves the machine time to start processes. */
const PAUSE_MS = 40;
const FAILURES_KEPT = 20;
const DAY_RANGE = `startDate=${dayFromStart(-1)}&endDate=${dayFromStart(1)}`;

/** What a client knows of one of its users. */
export interface KnownUser {
  id: string;
  events: number;
  sum: number;
}

/**
 * Clients with one keep-alive connection each, which send events and batches and read history. Each has users
 * of its own, so it knows what it must read. Nothing is repeated: every answer must be the right one.
 */
export class Traffic {
  readonly users: KnownUser[] = [];
  /** Requests by kind. */
  readonly counts: Record<Kind, number> = { event: 0, batch: 0, read: 0 };
  /** The first answers that were not right. */
  readonly failures: string[] = [];
  failed = 0;
  /** Longest time to an answer, ms. */
  slowestMs = 0;
  readonly #url: string;
  readonly #random: Random;
  #clients: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #keys = 0;

  constructor(url: string, random: Random) {
    this.#url = url;
    this.#random = random;
  }

  start(clients: number): void {
    this.#clients = Promise.all(Array.from({ length: clients }, (_, i) => this.#runClient(i)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #runClient(no: number): Promise<void> {
    const users = Array.from({ length: USERS_PER_CLIENT }, (_, i) => ({
      id: `user-${no}-${i}`,
      events: 0,
      sum: 0,
    }));
    this.users.push(...users);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isOver) {
      const user = this.#random.pick(users);
      const kind = user.events === 0 ? 'event' : this.#random.pick(KINDS);
      this.counts[kind]++;
      const startMs = performance.now();
      const fault = await this.#run(kind, agent, user, users).catch(
        (error: Error) => `${kind}: ${error.message}`,
      );
      this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - startMs));
      if (fault !== null) {
        this.failed++;
        if (this.failures.length < FAILURES_KEPT) this.failures.push(fault);
      }
      await sleep(PAUSE_MS);
    }
    agent.destroy();
  }

  /** @returns what is wrong with the answer; null if it is right */
  #run(kind: Kind, agent: Agent, user: KnownUser, users: KnownUser[]): Promise<string | null> {
    if (kind === 'read') return this.#read(agent, user);
    return kind === 'event' ? this.#record(agent, user) : this.#recordBatch(agent, users);
  }

  async #record(agent: Agent, user: KnownUser): Promise<string | null> {
    const value = this.#random.int(1, VALUE_MAX);
    const headers: Record<string, string> = {};
    if (this.#random.chance(KEYED_SHARE)) headers['Idempotency-Key'] = `event-${this.#keys++}`;
    const body = { user: { id: user.id }, value };
    const answer = await this.#send(agent, 'POST', '/v1/metrics/lessons/event', body, headers);
    user.events++;
    user.sum += value;
    return answer.check(201, (reply) => reply.total === user.sum);
  }

  async #recordBatch(agent: Agent, users: KnownUser[]): Promise<string | null> {
    const items = Array.from({ length: BATCH_EVENTS }, () => {
      const user = this.#random.pick(users);
      const value = this.#random.int(1, VALUE_MAX);
      user.events++;
      user.sum += value;
      return { key: 'lessons', user: { id: user.id }, value };
    });
    const answer = await this.#send(agent, 'POST', '/admin/v1/metrics/events', items);
    return answer.check(202, (reply) => reply.accepted === BATCH_EVENTS);
  }

  /** History must contain all that was answered before. */
  async #read(agent: Agent, { id, sum }: KnownUser): Promise<string | null> {
    const path = `/v1/users/${id}`;
    const isSum = (rows: { change: number }[]): boolean =>
      rows.reduce((total, { change }) => total + change, 0) === sum;
    const [below, isRight] = this.#random.pick<[string, (reply: Body) => boolean]>([
      [`/metrics/lessons/event-summary?aggregation=daily&${DAY_RANGE}`, isSum],
      ['/points/xp?awards=5', (reply) => reply.awards.length > 0],
      ['/streak?historyPeriods=7', (reply) => reply.streakHistory.length === 7],
    ]);
    return (await this.#send(agent, 'GET', path + below)).check(200, isRight);
  }

  #send(
    agent: Agent,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json', ...more };
    return new Promise((resolve, reject) => {
      const call = request(this.#url + path, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(new Answer(`${method} ${path}`, response.statusCode!, text)));
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

type Kind = 'event' | 'batch' | 'read';
const KINDS: readonly Kind[] = ['event', 'event', 'event', 'batch', 'read', 'read'];

// biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes
type Body = any;

class Answer {
  readonly #call: string;
  readonly #status: number;
  readonly #text: string;

  constructor(call: string, status: number, text: string) {
    this.#call = call;
    this.#status = status;
    this.#text = text;
  }

  /** @returns what is wrong; null if nothing is */
  check(status: number, isRight: (body: Body) => boolean): string | null {
    if (this.#status === status && isRight(JSON.parse(this.#text))) return null;
    return `${this.#call}: ${this.#status} ${this.#text.slice(0, 300)}`;
  }
}
