import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
/** Every wait of the tests: long, because a slow machine is not a failure. */
export const WAIT_MS = 60_000;

/**
 * Polls until `check` returns something truthy and returns that. A check that throws (an `expect`, a refused
 * connection) counts as "not yet".
 * @throws Error after `ms`, whose message says what the last check threw
 */
export async function until<T>(check: () => T | Promise<T>, ms = WAIT_MS): Promise<T> {
  const deadlineMs = performance.now() + ms;
  for (;;) {
    let cause: unknown;
    try {
      const result = await check();
      if (result) return result;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadlineMs) {
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`waited ${ms} ms in vain${reason}`, { cause });
    }
    await sleep(POLL_MS);
  }
}
