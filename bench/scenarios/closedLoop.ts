import type { Traffic } from '../load/traffic.ts';
import { type Load, runLoad } from '../load/wrk.ts';
import type { Round, Running } from '../scenario.ts';
import type { Target } from '../target.ts';

export interface ClosedLoopOptions extends Pick<Load, 'connections' | 'headers'> {
  /** Gives every event an idempotency key that begins with this name. */
  keys?: string;
}

/** A load of the target, each connection sending its next request when the previous one has been answered. */
export function closedLoop(target: Target, traffic: Traffic, options: ClosedLoopOptions = {}): Running {
  return { run: (round) => runOnce(target, traffic, round, options), check: () => target.check() };
}

export async function runOnce(
  target: Target,
  traffic: Traffic,
  round: number,
  { keys, ...options }: ClosedLoopOptions = {},
): Promise<Round> {
  const { urls, apiKey, ledger } = target;
  const keyPrefix = keys === undefined ? '' : `${keys}-${round}-`;
  const { sent, ...result } = await runLoad({ urls, apiKey, traffic, ...options, keyPrefix });
  ledger.add(traffic, sent);
  return { units: countUnits(sent, traffic), ...result };
}

export function countUnits(sent: readonly number[], { eventsPerRequest }: Traffic): number {
  return sent.reduce((sum, count) => sum + count, 0) * eventsPerRequest;
}
