/**
 * The only source of time. Everything that decides takes `now` (milliseconds since 1970, UTC) as an argument;
 * only the edges of a process (a request, a schedule) ask the clock.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export class OffsetClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Used by the test clock only: shifts the service's time against the machine's. */
  setOffset(offsetMs: number): void {
    this.#offsetMs = offsetMs;
  }
}

/** The machine's own time: for the commands that start a service, before there is a clock to follow. */
export const systemClock: Clock = new OffsetClock();

/** Monotonic milliseconds, for durations only; never stored, never compared with `now`. */
export function monotonicMs(): number {
  return performance.now();
}
