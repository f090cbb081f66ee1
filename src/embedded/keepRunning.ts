import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { OwnedProcess } from './embeddedService.ts';

const DELAY_MS_MIN = 200;
const DELAY_MS_MAX = 10_000;
/** After this time the start counts as successful, and the delay is reset. */
const STABLE_MS = 60_000;

/** Starts a process. It must stop the process, even while it is starting, when the signal aborts. */
export type Start<T> = (signal: AbortSignal) => Promise<T>;

export interface Kept<T> {
  /** The first start. If it fails this rejects, and no further start is tried. */
  started: Promise<T>;
  /** Stops the process, or further attempts to start it. */
  stop(): Promise<void>;
}

/** Starts a process, and starts it again with growing delays whenever it ends. */
export function keepRunning<T extends OwnedProcess>(name: string, log: Log, start: Start<T>): Kept<T> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const started = start(signal);
  const loop = keepUp(started);

  async function keepUp(first: Promise<T>): Promise<void> {
    let running = await first.catch(() => null);
    if (!running) return;
    let startedMs = monotonicMs();
    let delayMs = DELAY_MS_MIN;
    let ended = await running.exited;
    while (!signal.aborted) {
      if (monotonicMs() - startedMs > STABLE_MS) delayMs = DELAY_MS_MIN;
      log.error({ ended, delayMs }, `${name} ended and is restarted`);
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      delayMs = Math.min(delayMs * 2, DELAY_MS_MAX);
      startedMs = monotonicMs();
      running = await start(signal).catch((error: Error) => {
        ended = error.message;
        return null;
      });
      if (running) {
        log.info({ pid: running.pid }, `${name} was restarted`);
        ended = await running.exited;
      }
    }
  }

  return {
    started,
    stop: () => {
      stopping.abort();
      return loop;
    },
  };
}
