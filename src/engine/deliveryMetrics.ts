import type { Redis } from 'ioredis';
import { type Clock, systemClock } from '../base/clock.ts';
import type { LabelledNumber, Metrics } from '../base/metrics.ts';
import { readOldestDue } from '../db/deliveries/dueDeliveries.ts';
import type { Pool } from '../db/pool.ts';
import { readDeliveryCounts } from '../redis/state/deliveryCounts.ts';
import { countJobs, QUEUES, readOldestWaiting } from '../redis/state/jobCounts.ts';

/** Metrics of deliveries and their queues. */
export function showDeliveries(metrics: Metrics, pool: Pool, redis: Redis, clock: Clock): void {
  metrics.gauges(
    'laurel_deliveries_total',
    'Attempts of all workers to send something, by channel, outcome and reason',
    ['channel', 'outcome', 'reason'],
    async () => (await readDeliveryCounts(redis)).map(({ count, ...labels }) => ({ labels, value: count })),
  );
  metrics.gauges('laurel_jobs', 'Jobs, by queue and state', ['queue', 'state'], async () => {
    const counts = await Promise.all(QUEUES.map((queue) => countJobs(redis, queue)));
    return QUEUES.flatMap((queue, i): LabelledNumber[] =>
      Object.entries(counts[i]!).map(([state, value]) => ({ labels: { queue, state }, value })),
    );
  });
  metrics.gauges(
    'laurel_jobs_oldest_seconds',
    'How long the first waiting job has waited',
    ['queue'],
    async () =>
      Promise.all(
        QUEUES.map(async (queue) => {
          const created = await readOldestWaiting(redis, queue);
          // BullMQ stamps jobs with the time of the machine.
          return {
            labels: { queue },
            value: created === null ? 0 : Math.max(0, systemClock.now() - created) / 1_000,
          };
        }),
      ),
  );
  metrics.gauges(
    'laurel_deliveries_oldest_seconds',
    'How long the longest due delivery of each channel has been due',
    ['channel'],
    async () =>
      (await readOldestDue(pool, clock.now())).map(({ channel, dueAt }) => ({
        labels: { channel },
        value: dueAt === null ? 0 : (clock.now() - dueAt.getTime()) / 1000,
      })),
  );
}
