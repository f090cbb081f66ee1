import type { EventRequest } from '../../contract/event.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import type { PreparedEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { ScriptAttempt } from './retries.ts';

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

/** An event that waits for a script call or is in one. */
export interface Pending extends ScriptAttempt {
  job: EventJob;
  event: PreparedEvent;
  /** Counts the events of a server. */
  arrival: number;
}

/** The pending events of one tenant, under one of its ids, in one of its cells. */
export interface CellQueue {
  cell: number;
  rules: Rules;
  pending: Pending[];
  callsInFlight: number;
  /** Cost of the calls in flight. */
  costUs: number;
  scheduled: boolean;
}
