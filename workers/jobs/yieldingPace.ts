import type { Pace } from '../../src/engine/availability/pace.ts';
import type { EventLatency } from '../../src/redis/state/eventLatency.ts';

/** Users of a call while no event is expected, and beside events. */
const USERS_PER_CALL = 200;
const USERS_PER_CALL_BESIDE_EVENTS = 25;
/** Calls under way at once of all jobs while no event is expected. Beside events each job has one. */
const CALLS_AT_ONCE = 4;
/** Longest rest after a call, as a multiple of its duration. */
const REST_MAX = 6;
/** Average duration of the script calls of events that leads to the longest rest, ms. */
const BUSY_MS = 4;

/**
 * The pace of the background work of a process: full speed while no event is expected, else small calls and
 * rests by how long the calls of events take. Several jobs share the time of one.
 */
export class YieldingPace {
  readonly #latency: Pick<EventLatency, 'averageMs'>;
  #running = 0;

  constructor(latency: Pick<EventLatency, 'averageMs'>) {
    this.#latency = latency;
  }

  async run(signal: AbortSignal, job: (pace: Pace) => Promise<void>): Promise<void> {
    this.#running++;
    try {
      await job(this.#paceOf(signal));
    } finally {
      this.#running--;
    }
  }

  #paceOf(signal: AbortSignal): Pace {
    const usersPerCall = () =>
      this.#latency.averageMs === null ? USERS_PER_CALL : USERS_PER_CALL_BESIDE_EVENTS;
    const callsAtOnce = () =>
      this.#latency.averageMs === null ? Math.max(1, Math.floor(CALLS_AT_ONCE / this.#running)) : 1;
    const rest = () => this.#rest;
    return {
      signal,
      get usersPerCall() {
        return usersPerCall();
      },
      get callsAtOnce() {
        return callsAtOnce();
      },
      get rest() {
        return rest();
      },
    };
  }

  get #rest(): number {
    const { averageMs } = this.#latency;
    if (averageMs === null) return 0;
    const rest = REST_MAX * Math.min(1, averageMs / BUSY_MS);
    // Each job has its share of the time between the rests.
    return (1 + rest) * this.#running - 1;
  }
}
