/**
 * The only source of time. Rules, scripts and statements take `now` (milliseconds since 1970, UTC) as an
 * argument. Only the edges of a process (a request, a schedule) read the clock.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

/**
 * Relation of the service's time to the machine's time: a fixed offset, or a fixed instant. `moved`: the
 * service's time (ms) before the first move of the test clock and after the last one.
 */
export type ClockSetting = ({ offsetMs: number } | { stoppedAt: number }) & {
  moved?: { from: number; to: number };
};

/** The setting that makes the service's time `instant` (ms) when the machine's time is `machineNow` (ms). */
export function settingAt(instant: number, machineNow: number, isStopped: boolean): ClockSetting {
  return isStopped ? { stoppedAt: instant } : { offsetMs: instant - machineNow };
}

export function timeUnder(setting: ClockSetting, machineNow: number): number {
  return 'stoppedAt' in setting ? setting.stoppedAt : machineNow + setting.offsetMs;
}

/** A clock that the test clock can adjust. */
export class AdjustableClock implements Clock {
  #setting: ClockSetting = { offsetMs: 0 };

  now(): number {
    return timeUnder(this.#setting, Date.now());
  }

  get isStopped(): boolean {
    return 'stoppedAt' in this.#setting;
  }

  get moved(): ClockSetting['moved'] {
    return this.#setting.moved;
  }

  /** Whether the test clock may have been moved over an instant (ms), so that nothing could be done then. */
  hasPassedOver(instant: number): boolean {
    const { moved } = this;
    return moved !== undefined && instant >= moved.from && instant < moved.to;
  }

  adjust(setting: ClockSetting): void {
    this.#setting = setting;
  }
}

/** The machine's time, for commands that run before the clock of the service is known. */
export const systemClock: Clock = new AdjustableClock();

/** Monotonic milliseconds, for durations only. Never store them or compare them with `now`. */
export function monotonicMs(): number {
  return performance.now();
}

/** Time that the event loop of this process has waited, ms. */
export function idleMs(): number {
  return performance.eventLoopUtilization().idle;
}
