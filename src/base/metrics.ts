import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What `/metrics` shows. One registry a process. */
export class Metrics {
  readonly registry = new Registry();
  readonly #events = new Counter({
    name: 'laurel_events_total',
    help: 'Metric events answered, by outcome',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  /** Bound to their labels once: they are on the hot path. */
  readonly recordedEvents = this.#events.labels('recorded');
  readonly replayedEvents = this.#events.labels('replayed');
  readonly refusedEvents = this.#events.labels('refused');
  readonly responses = new Counter({
    name: 'laurel_http_errors_total',
    help: 'Requests answered with an error, by status',
    labelNames: ['status'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A number that is asked for when somebody looks; it stays as it was while it cannot be read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async function (this: Gauge): Promise<void> {
      try {
        this.set(await read());
      } catch {
        // What cannot be read now is seen in the gauge of the store that is away.
      }
    };
    new Gauge({ name, help, registers: [this.registry], collect });
  }
}
