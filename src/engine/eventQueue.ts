import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { CALL_EVENTS_MAX, PENDING_EVENTS_MAX } from '../base/limits.ts';
import type { EventRequest } from '../contract/event.ts';
import { pack } from '../redis/codec.ts';
import { decodeOutcomes, type Outcome } from '../redis/outcome.ts';
import type { RecordEventsCall, Scripts } from '../redis/scripts.ts';
import type { Metric } from '../rules/config.ts';
import { type PreparedEvent, prepareEvent } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import type { RulesStore } from './rulesStore.ts';
import { buildCall, CALL_TRIES_MAX, packProfile, stillChanging } from './scriptCall.ts';
import type { CallerParts, DueUser, Settler } from './settler.ts';
import type { RememberedZones } from './zones.ts';

/**
 * Events worth a call of their own, by the number of calls that are under way for the tenant: while Redis works on one, the next
 * is gathered and sent. Fewer wait for a reply: calls of very different sizes leave Redis and the server waiting for each other
 * in turn. Large ones, of imports, go ahead, so that Redis has work while the server reads the next batch.
 */
const EVENTS_WORTH_A_CALL = [1, 40, 100, 100, 100, 100];

/** One event on its way. The queue fills in what follows from the rules; exactly one of `done` and `fail` is called. */
export interface EventJob {
  readonly metricKey: string;
  readonly request: EventRequest;
  readonly idempotencyKey: string | null;
  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void;
  fail(error: unknown): void;
}

interface Pending {
  job: EventJob;
  event: PreparedEvent;
  /** Calendars that the script needs. */
  zones: string[];
  tries: number;
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
 * Gathers the events of one turn of the event loop into one script call, a micro-batch: under load the cost of a command,
 * a reply and a sync to disk is shared by many events, and a lone event waits for nothing.
 */
export class EventQueue {
  readonly #scripts: Scripts;
  readonly #store: RulesStore;
  readonly #settler: Settler;
  readonly #zones: RememberedZones;
  readonly #clock: Clock;
  readonly #shards: number;
  readonly #lanes = new Map<number, Lane>();
  #size = 0;
  #arrivals = 0;

  constructor(options: CallerParts) {
    this.#scripts = options.scripts;
    this.#store = options.store;
    this.#settler = options.settler;
    this.#zones = options.zones;
    this.#clock = options.clock;
    this.#shards = options.shards;
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
      lane.pending.push(this.#prepare(lane.rules, job, lane.rules === rules ? prepared : undefined));
      this.#schedule(lane);
    } catch (error) {
      void this.#refuse(lane, job, error);
    }
  }

  /** What these rules refuse, newer ones may know: another server may just have been told of them. */
  async #refuse(lane: Lane, job: EventJob, refusal: unknown): Promise<void> {
    try {
      const rules = await this.#store.loadNewer(lane.rules);
      if (rules === null) throw refusal;
      this.#adopt(lane, rules);
      lane.pending.push(this.#prepare(lane.rules, job));
      this.#schedule(lane);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  #prepare(rules: Rules, job: EventJob, prepared?: PreparedEvent): Pending {
    rules.assertServing();
    const event = prepared ?? prepareEvent(rules, this.#shards, job.metricKey, job.request, job.idempotencyKey);
    const { user } = job.request;
    const zone = user.tz ?? this.#zones.get(rules.tenant, user.id) ?? rules.config.settings.defaultTimeZone;
    return { job, event, zones: [zone], tries: 0, arrival: this.#arrivals++ };
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
    // With all of them under way, none is: no number is at least undefined.
    while (lane.pending.length >= EVENTS_WORTH_A_CALL[lane.callsInFlight]!) {
      void this.#record(lane, lane.pending.splice(0, CALL_EVENTS_MAX));
    }
  }

  async #record(lane: Lane, batch: Pending[]): Promise<void> {
    const { rules } = lane;
    const now = this.#clock.now();
    lane.callsInFlight++;
    let outcomes: Outcome[] | null = null;
    try {
      const reply = await this.#scripts.recordEvents(this.#call(rules, now, batch));
      if (reply === null) await this.#prepareAgain(lane, batch);
      else outcomes = decodeOutcomes(reply);
    } catch (error) {
      for (const pending of batch) this.#fail(pending.job, error);
    } finally {
      lane.callsInFlight--;
    }
    // Redis gets its next call before the answers to this one are written.
    this.#send(lane);
    if (outcomes !== null) this.#answer(lane, batch, outcomes, rules, now);
    this.#schedule(lane);
  }

  #call(rules: Rules, now: number, batch: Pending[]): RecordEventsCall {
    const zones = new Set<string>();
    const metrics = new Set<Metric>();
    const events: unknown[] = [];
    const details: unknown[] = [];
    for (const { event, zones: needed } of batch) {
      for (const zone of needed) zones.add(zone);
      metrics.add(event.metric);
      const profile = packProfile(event.profile);
      events.push(event.shard, event.userId, event.metric.no, event.value, event.control);
      events.push(event.fingerprint, profile.hash, event.attributes);
      details.push(event.eventId, profile.json);
    }
    const scriptRules = Array.from(metrics, (metric) => rules.scriptRules({ metric }));
    const call = buildCall(rules, now, batch[0]!.event.shard, events, zones, scriptRules);
    return { ...call, details: pack(details) };
  }

  #answer(lane: Lane, batch: Pending[], outcomes: Outcome[], rules: Rules, now: number): void {
    const again: Pending[] = [];
    const afterSettling: Pending[] = [];
    const dueUsers: DueUser[] = [];
    for (let i = 0; i < batch.length; i++) {
      const pending = batch[i]!;
      const outcome = outcomes[i]!;
      if (outcome.status === 'zoneNeeded') {
        this.#zones.set(rules.tenant, pending.event.userId, outcome.zone);
        pending.zones.push(outcome.zone);
        again.push(pending);
      } else if (outcome.status === 'due') {
        afterSettling.push(pending);
        dueUsers.push({ userId: pending.event.userId, due: outcome.at });
      } else {
        this.#size--;
        try {
          pending.job.done(outcome, pending.event, rules, now);
        } catch (error) {
          pending.job.fail(error);
        }
      }
    }
    this.#retry(lane, again);
    if (dueUsers.length > 0) void this.#settle(lane, dueUsers, now, afterSettling);
  }

  /** What the sweep has not come to yet. */
  async #settle(lane: Lane, users: DueUser[], now: number, batch: Pending[]): Promise<void> {
    try {
      await this.#settler.settle(lane.rules, users, now);
      this.#retry(lane, batch);
      this.#schedule(lane);
    } catch (error) {
      for (const pending of batch) this.#fail(pending.job, error);
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
        pending.event = this.#prepare(rules, pending.job).event;
        return true;
      } catch (error) {
        this.#fail(pending.job, error);
        return false;
      }
    });
  }

  /** The script has seen newer rules. */
  async #prepareAgain(lane: Lane, batch: Pending[]): Promise<void> {
    this.#adopt(lane, await this.#store.load(lane.rules.tenant));
    this.#retry(lane, this.#prepareAll(lane.rules, batch));
  }

  /** In the order in which they came, so that the events of a user stay in order. */
  #retry(lane: Lane, batch: Pending[]): void {
    if (batch.length === 0) return;
    for (const pending of batch) {
      pending.tries++;
      if (pending.tries < CALL_TRIES_MAX) lane.pending.push(pending);
      else this.#fail(pending.job, stillChanging());
    }
    lane.pending.sort((a, b) => a.arrival - b.arrival);
  }

  #fail(job: EventJob, error: unknown): void {
    this.#size--;
    job.fail(error);
  }
}
