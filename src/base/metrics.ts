import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { monotonicMs } from './clock.ts';
import { withTimeout } from './withTimeout.ts';

/** Longest wait of `/metrics` for a number. After that the number is missing. */
const METRIC_READ_MS_MAX = 900;
/** Shortest time between two reads of both stores for `/metrics`. */
const METRICS_COLLECT_INTERVAL_MS = 1_000;

/** The metrics of a process, which `/metrics` shows. */
export class Metrics {
  readonly registry = new Registry();
  readonly #events = new Counter({
    name: 'laurel_events_total',
    help: 'Answered metric events, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  /** Counters with their labels resolved once, because they are on the hot path. */
  readonly recordedEvents = this.#events.labels('recorded');
  readonly replayedEvents = this.#events.labels('replayed');
  readonly refusedEvents = this.#events.labels('refused');
  readonly guardedEvents = new Counter({
    name: 'laurel_guarded_events_total',
    help: 'Events that a guard of their metric refused or reduced',
    labelNames: ['metric', 'guard', 'action'],
    registers: [this.registry],
  });
  readonly responses = new Counter({
    name: 'laurel_http_errors_total',
    help: 'Requests answered with an error, by status',
    labelNames: ['status'],
    registers: [this.registry],
  });

  #page: Promise<string> | null = null;
  #collectedMs = 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * The page in Prometheus's text format. It is collected at most once a second, because collecting reads
   * both stores and callers need no key.
   */
  page(): Promise<string> {
    const now = monotonicMs();
    if (this.#page === null || now - this.#collectedMs >= METRICS_COLLECT_INTERVAL_MS) {
      this.#page = this.registry.metrics();
      this.#collectedMs = now;
    }
    return this.#page;
  }

  /** Shows what runs: the version of the program, of Node.js and of the schema in PostgreSQL. */
  showBuild(version: string, schema: number): void {
    this.gauges(
      'laurel_build_info',
      'Always 1; the labels contain the versions',
      ['version', 'node', 'schema'],
      async () => [{ labels: { version, node: process.version, schema: String(schema) }, value: 1 }],
    );
  }

  /** A number that is read when the page is collected. It is missing while it cannot be read in time. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async function (this: Gauge): Promise<void> {
      try {
        this.set(await readInTime(read()));
      } catch {
        // An unreachable store has a gauge of its own.
        this.remove();
      }
    };
    new Gauge({ name, help, registers: [this.registry], collect });
  }

  /** The same for several numbers under one name, told apart by labels. */
  gauges(name: string, help: string, labelNames: string[], read: () => Promise<LabelledNumber[]>): void {
    const collect = async function (this: Gauge): Promise<void> {
      try {
        const found = await readInTime(read());
        this.reset();
        for (const { labels, value } of found) this.set(labels, value);
      } catch {
        this.reset();
      }
    };
    new Gauge({ name, help, labelNames, registers: [this.registry], collect });
  }
}

export interface LabelledNumber {
  labels: Record<string, string>;
  value: number;
}

/** @throws Error if the number cannot be read in time */
async function readInTime<T>(number: T | Promise<T>): Promise<T> {
  if (!(number instanceof Promise)) return number;
  return withTimeout(number, METRIC_READ_MS_MAX, () => new Error(`not read within ${METRIC_READ_MS_MAX} ms`));
}
