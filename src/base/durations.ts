import type { Registry } from 'prom-client';

/** Upper bounds of the buckets, in milliseconds. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];
const LABELS_OF_BOUNDS = [...BOUNDS_MS.map((ms) => String(ms / 1_000)), '+Inf'];

/**
 * Durations under one set of labels, counted in fixed buckets. Adding one costs some nanoseconds and no
 * memory.
 */
export class Durations {
  /** One for each bound, and one for longer durations. */
  readonly counts = new Float64Array(BOUNDS_MS.length + 1);
  sumMs = 0;

  add(ms: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket++;
    this.counts[bucket]!++;
    this.sumMs += ms;
  }
}

type Labels = Record<string, string>;

interface Value {
  metricName: string;
  labels: Labels;
  value: number;
}

/**
 * A histogram of durations for Prometheus, which prom-client formats. Its own histograms look up labels at
 * every observation, which takes 600 ns instead of 15.
 */
export class DurationHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #children: { labels: Labels; durations: Durations }[] = [];

  constructor(registry: Registry, name: string, help: string) {
    this.#name = name;
    this.#help = help;
    // A registry calls `get` and reads `name`; its types ask for a class of prom-client.
    registry.registerMetric({ name, get: () => this.#read() } as never);
  }

  /** The durations under new labels. Each call creates new ones, so keep the result. */
  labels(labels: Labels): Durations {
    const durations = new Durations();
    this.#children.push({ labels, durations });
    return durations;
  }

  /** Labels without durations are left out. */
  #read(): { name: string; help: string; type: 'histogram'; values: Value[] } {
    const values = this.#children.flatMap(({ labels, durations }) => this.#values(labels, durations));
    return { name: this.#name, help: this.#help, type: 'histogram', values };
  }

  #values(labels: Labels, { counts, sumMs }: Durations): Value[] {
    let total = 0;
    const buckets = LABELS_OF_BOUNDS.map((le, i) => {
      total += counts[i]!;
      return { metricName: `${this.#name}_bucket`, labels: { ...labels, le }, value: total };
    });
    if (total === 0) return [];
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels, value: sumMs / 1_000 },
      { metricName: `${this.#name}_count`, labels, value: total },
    ];
  }
}
