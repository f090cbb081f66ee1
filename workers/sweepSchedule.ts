import type { Clock } from '../src/base/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { listPublishedTenants } from '../src/db/tenants.ts';
import type { Sweep } from '../src/redis/sweep.ts';
import type { Jobs } from './jobs.ts';
import type { Schedule } from './schedules.ts';

const QUEUE = 'sweep';
/** Shards that one worker sweeps at once. */
const CONCURRENCY = 2;

interface ShardOfTenant {
  tenant: number;
  shard: number;
}

/** Every two seconds makes a job of each shard in which somebody is due, unless it has one; the workers share them. */
export function sweepSchedule(pool: Pool, jobs: Jobs, sweep: Sweep, clock: Clock, shards: number): Schedule {
  const all = Array.from({ length: shards }, (_, shard) => shard);
  jobs.work<ShardOfTenant>({
    queue: QUEUE,
    concurrency: CONCURRENCY,
    run: async ({ data: { tenant, shard } }, signal) => {
      await sweep.run(tenant, [shard], clock.now(), signal);
    },
  });
  return {
    name: 'sweep',
    pattern: '*/2 * * * * *',
    run: async () => {
      for (const tenant of await listPublishedTenants(pool)) {
        const found = await sweep.findWork(tenant, all, clock.now());
        await jobs.queue(QUEUE).addBulk(
          found.map((shard) => ({
            name: 'shard',
            data: { tenant, shard },
            opts: { deduplication: { id: `${tenant}-${shard}` } },
          })),
        );
      }
    },
  };
}
