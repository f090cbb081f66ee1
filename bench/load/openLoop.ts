import { monotonicMs } from '../../src/base/clock.ts';
import { RawConnection } from './rawConnection.ts';

export interface OpenLoop {
  url: string;
  /** Text of the i-th request. */
  requestAt: (i: number) => string;
  requests: number;
  /**
   * Requests a second. With Infinity each connection sends its next request when the previous one has been
   * answered.
   */
  rate: number;
  connections: number;
}

export interface OpenLoopResult {
  /** From the instant at which each request was due until its answer, ms, shortest first. */
  latencies_ms: Float64Array;
  seconds: number;
}

const WAKE_MS = 1;
/** Longest time for the answers after the last request was due. */
const ANSWERS_MS_MAX = 30_000;

/**
 * Sends requests at instants that are fixed beforehand, whether or not earlier ones have been answered. The
 * latency of a request counts from the instant at which it was due. So a server that stalls is charged with
 * all requests that had to wait.
 * @throws Error if a request is not answered 2xx, or if the server does not keep up at all
 */
export async function runOpenLoop(options: OpenLoop): Promise<OpenLoopResult> {
  return new Generator(options).run();
}

class Generator {
  readonly #options: OpenLoop;
  readonly #latencies_ms: Float64Array;
  readonly #free: RawConnection[] = [];
  readonly #all: RawConnection[] = [];
  #startMs = 0;
  #due = 0;
  #sent = 0;
  #answered = 0;
  #timer: NodeJS.Timeout | undefined;
  #end: (error: Error | null) => void = () => {};

  constructor(options: OpenLoop) {
    this.#options = options;
    this.#latencies_ms = new Float64Array(options.requests);
  }

  async run(): Promise<OpenLoopResult> {
    const { url, connections } = this.#options;
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === null ? resolve() : reject(error));
    });
    try {
      for (let i = 0; i < connections; i++)
        this.#all.push(await RawConnection.open(url, (error) => this.#end(error)));
      this.#free.push(...this.#all);
      this.#startMs = monotonicMs();
      this.#wake();
      await ended;
    } finally {
      clearTimeout(this.#timer);
      for (const connection of this.#all) connection.close();
    }
    const seconds = (monotonicMs() - this.#startMs) / 1_000;
    return { latencies_ms: this.#latencies_ms.sort(), seconds };
  }

  #dueMs(i: number): number {
    return this.#startMs + dueAfter_ms(i, this.#options.rate);
  }

  #wake(): void {
    const { requests, rate } = this.#options;
    const now = monotonicMs();
    while (this.#due < requests && this.#dueMs(this.#due) <= now) this.#due++;
    this.#sendDue();
    const lastMs = this.#dueMs(requests - 1);
    if (now > lastMs + ANSWERS_MS_MAX) {
      this.#end(
        new Error(`${requests - this.#answered} of ${requests} requests at ${rate}/s were not answered`),
      );
    } else this.#timer = setTimeout(() => this.#wake(), WAKE_MS);
  }

  #sendDue(): void {
    while (this.#sent < this.#due && this.#free.length > 0) this.#send(this.#free.pop()!, this.#sent++);
  }

  #send(connection: RawConnection, i: number): void {
    connection.send(this.#options.requestAt(i), (status) => {
      if (status < 200 || status > 299) {
        this.#end(new Error(`a request was answered ${status}`));
        return;
      }
      this.#latencies_ms[this.#answered++] = monotonicMs() - this.#dueMs(i);
      this.#free.push(connection);
      if (this.#answered === this.#options.requests) this.#end(null);
      else this.#sendDue();
    });
  }
}

/** When the i-th request is due, from the start. */
export const dueAfter_ms = (i: number, rate: number): number => (i * 1_000) / rate;
