import { type Clock, monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { PENDING_EVENTS_MAX } from '../../base/limits.ts';
import type { Span, Tracing } from '../../base/spans.ts';
import { tracing } from '../../base/tracing.ts';
import type { EventRequest } from '../../contract/event.ts';
import { pack } from '../../redis/scripts/codec.ts';
import { decodeOutcomes, type Outcome } from '../../redis/scripts/outcome.ts';
import type { RecordEventsCall, Scripts } from '../../redis/scripts/scripts.ts';
import type { Metric } from '../../rules/config.ts';
import { newEventId, type PreparedEvent, prepareEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { CallerParts } from '../users/settler.ts';
import { CallBudget } from './callBudget.ts';
import type { Attempt, Retries, Undone } from './retries.ts';
import { addEvent, buildCall, groupByUser, packProfile, packTraced } from './scriptCall.ts';

/**
 * Events worth a call of their own, by the number of calls in flight for the tenant; with as many calls in flight as the list has
 * entries, none is sent. While Redis works on one call, the next is gathered and sent. Fewer events wait for a reply: calls of very
 * different sizes leave Redis and the server waiting for each other in turn. Large calls, of imports, go ahead, so that Redis has
 * work while the server reads the next batch.
 */
const EVENTS_WORTH_A_CALL = [1, 40, 100, 100, 100, 100];

/** One event on its way. Exactly one of `done` and `fail` is called. */
export interface EventJob {
  readonly metricKey: string;
  readonly request: EventRequest;
  readonly idempotencyKey: string | null;
  /** `context` of the span of the request, if it is traced. */
  readonly trace?: string | null;
  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void;
  fail(error: unknown): void;
}

interface Pending extends Attempt {
  job: EventJob;
  event: PreparedEvent;
  /** Counts the events of a server. */
  arrival: number;
}

/** The pending events of one tenant, under one of its ids. */
interface Lane {
  rules: Rules;
  pending: Pending[];
  callsInFlight: number;
  scheduled: boolean;
}

/**
 * Gathers the events of one turn of the event loop into one script call, a micro-batch: under load many events share the cost of a
 * command, a reply and a sync to disk, and a lone event waits for nothing. A call has the events of each user in a row, which is
 * cheaper; they stay in order. All events of a call take effect at once, so the order of the users does not matter.
 *
 * States of an event:
 *
 * ```
 *   add ──► pending ──► in a call ──► answered: job.done
 *              ▲            │
 *              │            ├── zone needed ──────────────────────────────┐
 *              │            ├── due ─────────► its user is settled ───────┤
 *              │            └── rules stale ─► prepared by newer rules ───┤
 *              └──────────────────────────────────────────────────────────┘
 * ```
 *
 * - From everywhere an error leads to `job.fail`: the rules refuse the event, Redis fails, or the tries are used up (Retries).
 * - An event that the rules of the lane refuse at `add` is tried once more by newer rules, if there are any.
 * - Pending events are kept in the order of arrival, also after a retry, so that the events of a user stay in order.
 *
 * States of a lane, one for each tenant:
 *
 * - scheduled: it sends at the end of this turn of the event loop;
 * - calling: up to `EVENTS_WORTH_A_CALL.length` calls are in flight; after each reply it sends again, and schedules itself;
 * - waiting: calls of all lanes cost Redis as much as may be under way; it sends when one is answered;
 * - idle: nothing is pending or in flight; the lane is removed.
 */
export class EventQueue {
  readonly #scripts: Scripts;
  readonly #retries: Retries;
  readonly #clock: Clock;
  readonly #lanes = new Map<number, Lane>();
  readonly #budget = new CallBudget();
  /** Lanes that send when the calls under way leave room. */
  readonly #waiting = new Set<Lane>();
  #callsInFlight = 0;
  #size = 0;
  #arrivals = 0;

  constructor({ scripts, retries, clock }: CallerParts & { clock: Clock }) {
    this.#scripts = scripts;
    this.#retries = retries;
    this.#clock = clock;
  }

  /** Events accepted and not yet answered. */
  get size(): number {
    return this.#size;
  }

  /** Tenants that have events on the way. */
  get lanes(): number {
    return this.#lanes.size;
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
    let lane = this.#lanes.get(rules.tenant);
    if (lane === undefined || lane.rules.config.customerId !== rules.config.customerId) {
      lane = { rules, pending: [], callsInFlight: 0, scheduled: false };
      this.#lanes.set(rules.tenant, lane);
    }
    this.#adopt(lane, rules);
    this.#size++;
    try {
      lane.pending.push(this.#begin(lane.rules, job, lane.rules === rules ? prepared : undefined));
      this.#schedule(lane);
    } catch (error) {
      void this.#addWithNewerRules(lane, job, error);
    }
  }

  async #addWithNewerRules(lane: Lane, job: EventJob, refusal: unknown): Promise<void> {
    try {
      this.#adopt(lane, await this.#retries.newerRules(lane.rules, refusal));
      lane.pending.push(this.#begin(lane.rules, job));
      this.#schedule(lane);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  #begin(rules: Rules, job: EventJob, prepared?: PreparedEvent): Pending {
    const event = this.#prepare(rules, job, prepared);
    const { user } = job.request;
    const zone = this.#retries.zoneOf(rules, user.id, user.tz);
    return { userId: user.id, zones: [zone], tries: 0, job, event, arrival: this.#arrivals++ };
  }

  #prepare(rules: Rules, job: EventJob, prepared?: PreparedEvent): PreparedEvent {
    rules.assertServing();
    return prepared ?? prepareEvent(rules, job.metricKey, job.request, job.idempotencyKey, newId);
  }

  /** Sends once everything that this turn of the loop brings is there. */
  #schedule(lane: Lane): void {
    if (lane.scheduled) return;
    lane.scheduled = true;
    setImmediate(() => {
      lane.scheduled = false;
      this.#send(lane);
      const isIdle = lane.pending.length === 0 && lane.callsInFlight === 0;
      if (isIdle && this.#lanes.get(lane.rules.tenant) === lane) this.#lanes.delete(lane.rules.tenant);
    });
  }

  #send(lane: Lane): void {
    while (lane.pending.length >= (EVENTS_WORTH_A_CALL[lane.callsInFlight] ?? Number.POSITIVE_INFINITY)) {
      if (this.#budget.isSpent) {
        this.#waiting.add(lane);
        return;
      }
      const batch = lane.pending.splice(0, this.#budget.count(lane.pending));
      void this.#record(lane, groupByUser(batch));
    }
  }

  #sendWaiting(): void {
    for (const lane of [...this.#waiting]) {
      if (this.#budget.isSpent) return;
      this.#waiting.delete(lane);
      this.#send(lane);
    }
  }

  async #record(lane: Lane, batch: Pending[]): Promise<void> {
    const { rules } = lane;
    const now = this.#clock.now();
    const startedMs = monotonicMs();
    const costUs = this.#budget.begin(batch);
    lane.callsInFlight++;
    this.#callsInFlight++;
    let outcomes: Outcome[] | null = null;
    const span = tracing === null ? null : traceCall(tracing, batch);
    try {
      const reply = await this.#scripts.recordEvents(this.#call(rules, now, batch, span));
      span?.end();
      if (reply === null) await this.#prepareAgain(lane, batch);
      else outcomes = decodeOutcomes(reply);
    } catch (error) {
      span?.end(error);
      for (const pending of batch) this.#fail(pending.job, error);
    } finally {
      this.#budget.note(monotonicMs() - startedMs, this.#callsInFlight);
      this.#budget.end(costUs);
      this.#callsInFlight--;
      lane.callsInFlight--;
    }
    // Redis gets its next call before the answers to this one are written.
    this.#send(lane);
    if (this.#waiting.size > 0) this.#sendWaiting();
    if (outcomes !== null) this.#answer(lane, batch, outcomes, rules, now);
    this.#schedule(lane);
  }

  #call(rules: Rules, now: number, batch: Pending[], span: Span | null): RecordEventsCall {
    const zones = new Set<string>();
    const metrics = new Set<Metric>();
    const events: unknown[] = [];
    const details: unknown[] = [];
    for (const { event, zones: needed } of batch) {
      for (const zone of needed) zones.add(zone);
      metrics.add(event.metric);
      addEvent(events, details, event, newEventId(rules, event, now), packProfile(event.profile));
    }
    const scriptRules = Array.from(metrics, (metric) => rules.scriptRules({ metric }));
    const call = buildCall(rules, now, events, zones, scriptRules);
    return { ...call, details: span === null ? pack(details) : packTraced(details, span) };
  }

  #answer(lane: Lane, batch: Pending[], outcomes: Outcome[], rules: Rules, now: number): void {
    const undone = this.#retries.sort(rules, batch, outcomes, ({ job, event }, outcome) => {
      this.#size--;
      try {
        job.done(outcome, event, rules, now);
      } catch (error) {
        job.fail(error);
      }
    });
    this.#retry(lane, undone.again);
    if (undone.dueUsers.length > 0) void this.#settle(lane, undone, now);
  }

  /** For events that come before the sweep has settled their users. */
  async #settle(lane: Lane, { dueUsers, afterSettling }: Undone<Pending>, now: number): Promise<void> {
    try {
      await this.#retries.settle(lane.rules, dueUsers, now);
      this.#retry(lane, afterSettling);
      this.#schedule(lane);
    } catch (error) {
      for (const { job } of afterSettling) this.#fail(job, error);
    }
  }

  /** Takes newer rules: what is pending is prepared again, and refused if they do not know it any more. */
  #adopt(lane: Lane, rules: Rules): void {
    if (rules.version <= lane.rules.version) return;
    rules.assertSameId(lane.rules);
    lane.rules = rules;
    lane.pending = this.#prepareAll(rules, lane.pending);
  }

  #prepareAll(rules: Rules, batch: Pending[]): Pending[] {
    return batch.filter((pending) => {
      try {
        pending.event = this.#prepare(rules, pending.job);
        return true;
      } catch (error) {
        this.#fail(pending.job, error);
        return false;
      }
    });
  }

  /** The script has seen newer rules. */
  async #prepareAgain(lane: Lane, batch: Pending[]): Promise<void> {
    this.#adopt(lane, await this.#retries.reload(lane.rules));
    this.#retry(lane, this.#prepareAll(lane.rules, batch));
  }

  /** In the order in which they came, so that the events of a user stay in order. */
  #retry(lane: Lane, batch: Pending[]): void {
    if (batch.length === 0) return;
    for (const pending of batch) {
      try {
        this.#retries.countTry(pending);
        lane.pending.push(pending);
      } catch (error) {
        this.#fail(pending.job, error);
      }
    }
    lane.pending.sort((a, b) => a.arrival - b.arrival);
  }

  #fail(job: EventJob, error: unknown): void {
    this.#size--;
    job.fail(error);
  }
}

/** The span of a script call belongs to the trace of its first traced event and is linked to the others. */
function traceCall(traces: Tracing, batch: readonly Pending[]): Span | null {
  const [parent, ...links] = batch.flatMap(({ job }) => (job.trace ? [job.trace] : []));
  if (parent === undefined) return null;
  return traces.begin('recordEvents', { kind: 'client', parent, links, attributes: { 'laurel.events': batch.length } });
}
