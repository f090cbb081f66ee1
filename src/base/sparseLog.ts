import { monotonicMs } from './clock.ts';
import type { Log } from './log.ts';

const LINES_EVERY_MS = 1_000;

/**
 * A warning about requests, written at most once a second. The line describes one request and counts those
 * since the last line.
 */
export class SparseLog {
  readonly #log: Log;
  readonly #message: string;
  #unsaid = 0;
  #nextMs = 0;

  constructor(log: Log, message: string) {
    this.#log = log;
    this.#message = message;
  }

  warn(request: Readonly<Record<string, unknown>>): void {
    this.#unsaid++;
    const now = monotonicMs();
    if (now < this.#nextMs) return;
    this.#log.warn({ ...request, requests: this.#unsaid }, this.#message);
    this.#unsaid = 0;
    this.#nextMs = now + LINES_EVERY_MS;
  }
}
