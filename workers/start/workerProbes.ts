import type { Redis } from 'ioredis';
import type { Cells } from '../../src/base/cells.ts';
import type { Env } from '../../src/base/env.ts';
import type { Metrics } from '../../src/base/metrics.ts';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { openProbes, type Probes } from '../../src/base/probes.ts';
import { ALL_ADDRESSES } from '../../src/base/startingPage.ts';
import { schemaVersion } from '../../src/db/migrate.ts';
import type { Pool } from '../../src/db/pool.ts';
import { findPostgresFault, findRedisFault } from '../../src/engine/availability/storeFaults.ts';
import { showStores } from '../../src/engine/availability/storeMetrics.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Relay } from '../relay/relay.ts';

interface WorkerDependencies {
  redis: Redis;
  pool: Pool;
  cells: Cells;
  relay: Relay;
  jobs: Jobs;
  metrics: Metrics;
}

/** Metrics of the relay, with their help. */
const RELAY_GAUGES: Record<string, [help: string, read: (relay: Relay) => number]> = {
  laurel_relay_entries_total: ['Outbox entries written by this relay', ({ counts }) => counts.entries],
  laurel_relay_changes_total: ['Changes written by this relay', ({ counts }) => counts.changes],
  laurel_relay_dead_entries_total: ['Entries stored as dead entries', ({ counts }) => counts.deadEntries],
  laurel_relay_skipped_entries_total: [
    'Entries left for another version',
    ({ counts }) => counts.leftEntries,
  ],
  laurel_relay_unreachable_cells: [
    'Cells whose Redis node is unreachable',
    (relay) => relay.unreachableCells,
  ],
};

/** Serves health, readiness and metrics of this worker on WORKER_PORT. */
export async function openWorkerProbes(
  { host, workerPort }: Env,
  { redis, pool, cells, relay, jobs, metrics }: WorkerDependencies,
): Promise<Probes | null> {
  if (workerPort === null) return null;
  metrics.showBuild(packageVersion(), schemaVersion());
  for (const [name, [help, read]] of Object.entries(RELAY_GAUGES))
    metrics.gauge(name, help, () => read(relay));
  metrics.gauges(
    'laurel_jobs_left_total',
    'Number of times that this worker left a job for another version',
    ['queue'],
    async () => Array.from(jobs.left, ([queue, value]) => ({ labels: { queue }, value })),
  );
  showStores(metrics, { redis, pool, cells });
  const findFault = async (): Promise<string | null> => {
    const [ofRedis, ofPostgres] = await Promise.all([findRedisFault(redis, cells), findPostgresFault(pool)]);
    return ofRedis ?? ofPostgres;
  };
  return openProbes({ host: host ?? ALL_ADDRESSES, port: workerPort, metrics, findFault });
}
