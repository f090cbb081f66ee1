import { EXPENSIVE_EVENT_US_MIN } from '../../base/limits.ts';
import type { Outcome, RecordedEvent } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { SentEvent } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { ScriptAttempt } from './retries.ts';
import type { EventOfCall } from './scriptCall.ts';

/** The event of one metric that an outcome is about, and the outcome. */
export interface RecordedMetric {
  outcome: RecordedEvent;
  event: PreparedEvent;
}

/** One event on its way. Exactly one of `done`, `doneAll` and `fail` is called. */
export interface EventJob extends SentEvent {
  /** `context` of the span of the request, if it is traced. */
  readonly trace?: string | null;
  /** @param event of an event that counts for several metrics and is refused: the one that refuses it */
  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void;
  /** All events of an event that counts for several metrics are recorded. */
  doneAll?(recorded: readonly RecordedMetric[], rules: Rules, now: number): void;
  fail(error: unknown): void;
}

/** An event that waits for a script call or is in one. */
export interface Pending extends ScriptAttempt, EventOfCall {
  job: EventJob;
  /** Counts the events of a server. */
  arrival: number;
  /** null if it came before the first expensive event of its tenant; it is then in the cheap lane. */
  lane: Lane | null;
  /** Whether it has been sent and is neither answered nor pending again. */
  isAway: boolean;
}

/** Events that wait for each other, and their calls in flight. */
export class Lane {
  readonly queue: CellQueue;
  /** Tells the lanes of all tenants apart. */
  readonly id: string;
  pending: Pending[] = [];
  callsInFlight = 0;
  /** Cost of the calls in flight. */
  costUs = 0;
  /** Number of the events of each user that are away. */
  readonly #away = new Map<string, number>();

  constructor(queue: CellQueue, id: string) {
    this.queue = queue;
    this.id = id;
  }

  get isIdle(): boolean {
    return this.pending.length === 0 && this.callsInFlight === 0;
  }

  /** Whether an event of the user would overtake an earlier one, which may have to be sent again. */
  hasAway(userId: string): boolean {
    return this.#away.has(userId);
  }

  /** The pending events that overtake none. */
  get ready(): Pending[] {
    if (this.#away.size === 0) return this.pending;
    return this.pending.filter(({ userId }) => !this.#away.has(userId));
  }

  /** Takes the first ready events, to send them. */
  take(count: number): Pending[] {
    const batch = this.ready.slice(0, count);
    for (const pending of batch) {
      pending.isAway = true;
      this.#away.set(pending.userId, (this.#away.get(pending.userId) ?? 0) + 1);
    }
    this.pending = this.pending.filter(({ isAway }) => !isAway);
    return batch;
  }

  /** An event has been answered, or is pending again. */
  comeBack(pending: Pending): void {
    if (!pending.isAway) return;
    pending.isAway = false;
    const others = this.#away.get(pending.userId)! - 1;
    if (others === 0) this.#away.delete(pending.userId);
    else this.#away.set(pending.userId, others);
  }
}

/**
 * The unanswered events of one tenant, under one of its ids, in one of its cells. There are two lanes, which
 * send in turn, so that events that cost Redis much do not delay the others. All unanswered events of a user
 * are in one lane, in the order of arrival.
 */
export class CellQueue {
  readonly cell: number;
  rules: Rules;
  readonly cheap: Lane;
  readonly expensive: Lane;
  unanswered = 0;
  /** The lane of each user with unanswered events; null until the first expensive event. */
  #users: Map<string, { lane: Lane; unanswered: number }> | null = null;

  constructor(rules: Rules, cell: number) {
    this.rules = rules;
    this.cell = cell;
    this.cheap = new Lane(this, `${rules.tenant}:${cell}:cheap`);
    this.expensive = new Lane(this, `${rules.tenant}:${cell}:expensive`);
  }

  get lanes(): Lane[] {
    return [this.cheap, this.expensive];
  }

  /** Whether the other lane has events. */
  shares(lane: Lane): boolean {
    return !(lane === this.cheap ? this.expensive : this.cheap).isIdle;
  }

  /** Takes an event that has been prepared. */
  add(pending: Pending): void {
    const isExpensive = pending.event.costUs >= EXPENSIVE_EVENT_US_MIN;
    if (isExpensive && this.#users === null) this.#chooseLanes();
    if (this.#users !== null) this.#choose(pending, isExpensive ? this.expensive : this.cheap);
    (pending.lane ?? this.cheap).pending.push(pending);
  }

  /** Takes events again, in the order in which they came, so that the events of a user stay in order. */
  addAgain(batch: readonly Pending[]): void {
    for (const pending of batch) {
      const lane = pending.lane ?? this.cheap;
      lane.comeBack(pending);
      lane.pending.push(pending);
    }
    for (const lane of this.lanes) lane.pending.sort((a, b) => a.arrival - b.arrival);
  }

  /** An event has been answered. */
  forget(pending: Pending): void {
    const { userId, lane } = pending;
    (lane ?? this.cheap).comeBack(pending);
    if (lane === null) return;
    const user = this.#users!.get(userId)!;
    user.unanswered--;
    if (user.unanswered === 0) this.#users!.delete(userId);
  }

  #chooseLanes(): void {
    this.#users = new Map();
    for (const pending of this.cheap.pending) this.#choose(pending, this.cheap);
  }

  #choose(pending: Pending, byCost: Lane): void {
    let user = this.#users!.get(pending.userId);
    if (user === undefined) {
      user = { lane: this.cheap.hasAway(pending.userId) ? this.cheap : byCost, unanswered: 0 };
      this.#users!.set(pending.userId, user);
    }
    user.unanswered++;
    pending.lane = user.lane;
  }
}
