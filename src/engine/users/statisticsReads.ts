import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { SharedReads } from '../../base/sharedReads.ts';
import { type AchievementStatistics, readAchievementStatistics } from '../../redis/state/statistics.ts';

/** Reads the statistics of achievements. Reads of one turn of the event loop share one read. */
export class StatisticsReads {
  readonly #redis: Redis;
  readonly #cells: Cells;
  readonly #reads = new SharedReads<AchievementStatistics>();

  constructor(redis: Redis, cells: Cells) {
    this.#redis = redis;
    this.#cells = cells;
  }

  read(tenant: number): AchievementStatistics | Promise<AchievementStatistics> {
    return this.#reads.share(String(tenant), () =>
      readAchievementStatistics(this.#redis, tenant, this.#cells),
    );
  }
}
