import { createLog } from '../../src/base/log.ts';
import type { Bench } from '../bench.ts';
import { median } from '../median.ts';
import { startRedisCluster } from '../redisCluster.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { ROUNDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { openEventStore, type RedisCost, recordRound } from './eventStores.ts';

const CELLS = { count: 64, spread: 1 };
const TENANTS = 1_000;
const USERS_PER_TENANT = 40;
/** Events of a round: each user has one. */
const EVENTS = TENANTS * USERS_PER_TENANT;

export const cluster: Study = {
  name: 'cluster',
  measures: `full events of 1,000 tenants on one Redis and on a cluster of three primaries: CPU time of Redis, and how evenly it is shared`,
  isDefault: true,
  measure: measureCluster,
};

async function measureCluster(bench: Bench, print: Print): Promise<Measurements> {
  const started = await startRedisCluster(bench.directory, createLog('bench', 'warn'));
  const stores = [
    await openEventStore(bench.redisUrl, [bench.redis], CELLS, TENANTS),
    await openEventStore(started.url, started.nodes, CELLS, TENANTS),
  ];
  const costs: [RedisCost[], RedisCost[]] = [[], []];
  // The first two rounds create the users and reach the usual state. The stores take turns.
  for (let round = -2; round < ROUNDS; round++) {
    for (const [i, store] of stores.entries()) {
      const cost = await recordRound(store, EVENTS, (event) => Math.floor(event / TENANTS));
      if (round >= 0) costs[i]!.push(cost);
    }
  }
  for (const { redis } of stores) redis.disconnect();
  await started.stop();
  const [one, three] = costs.map((ofStore) => median(ofStore, ({ busiest_us }) => busiest_us)) as [
    RedisCost,
    RedisCost,
  ];
  const perSecond = ({ busiest_us }: RedisCost): number => 1e6 / busiest_us;
  print(
    `Full events of ${TENANTS} tenants in ${CELLS.count} cells, without a server. Events per second are what the busiest node allows.\n`,
  );
  print('| Redis | CPU µs an event, all nodes | CPU µs an event, busiest node | events/s |');
  print('|---|---:|---:|---:|');
  for (const [name, cost] of [
    ['one', one],
    ['cluster of three', three],
  ] as const) {
    const { all_us, busiest_us } = cost;
    print(`| ${name} | ${all_us.toFixed(1)} | ${busiest_us.toFixed(1)} | ${Math.round(perSecond(cost))} |`);
  }
  const times = perSecond(three) / perSecond(one);
  print(`\nThe cluster takes ${times.toFixed(2)} times as many events.`);
  return { one_us: one.all_us, cluster_us: three.all_us, times };
}
