import { monotonicMs } from '../base/clock.ts';
import { DurationHistogram, type Durations } from '../base/durations.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Pool, PoolClient } from './pool.ts';

/** Shows the connections of pools, by the name and state, and how long statements take. */
export function showPools(metrics: Metrics, pools: Readonly<Record<string, Pool>>): void {
  const times = new DurationHistogram(
    metrics.registry,
    'laurel_postgres_seconds',
    'Time of statements, by pool',
  );
  for (const [name, pool] of Object.entries(pools)) {
    const durations = times.labels({ pool: name });
    pool.on('connect', (client) => timeStatements(client, durations));
  }
  metrics.gauges(
    'laurel_postgres_connections',
    'Connections to PostgreSQL, and calls that wait for one, by pool and state',
    ['pool', 'state'],
    async () =>
      Object.entries(pools).flatMap(([name, { totalCount, idleCount, waitingCount }]) => [
        { labels: { pool: name, state: 'busy' }, value: totalCount - idleCount },
        { labels: { pool: name, state: 'idle' }, value: idleCount },
        { labels: { pool: name, state: 'waiting' }, value: waitingCount },
      ]),
  );
}

type Query = (...args: unknown[]) => unknown;

/** The pool calls `query` with a callback, transactions await its promise. */
function timeStatements(client: PoolClient, durations: Durations): void {
  const query = client.query.bind(client) as Query;
  const timed: Query = (...args) => {
    const startedMs = monotonicMs();
    const record = (): void => durations.add(monotonicMs() - startedMs);
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const onResult = (...results: unknown[]): void => {
        record();
        callback(...results);
      };
      return query(...args.slice(0, -1), onResult);
    }
    const result = query(...args);
    if (result instanceof Promise) result.then(record, record);
    return result;
  };
  client.query = timed as PoolClient['query'];
}
