/**
 * The workload of all benchmarks. Users are drawn from a Zipf distribution: a few are very active, most are
 * rarely active. It is the same for every run with the same seed.
 */
export interface Workload {
  seed: number;
  users: number;
  /** Number of prepared requests. The load repeats them. */
  requests: number;
}

export const WORKLOAD: Workload = { seed: 20261121, users: 100_000, requests: 200_000 };

/** mulberry32, a small seeded random generator. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Draws ranks 0 … n-1 with a probability proportional to 1 / (rank + 1). */
export function createZipf(n: number, random: () => number): () => number {
  const cumulative = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += 1 / (i + 1);
    cumulative[i] = sum;
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = n - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export function userBody(user: number): object {
  return { id: `user-${user}`, name: `User ${user}`, email: `user-${user}@example.com`, tz: 'Europe/London' };
}
