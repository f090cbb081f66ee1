/**
 * The only source of time. Everything that decides takes `now` (milliseconds since 1970, UTC) as an argument;
 * only the edges of a process (a request, a schedule) ask the clock.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

/** How the service's time follows from the machine's: so far ahead of it (or behind), or not at all. */
export type ClockSetting = { offsetMs: number } | { stoppedAt: number };

/** The setting under which it is `instant` (ms) when the machine's time is `machineNow`. */
export function settingAt(instant: number, machineNow: number, isStopped: boolean): ClockSetting {
  return isStopped ? { stoppedAt: instant } : { offsetMs: instant - machineNow };
}

export function timeUnder(setting: ClockSetting, machineNow: number): number {
  return 'stoppedAt' in setting ? setting.stoppedAt : machineNow + setting.offsetMs;
}

/** Only the test clock adjusts it. */
export class AdjustableClock implements Clock {
  #setting: ClockSetting = { offsetMs: 0 };

  now(): number {
    return timeUnder(this.#setting, Date.now());
  }

  get isStopped(): boolean {
    return 'stoppedAt' in this.#setting;
  }

  adjust(setting: ClockSetting): void {
    this.#setting = setting;
  }
}

/** The machine's own time: for the commands that start a service, before there is a clock to follow. */
export const systemClock: Clock = new AdjustableClock();

/** Monotonic milliseconds, for durations only; never stored, never compared with `now`. */
export function monotonicMs(): number {
  return performance.now();
}
