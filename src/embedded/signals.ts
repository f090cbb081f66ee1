import { monotonicMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { killAll } from './embeddedService.ts';

/** Ctrl-C under npm arrives twice, from the terminal and from npm. Signals within this time count as one. */
const SAME_KEYPRESS_MS = 500;
const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

export interface StopSignals {
  /** Resolves when the stop that a signal started is complete. Stays pending without a signal. */
  stopped: Promise<void>;
  received(): boolean;
  dispose(): void;
}

/**
 * The first signal runs `stop`. The second one kills every child at once and ends the process with code 1.
 */
export function stopOnSignals(log: Log, stop: () => Promise<void>): StopSignals {
  let firstMs: number | undefined;
  let stopFinished: (result: Promise<void>) => void;
  const stopped = new Promise<void>((resolve) => {
    stopFinished = resolve;
  });

  const onSignal = (signal: NodeJS.Signals) => {
    if (firstMs === undefined) {
      firstMs = monotonicMs();
      log.info({ signal }, 'stopping');
      stopFinished(stop());
    } else if (monotonicMs() - firstMs > SAME_KEYPRESS_MS) {
      log.warn({ signal }, 'second signal: killing all processes');
      killAll();
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  return {
    stopped,
    received: () => firstMs !== undefined,
    dispose: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
