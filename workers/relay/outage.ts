import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';

const WAIT_MS_MIN = 100;
const WAIT_MS_MAX = 2_000;

/** An outage of a repeated task: logs its beginning and its end once, and waits longer after each failure. */
export class Outage {
  readonly #log: Log;
  readonly #what: string;
  #sinceMs: number | null = null;
  #waitMs = WAIT_MS_MIN;

  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Resolves when it is time to try again, at once when `signal` is aborted. */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (this.#sinceMs === null) {
      this.#sinceMs = monotonicMs();
      const { message, code } = error as Error & { code?: unknown };
      this.#log.error({ error: message, code }, `${this.#what} fails and is retried`);
    }
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(2 * waitMs, WAIT_MS_MAX);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }

  over(): void {
    if (this.#sinceMs === null) return;
    this.#log.info({ outage_ms: Math.round(monotonicMs() - this.#sinceMs) }, `${this.#what} works again`);
    this.#sinceMs = null;
    this.#waitMs = WAIT_MS_MIN;
  }
}
