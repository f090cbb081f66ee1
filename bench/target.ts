import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../src/base/clock.ts';
import type { Bench, Child } from './bench.ts';
import { Ledger } from './load/ledger.ts';
import type { Traffic, TrafficOptions } from './load/traffic.ts';

const METRICS_MS_MAX = 5_000;
const POLL_MS = 100;

/** The service that scenarios measure, and what they have sent to it. */
export class Target {
  /** Directory for files of the run. */
  readonly directory: string;
  readonly urls: string[];
  readonly apiKey: string;
  /** First part of all user ids, so that a service elsewhere gets new users in every run. */
  readonly prefix: string;
  /** The servers and stores of this run; null if the service runs elsewhere. */
  readonly own: { bench: Bench; servers: Child[] } | null;
  readonly ledger: Ledger;
  readonly #traffic = new Map<string, Promise<Traffic>>();

  private constructor(target: Pick<Target, 'directory' | 'urls' | 'apiKey' | 'prefix' | 'own'>) {
    this.directory = target.directory;
    this.urls = target.urls;
    this.apiKey = target.apiKey;
    this.prefix = target.prefix;
    this.own = target.own;
    this.ledger = new Ledger(target.prefix);
  }

  static async start(bench: Bench, count: number): Promise<Target> {
    const servers: Child[] = [];
    for (let i = 0; i < count; i++) servers.push(await bench.start('server'));
    const { directory, apiKey } = bench;
    return new Target({
      directory,
      urls: servers.map(({ url }) => url),
      apiKey,
      prefix: '',
      own: { bench, servers },
    });
  }

  static elsewhere(url: string, apiKey: string, directory: string, prefix: string): Target {
    return new Target({ directory, urls: [url.replace(/\/$/, '')], apiKey, prefix, own: null });
  }

  /** The servers and stores of this run. @throws Error if the service runs elsewhere */
  get bench(): Bench {
    if (this.own === null) throw new Error('this scenario needs stores of its own');
    return this.own.bench;
  }

  /** Requests that several scenarios may share, prepared once. */
  traffic<O extends TrafficOptions>(
    options: Omit<O, 'directory' | 'prefix'>,
    prepare: (options: O) => Promise<Traffic>,
  ): Promise<Traffic> {
    let traffic = this.#traffic.get(options.name);
    if (traffic === undefined) {
      traffic = prepare({ ...options, directory: this.directory, prefix: this.prefix } as O);
      this.#traffic.set(options.name, traffic);
    }
    return traffic;
  }

  async call(method: string, path: string, body?: string): Promise<unknown> {
    const response = await fetch(this.urls[0] + path, {
      method,
      headers: { 'X-API-KEY': this.apiKey, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /**
   * Compares the totals of users, and what the servers of this run have counted, with what was sent.
   * @throws Error if they differ
   */
  async check(): Promise<void> {
    await this.ledger.check((id) => this.readTotal(id));
    if (this.own !== null) await this.#checkCounters();
  }

  async readTotal(userId: string): Promise<number> {
    const { current } = (await this.call('GET', `/v1/users/${userId}/metrics/lessons`)) as {
      current: number;
    };
    return current;
  }

  /** Servers collect their metrics once a second. */
  async #checkCounters(): Promise<void> {
    const { events } = this.ledger;
    const deadlineMs = monotonicMs() + METRICS_MS_MAX;
    for (;;) {
      const counts = await Promise.all(this.urls.map(countRecorded));
      const recorded = counts.reduce((sum, count) => sum + count, 0);
      if (recorded === events) return;
      if (monotonicMs() > deadlineMs)
        throw new Error(`${events} events were sent, ${recorded} were recorded`);
      await sleep(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.own?.servers.map((server) => server.stop()) ?? []);
  }
}

async function countRecorded(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^laurel_events_total\{outcome="recorded"\} (\S+)/m.exec(text)?.[1] ?? 0);
}
