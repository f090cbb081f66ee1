import { LRUCache } from 'lru-cache';
import {
  CALL_COST_US_MAX,
  CALL_EVENTS_MAX,
  CALLS_COST_US_MAX,
  TENANT_CALLS_COST_US_MAX,
  TENANT_RULES_MAX,
} from '../../base/limits.ts';
import type { Lane } from './cellQueue.ts';

/**
 * Calls with a smaller estimate say more about the way to Redis than about the script: they may only show
 * that it costs less than assumed.
 */
const MEASURED_US_MIN = 1_000;
/**
 * Weight of the newest measurement in the average: of one below it, and of one above it. A call takes longer
 * than its script when Redis waits for a processor, and never less. If that raised the average soon, a busy
 * machine would get smaller calls, and so more work.
 */
const NEWEST_WEIGHT = { lower: 0.2, higher: 0.02 };
/** Greatest quotient of measured and estimated cost. */
const RATIO_MAX = 10;
/** Share of the time of a call in which the server waited, if the time was that of Redis. */
const WAITED_SHARE_MIN = 0.1;

/**
 * Events worth a call of their own, by the number of calls in flight for the lane; with as many calls in
 * flight as the list has entries, none is sent. While Redis works on one call, the next batch is collected
 * and sent. Fewer events wait for a reply: calls of very different sizes leave Redis and the server waiting
 * for each other in turn. Large calls, of imports, go ahead, so that Redis has work while the server reads
 * the next batch.
 */
const EVENTS_WORTH_A_CALL = [1, 40, 100, 100, 100, 100];

/** The next call of a lane. */
export interface PlannedCall {
  /** Number of its events: the first ones that are ready. */
  events: number;
  /** Estimated by the rules, in microseconds. */
  estimatedUs: number;
  /** The estimate, corrected by what earlier calls of the lane took. */
  costUs: number;
}

/** A script call under way. */
export interface Call extends PlannedCall {
  lane: Lane;
  startedMs: number;
  /** Time that the server had waited when it sent the call. */
  idleMs: number;
}

/**
 * Limits what script calls cost Redis, so that calls of others come between. The estimates
 * (src/rules/cost.ts) are corrected by the duration of earlier calls. Redis works on the calls of a server
 * one after the other. So a call takes Redis the time between its reply and the reply before, or since it was
 * sent if that is later. A server that did not wait in this time may have read the reply late: then Redis
 * took less.
 */
export class CallBudget {
  /** Quotient of measured and estimated cost, by lane. */
  readonly #ratios = new LRUCache<string, number>({ max: 2 * TENANT_RULES_MAX });
  #replied = { atMs: 0, idleMs: 0 };
  #underWayUs = 0;

  /** Plans the next call of a lane; null if it must wait for replies or for further events. */
  plan(lane: Lane): PlannedCall | null {
    const { callsInFlight } = lane;
    const worthACall = EVENTS_WORTH_A_CALL[callsInFlight] ?? Infinity;
    const ready = lane.pending.length < worthACall ? lane.pending : lane.ready;
    if (ready.length < worthACall) return null;
    const ratio = this.#ratioOf(lane);
    const events = countWithin(ready.length, (i) => ready[i]!.event.costUs * ratio, CALL_COST_US_MAX);
    let estimatedUs = 0;
    for (let i = 0; i < events; i++) estimatedUs += ready[i]!.event.costUs;
    const costUs = estimatedUs * ratio;
    const costUsMax = TENANT_CALLS_COST_US_MAX / (lane.queue.shares(lane) ? 2 : 1);
    if (callsInFlight > 0 && lane.costUs + costUs > costUsMax) return null;
    return { events, estimatedUs, costUs };
  }

  /** Whether new calls must wait for replies. */
  get isSpent(): boolean {
    return this.#underWayUs >= CALLS_COST_US_MAX;
  }

  /**
   * @param nowMs monotonic
   * @param idleMs time that the server has waited since it started
   */
  begin(lane: Lane, planned: PlannedCall, nowMs: number, idleMs: number): Call {
    this.#underWayUs += planned.costUs;
    lane.callsInFlight++;
    lane.costUs += planned.costUs;
    return { ...planned, lane, startedMs: nowMs, idleMs };
  }

  end({ lane, estimatedUs, costUs, ...started }: Call, nowMs: number, idleMs: number): void {
    this.#underWayUs -= costUs;
    lane.callsInFlight--;
    lane.costUs -= costUs;
    const tookMs = nowMs - Math.max(started.startedMs, this.#replied.atMs);
    const waitedMs = idleMs - Math.max(started.idleMs, this.#replied.idleMs);
    this.#replied = { atMs: nowMs, idleMs };
    const measured = (1_000 * tookMs) / estimatedUs;
    const known = this.#ratioOf(lane);
    const mayBeHigher = estimatedUs >= MEASURED_US_MIN && waitedMs >= WAITED_SHARE_MIN * tookMs;
    if (measured > known && !mayBeHigher) return;
    const weight = measured < known ? NEWEST_WEIGHT.lower : NEWEST_WEIGHT.higher;
    const ratio = known + weight * (measured - known);
    this.#ratios.set(lane.id, Math.max(1, Math.min(RATIO_MAX, ratio)));
  }

  #ratioOf({ id }: Lane): number {
    return this.#ratios.get(id) ?? 1;
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
