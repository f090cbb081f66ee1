import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';

/** The pace of background work on users, which leaves Redis to the servers. It is read with each call. */
export interface Pace {
  /** Ends the work. */
  signal: AbortSignal;
  /** Users that one script call settles: bounds how long events wait for it. */
  usersPerCall: number;
  /** Calls under way at once, so that Redis has work while the worker prepares the next call. */
  callsAtOnce: number;
  /**
   * Length of the rest after each call, as a multiple of the call's duration: a busier Redis gets longer
   * rests.
   */
  rest: number;
}

/** Calls `next` until it returns false or the pace ends it. */
export async function atPace(pace: Pace | undefined, next: () => Promise<boolean>): Promise<void> {
  while (!pace?.signal.aborted) {
    const startMs = monotonicMs();
    if (!(await next())) return;
    const restMs = pace === undefined ? 0 : pace.rest * (monotonicMs() - startMs);
    if (restMs > 0) await sleep(restMs, undefined, { signal: pace!.signal }).catch(() => {});
  }
}
