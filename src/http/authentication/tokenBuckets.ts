import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** Monotonic ms at which `tokens` was true. */
  atMs: number;
}

/**
 * Token buckets by name: each holds up to `burst` tokens and gains `perSecond` of them. The names used
 * longest ago are forgotten first, which fills their buckets.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(perSecond: number, burst: number, namesMax: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#buckets = new LRUCache({ max: namesMax });
  }

  /**
   * Takes a token.
   * @returns 0 if there was one, else the whole seconds until there is
   */
  take(name: string, nowMs: number): number {
    const bucket = this.#filled(name, nowMs);
    if (bucket.tokens < 1) return this.#wait(bucket);
    bucket.tokens -= 1;
    return 0;
  }

  #filled(name: string, nowMs: number): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = { tokens: this.#burst, atMs: nowMs };
      this.#buckets.set(name, bucket);
    }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * this.#perSecond);
    bucket.atMs = nowMs;
    return bucket;
  }

  #wait({ tokens }: Bucket): number {
    return Math.ceil((1 - tokens) / this.#perSecond);
  }
}
