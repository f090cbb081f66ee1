import { WEBHOOK_AT_ONCE, WEBHOOK_FAILING_AT_ONCE } from '../base/limits.ts';

/** Consecutive failures after which a webhook gets fewer places. */
const FAILING_AFTER = 3;
/** Most deliveries of a webhook that wait for a place; further ones are left to the schedule. */
const DEFERRED_MAX = 500;
const FAILING_DEFERRED_MAX = 10;
const WAIT_MS_MIN = 50;
const WAIT_MS_MAX = 30_000;
/** Weight of the latest duration in the mean. */
const SMOOTHING = 0.2;

interface Endpoint {
  active: number;
  /** Approximate number of deferred deliveries. */
  deferred: number;
  meanMs: number;
  failures: number;
}

/**
 * Limits the concurrent deliveries to each webhook in this process, so that a slow receiver cannot take all places of the queue.
 */
export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();

  /**
   * Takes a place.
   * @param wasDeferred whether this delivery has waited before
   * @returns true if it got a place; else how long to wait (ms), or null if too many deliveries are waiting
   */
  take(webhook: string, wasDeferred: boolean): true | number | null {
    let endpoint = this.#endpoints.get(webhook);
    if (endpoint === undefined) {
      endpoint = { active: 0, deferred: 0, meanMs: WAIT_MS_MIN, failures: 0 };
      this.#endpoints.set(webhook, endpoint);
    }
    if (wasDeferred && endpoint.deferred > 0) endpoint.deferred--;
    const isFailing = endpoint.failures >= FAILING_AFTER;
    const places = isFailing ? WEBHOOK_FAILING_AT_ONCE : WEBHOOK_AT_ONCE;
    if (endpoint.active < places) {
      endpoint.active++;
      return true;
    }
    if (endpoint.deferred >= (isFailing ? FAILING_DEFERRED_MAX : DEFERRED_MAX)) return null;
    endpoint.deferred++;
    const turns = Math.ceil(endpoint.deferred / places);
    return Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, turns * endpoint.meanMs));
  }

  /** Releases a place. @param durationMs duration of the attempt */
  release(webhook: string, durationMs: number, hasFailed: boolean): void {
    const endpoint = this.#endpoints.get(webhook);
    if (endpoint === undefined) return;
    endpoint.active--;
    endpoint.meanMs += SMOOTHING * (durationMs - endpoint.meanMs);
    endpoint.failures = hasFailed ? endpoint.failures + 1 : 0;
    // This also resets the count of deferred deliveries, which other workers may have taken.
    if (endpoint.active === 0 && endpoint.failures === 0) this.#endpoints.delete(webhook);
  }
}
