import { cellOf } from '../../base/cells.ts';
import { type Clock, idleMs, monotonicMs } from '../../base/clock.ts';
import { EndOfTurn } from '../../base/endOfTurn.ts';
import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { PENDING_EVENTS_MAX } from '../../base/limits.ts';
import type { Tracing } from '../../base/spans.ts';
import { decodeOutcomes } from '../../redis/decoding/decodeOutcomes.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { EventLatencyReporter } from '../../redis/state/eventLatency.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf, prepareSent } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { CallBudget, type PlannedCall } from '../calls/callBudget.ts';
import { CellQueue, type EventJob, type Lane, type Pending } from '../calls/cellQueue.ts';
import { type KeyUses, keyedEvents } from '../calls/keyUses.ts';
import { answerJob, outcomesOf } from '../calls/metricsOutcomes.ts';
import type { Undone } from '../calls/retries.ts';
import { buildEventsCall, groupByUser, traceCall } from '../calls/scriptCall.ts';
import type { ScriptCallDependencies } from '../calls/settler.ts';
import type { EventRanks, SentCall } from '../ranks/eventRanks.ts';

export interface EventQueueDependencies extends ScriptCallDependencies {
  clock: Clock;
  tracing: Tracing | null;
  latency: EventLatencyReporter;
  keyUses: KeyUses;
  ranks: EventRanks;
}

/**
 * Batches the events of one turn of the event loop into one script call, a micro-batch: under load many
 * events share the cost of a command, a reply and a sync to disk, and a lone event waits for nothing. A call
 * has the events of each user in a row, which is cheaper; they stay in order. All events of a call take
 * effect at once, so the order of the users does not matter.
 *
 * States of an event:
 *
 * ```
 *   add ──► pending ──► in a call ──► answered: job.done
 *              ▲            │
 *              │            ├── zone needed ──────────────────────────────┐
 *              │            ├── due ─────────► its user is settled ───────┤
 *              │            ├── key unknown ─► PostgreSQL is asked ───────┤
 *              │            └── rules stale ─► prepared by newer rules ───┤
 *              └──────────────────────────────────────────────────────────┘
 * ```
 *
 * - From everywhere an error leads to `job.fail`: the rules refuse the event, Redis fails, or the tries are
 *   used up (Retries).
 * - An event that the rules of the queue refuse at `add` is tried once more by newer rules, if there are any.
 * - Pending events are kept in the order of arrival, also after a retry, and no call takes an event of a user
 *   while earlier ones are away, which may come back. So the events of a user stay in order.
 *
 * States of a lane of a tenant in a cell (CellQueue):
 *
 * - scheduled: it sends at the end of this turn of the event loop;
 * - calling: up to `EVENTS_WORTH_A_CALL.length` calls are in flight, which cost Redis at most
 *   `TENANT_CALLS_COST_US_MAX`; after each reply it sends again, and schedules itself;
 * - waiting: calls of all tenants cost Redis as much as may be under way; the waiting lanes send one call
 *   each in turn as others are answered;
 * - idle: nothing is pending or in flight. When all events of the tenant are answered, its queue is removed.
 */
export class EventQueue {
  readonly #deps: EventQueueDependencies;
  /** By tenant and cell (#keyOf). */
  readonly #queues = new Map<number, CellQueue>();
  readonly #budget = new CallBudget();
  /** One after the other, so that calls to the same node are written together. */
  readonly #sending = new EndOfTurn<CellQueue>((queue) => this.#sendAll(queue));
  /** Lanes that send when the calls under way leave room. */
  readonly #waiting = new Set<Lane>();
  #size = 0;
  #arrivals = 0;

  constructor(deps: EventQueueDependencies) {
    this.#deps = deps;
  }

  /** Events accepted and not yet answered. */
  get size(): number {
    return this.#size;
  }

  /** Tenants that have events on the way. */
  get tenants(): number {
    return new Set(Array.from(this.#queues.values(), ({ rules }) => rules.tenant)).size;
  }

  /**
   * Takes an event; it is answered through the job, `unavailable` when too many are waiting.
   * @param prepared the event, when it has been prepared under these rules already
   */
  add(rules: Rules, job: EventJob, prepared?: PreparedEvent): void {
    if (this.#size >= PENDING_EVENTS_MAX) {
      job.fail(new ServiceError('unavailable', 'Too many events are waiting'));
      return;
    }
    const cell = cellOf(rules.tenant, job.request.user.id, this.#deps.cells);
    const key = this.#keyOf(rules.tenant, cell);
    let queue = this.#queues.get(key);
    if (queue === undefined || queue.rules.config.customerId !== rules.config.customerId) {
      queue = new CellQueue(rules, cell);
      this.#queues.set(key, queue);
    }
    this.#adopt(queue, rules);
    this.#size++;
    queue.unanswered++;
    try {
      queue.add(this.#begin(queue.rules, job, queue.rules === rules ? prepared : undefined));
      this.#sending.add(queue);
    } catch (error) {
      void this.#addWithNewerRules(queue, job, error);
    }
  }

  #keyOf(tenant: number, cell: number): number {
    return tenant * this.#deps.cells.count + cell;
  }

  async #addWithNewerRules(queue: CellQueue, job: EventJob, refusal: unknown): Promise<void> {
    try {
      this.#adopt(queue, await this.#deps.retries.newerRules(queue.rules, refusal));
      queue.add(this.#begin(queue.rules, job));
      this.#sending.add(queue);
    } catch (error) {
      this.#leave(queue);
      job.fail(error);
    }
  }

  #begin(rules: Rules, job: EventJob, prepared?: PreparedEvent): Pending {
    const event = this.#prepare(rules, job, prepared);
    const { user } = job.request;
    const zone = this.#deps.retries.zoneOf(rules, user.id, user.tz);
    return {
      userId: user.id,
      zones: [zone],
      tries: 0,
      job,
      event,
      keyUses: null,
      arrival: this.#arrivals++,
      lane: null,
      isAway: false,
    };
  }

  #prepare(rules: Rules, job: EventJob, prepared?: PreparedEvent): PreparedEvent {
    rules.assertServing();
    return prepared ?? prepareSent(rules, job, newId);
  }

  #sendAll(queue: CellQueue): void {
    for (const lane of queue.lanes) this.#send(lane);
    const key = this.#keyOf(queue.rules.tenant, queue.cell);
    if (queue.unanswered === 0 && this.#queues.get(key) === queue) this.#queues.delete(key);
  }

  #send(lane: Lane): void {
    for (let call = this.#budget.plan(lane); call !== null; call = this.#budget.plan(lane)) {
      if (this.#budget.isSpent) {
        this.#waiting.add(lane);
        return;
      }
      this.#sendCall(lane, call);
    }
  }

  #sendCall(lane: Lane, call: PlannedCall): void {
    void this.#record(lane, call, groupByUser(lane.take(call.events)));
  }

  /** One call of each waiting lane in turn. A lane that may send another call waits behind the others. */
  #sendWaiting(): void {
    for (const lane of this.#waiting) {
      if (this.#budget.isSpent) return;
      this.#waiting.delete(lane);
      const call = this.#budget.plan(lane);
      if (call === null) continue;
      this.#sendCall(lane, call);
      if (this.#budget.plan(lane) !== null) this.#waiting.add(lane);
    }
  }

  async #record(lane: Lane, planned: PlannedCall, batch: Pending[]): Promise<void> {
    const { queue } = lane;
    const { rules } = queue;
    const now = this.#deps.clock.now();
    const call = this.#budget.begin(lane, planned, monotonicMs(), idleMs());
    let outcomes: Outcome[] | null = null;
    const span = this.#deps.tracing === null ? null : traceCall(this.#deps.tracing, batch);
    try {
      const reply = await this.#deps.scripts.recordEvents({
        ...buildEventsCall(rules, queue.cell, now, batch, span),
        rankFloors: this.#deps.ranks.floorsOf(rules),
      });
      span?.end();
      if (reply === null) await this.#prepareAgain(queue, batch);
      else outcomes = decodeOutcomes(reply);
    } catch (error) {
      span?.end(error);
      for (const pending of batch) this.#fail(queue, pending, error);
    } finally {
      const nowMs = monotonicMs();
      this.#budget.end(call, nowMs, idleMs());
      this.#deps.latency.add(nowMs - call.startedMs, nowMs);
    }
    // Redis gets its next call before the answers to this one are written.
    this.#waiting.add(lane);
    this.#sendWaiting();
    const made = { rules, cell: queue.cell, sentMs: call.startedMs };
    if (outcomes !== null) this.#answer(queue, batch, outcomes, made, now);
    this.#sending.add(queue);
  }

  #answer(queue: CellQueue, batch: Pending[], outcomes: Outcome[], call: SentCall, now: number): void {
    this.#deps.ranks.apply(call, outcomes);
    const ofEach = outcomesOf(batch, outcomes);
    const undone = this.#deps.retries.sort(call.rules, batch, ofEach, (pending, outcome) => {
      this.#leave(queue, pending);
      const merging = this.#deps.ranks.mergeAnswer(call, outcome);
      if (merging === null) answerJob(pending, outcome, call.rules, now);
      else void merging.then(() => answerJob(pending, outcome, call.rules, now));
    });
    this.#retry(queue, undone.again);
    if (undone.dueUsers.length > 0) void this.#settle(queue, undone, now);
    if (undone.afterAsking.length > 0) void this.#ask(queue, undone.afterAsking);
  }

  /** For events whose idempotency keys may have been used, as far as Redis knows. */
  async #ask(queue: CellQueue, batch: Pending[]): Promise<void> {
    const asked = batch.filter(({ job }) => job.idempotencyKey !== null);
    try {
      const events = asked.flatMap(keyedEvents);
      const uses = await this.#deps.keyUses.find(queue.rules, events);
      for (const pending of asked) pending.keyUses = uses.splice(0, eventsOf(pending.event).length);
      this.#retry(queue, batch);
    } catch (error) {
      for (const pending of batch) this.#fail(queue, pending, error);
    }
    this.#sending.add(queue);
  }

  /** For events that come before the sweep has settled their users. */
  async #settle(queue: CellQueue, { dueUsers, afterSettling }: Undone<Pending>, now: number): Promise<void> {
    try {
      await this.#deps.retries.settle(queue.rules, dueUsers, now);
      this.#retry(queue, afterSettling);
    } catch (error) {
      for (const pending of afterSettling) this.#fail(queue, pending, error);
    }
    this.#sending.add(queue);
  }

  /** Adopts newer rules: prepares the pending events again, and fails those that the newer rules refuse. */
  #adopt(queue: CellQueue, rules: Rules): void {
    if (rules.version <= queue.rules.version) return;
    rules.assertSameId(queue.rules);
    queue.rules = rules;
    for (const lane of queue.lanes) lane.pending = this.#prepareAll(queue, lane.pending);
  }

  #prepareAll(queue: CellQueue, batch: Pending[]): Pending[] {
    return batch.filter((pending) => {
      try {
        pending.event = this.#prepare(queue.rules, pending.job);
        return true;
      } catch (error) {
        this.#fail(queue, pending, error);
        return false;
      }
    });
  }

  /** The script has seen newer rules. */
  async #prepareAgain(queue: CellQueue, batch: Pending[]): Promise<void> {
    this.#adopt(queue, await this.#deps.retries.reload(queue.rules));
    this.#retry(queue, this.#prepareAll(queue, batch));
  }

  #retry(queue: CellQueue, batch: Pending[]): void {
    const again = batch.filter((pending) => {
      try {
        this.#deps.retries.countTry(pending);
        return true;
      } catch (error) {
        this.#fail(queue, pending, error);
        return false;
      }
    });
    if (again.length > 0) queue.addAgain(again);
  }

  #fail(queue: CellQueue, pending: Pending, error: unknown): void {
    this.#leave(queue, pending);
    pending.job.fail(error);
  }

  /** @param pending null for an event that was refused before it was in a lane */
  #leave(queue: CellQueue, pending: Pending | null = null): void {
    this.#size--;
    queue.unanswered--;
    if (pending !== null) queue.forget(pending);
    if (queue.unanswered === 0) this.#sending.add(queue);
  }
}
