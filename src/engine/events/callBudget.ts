import { LRUCache } from 'lru-cache';
import {
  CALL_COST_US_MAX,
  CALL_EVENTS_MAX,
  CALLS_COST_US_MAX,
  TENANT_CALLS_COST_US_MAX,
  TENANT_RULES_MAX,
} from '../../base/limits.ts';
import type { PreparedEvent } from '../../rules/prepare.ts';

/** Calls with a smaller estimate say more about the way to Redis than about the script. */
const MEASURED_US_MIN = 1_000;
/** Weight of the newest measurement in the averages. */
const NEWEST_WEIGHT = 0.2;
/** Greatest quotient of measured and estimated cost. */
const RATIO_MAX = 10;

/**
 * Events worth a call of their own, by the number of calls in flight for the tenant; with as many calls in
 * flight as the list has entries, none is sent. While Redis works on one call, the next batch is collected
 * and sent. Fewer events wait for a reply: calls of very different sizes leave Redis and the server waiting
 * for each other in turn. Large calls, of imports, go ahead, so that Redis has work while the server reads
 * the next batch.
 */
const EVENTS_WORTH_A_CALL = [1, 40, 100, 100, 100, 100];

/** A script call under way. */
export interface Call {
  tenant: number;
  /** Estimated by the rules, in microseconds. */
  estimatedUs: number;
  /** The estimate, corrected by what earlier calls of the tenant took. */
  costUs: number;
  startedMs: number;
}

/**
 * Limits what script calls cost Redis, so that calls of others come between. The estimates
 * (src/rules/cost.ts) are corrected by the duration of earlier calls. Redis works on the calls of a server
 * one after the other. So a call takes Redis the time between its reply and the reply before, or since it was
 * sent if that is later.
 */
export class CallBudget {
  /** Quotient of measured and estimated cost, by tenant. */
  readonly #ratios = new LRUCache<number, number>({ max: TENANT_RULES_MAX });
  /** Time of a call that costs Redis nearly nothing. */
  #overheadMs = 0;
  #repliedMs = 0;
  #underWayUs = 0;

  /** Number of the first events that one call of the tenant may have: at least one of those given. */
  count(tenant: number, events: readonly { event: PreparedEvent }[]): number {
    const ratio = this.#ratioOf(tenant);
    return countWithin(events.length, (i) => events[i]!.event.costUs * ratio, CALL_COST_US_MAX);
  }

  /** Whether new calls must wait for replies. */
  get isSpent(): boolean {
    return this.#underWayUs >= CALLS_COST_US_MAX;
  }

  /** @param nowMs monotonic */
  begin(tenant: number, events: readonly { event: PreparedEvent }[], nowMs: number): Call {
    let estimatedUs = 0;
    for (const { event } of events) estimatedUs += event.costUs;
    const costUs = estimatedUs * this.#ratioOf(tenant);
    this.#underWayUs += costUs;
    return { tenant, estimatedUs, costUs, startedMs: nowMs };
  }

  /** @param nowMs monotonic */
  end({ tenant, estimatedUs, costUs, startedMs }: Call, nowMs: number): void {
    this.#underWayUs -= costUs;
    const tookMs = nowMs - Math.max(startedMs, this.#repliedMs);
    this.#repliedMs = nowMs;
    if (estimatedUs < MEASURED_US_MIN) {
      this.#overheadMs = average(this.#overheadMs, tookMs);
      return;
    }
    const measuredUs = 1_000 * (tookMs - this.#overheadMs);
    const ratio = average(this.#ratioOf(tenant), measuredUs / estimatedUs);
    this.#ratios.set(tenant, Math.max(1, Math.min(RATIO_MAX, ratio)));
  }

  #ratioOf(tenant: number): number {
    return this.#ratios.get(tenant) ?? 1;
  }
}

const average = (before: number, newest: number): number => before + NEWEST_WEIGHT * (newest - before);

/** How many of the first items fit into the budget and into one call; one item always does. */
export function countWithin(items: number, costUs: (index: number) => number, budgetUs: number): number {
  let count = 0;
  for (let cost = 0; count < items && count < CALL_EVENTS_MAX; count++) {
    cost += costUs(count);
    if (cost > budgetUs && count > 0) break;
  }
  return count;
}

/** Whether that many waiting events of a tenant are worth one more call beside those in flight. */
export function mayCall(events: number, inFlight: { callsInFlight: number; costUs: number }): boolean {
  const { callsInFlight, costUs } = inFlight;
  const worth = EVENTS_WORTH_A_CALL[callsInFlight] ?? Number.POSITIVE_INFINITY;
  return events >= worth && (callsInFlight === 0 || costUs + CALL_COST_US_MAX <= TENANT_CALLS_COST_US_MAX);
}
