import type { Target } from './target.ts';
import type { Processes } from './usage/usage.ts';

/** The scenario that all others are compared with. */
export const FLOOR = 'floor';

/**
 * Scenarios of one group have the same stores and take turns, so that other load on the machine affects all
 * of them.
 */
export interface Group {
  name: string;
  /** Number of servers that share the load. */
  servers: number;
}

/** A load whose requests per second are a row of the table. */
export interface Scenario {
  name: string;
  /** Its row in the table. */
  title: string;
  /** What the documentation says of it. */
  measures: string;
  group: Group;
  /** It needs nothing but a URL and a key, so it can measure a service that runs elsewhere. */
  isRemote: boolean;
  setUp(target: Target): Promise<Running>;
}

export interface Round {
  /** Events or reads that were answered. */
  units: number;
  seconds: number;
  latency_ms_p50: number;
  latency_ms_p99: number;
  /** Age of the oldest change that waited for the relay during the load. */
  relayLag_s?: number;
}

/** A scenario that has been set up. */
export interface Running {
  /** Processes that take part, besides the servers and stores of the target. */
  processes?(): Partial<Processes>;
  /** Prepares a round; its cost is not measured. */
  begin?(): Promise<void>;
  run(round: number): Promise<Round>;
  /** Ends a round; its cost is not measured. */
  end?(): Promise<void>;
  /** @throws Error unless all totals equal what was sent */
  check(): Promise<void>;
  close?(): Promise<void>;
}
