import {
  CALL_COST_US_MAX,
  CALL_COST_US_MIN,
  CALL_EVENTS_MAX,
  CALL_SLOW_MS,
  CALLS_COST_US_MAX,
} from '../../base/limits.ts';
import type { PreparedEvent } from '../../rules/prepare.ts';

/** Share of the greatest budget that each quick call gives back. */
const RECOVERY = 0.05;

/**
 * Limits what one script call costs Redis, so that calls of others come between. The costs are estimates (src/rules/cost.ts). If calls
 * take much longer than estimated, the budget is halved; quick calls restore it.
 */
export class CallBudget {
  #costUs = CALL_COST_US_MAX;
  #underWayUs = 0;

  get costUs(): number {
    return this.#costUs;
  }

  /** Number of events, from the first, that fit into one call: at least one. */
  count(events: readonly { event: PreparedEvent }[]): number {
    return countWithin(events.length, (i) => events[i]!.event.costUs, this.#costUs);
  }

  /** Whether new calls must wait for replies. */
  get isSpent(): boolean {
    return this.#underWayUs >= CALLS_COST_US_MAX;
  }

  /** Counts a call as under way. @returns its estimated cost, which `end` takes */
  begin(events: readonly { event: PreparedEvent }[]): number {
    let costUs = 0;
    for (const { event } of events) costUs += event.costUs;
    this.#underWayUs += costUs;
    return costUs;
  }

  end(costUs: number): void {
    this.#underWayUs -= costUs;
  }

  /** @param inFlight calls that shared the time, this one included */
  record(elapsedMs: number, inFlight: number): void {
    if (elapsedMs / inFlight > CALL_SLOW_MS) this.#costUs = Math.max(CALL_COST_US_MIN, this.#costUs / 2);
    else this.#costUs = Math.min(CALL_COST_US_MAX, this.#costUs + RECOVERY * CALL_COST_US_MAX);
  }
}

/** How many of the first items fit into the budget and into one call; one item always does. */
export function countWithin(items: number, costUs: (index: number) => number, budgetUs: number): number {
  let count = 0;
  for (let cost = 0; count < items && count < CALL_EVENTS_MAX; count++) {
    cost += costUs(count);
    if (cost > budgetUs && count > 0) break;
  }
  return count;
}
