import type { DurationHistogram, Durations } from '../../base/durations.ts';

/** Index of the durations of requests whose client left before the answer. */
const ABORTED = 0;
/** Status classes: 1xx to 5xx. */
const CLASSES = 5;

/** Durations of the requests of a route, by the class of the status. */
export class RouteTimes {
  readonly method: string;
  /** Path with `{name}` for each parameter. */
  readonly route: string;
  readonly #durations: Durations[] = [];

  constructor(histogram: DurationHistogram, method: string, route: string) {
    this.method = method;
    this.route = route;
    for (let index = 0; index <= CLASSES; index++) {
      const status = index === ABORTED ? 'aborted' : `${index}xx`;
      this.#durations.push(histogram.labels({ method, route, status }));
    }
  }

  /** @param status null if the client left before the answer */
  add(status: number | null, ms: number): void {
    this.#durations[status === null ? ABORTED : Math.trunc(status / 100)]!.add(ms);
  }
}
