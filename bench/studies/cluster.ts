import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { allCells } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { publishRules } from '../../src/engine/configuration/rulesStore.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/state/redisKeys.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import type { Rules } from '../../src/rules/rules.ts';
import type { Bench } from '../bench.ts';
import { median } from '../median.ts';
import { startRedisCluster } from '../redisCluster.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { ROUNDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { userBody } from '../workload.ts';

const CELLS = { count: 64, spread: 1 };
const TENANTS = 1_000;
const USERS_PER_TENANT = 40;
/** Events of a round: each user has one. */
const EVENTS = TENANTS * USERS_PER_TENANT;
const EVENTS_AT_ONCE = 10_000;

export const cluster: Study = {
  name: 'cluster',
  measures: `full events of 1,000 tenants on one Redis and on a cluster of three primaries: CPU time of Redis, and how evenly it is shared`,
  isDefault: true,
  measure: measureCluster,
};

/** One Redis or a cluster, with the rules of all tenants. */
interface Store {
  redis: Redis;
  nodes: readonly Redis[];
  queue: Engine['queue'];
  rules: Rules[];
}

/** CPU time that events cost. */
interface Cost {
  /** All nodes together. */
  all_us: number;
  busiest_us: number;
}

async function measureCluster(bench: Bench, print: Print): Promise<Measurements> {
  const started = await startRedisCluster(bench.directory, createLog('bench', 'warn'));
  const stores = [
    await openStore(bench.redisUrl, [bench.redis]),
    await openStore(started.url, started.nodes),
  ];
  const costs: [Cost[], Cost[]] = [[], []];
  // The first two rounds create the users and reach the usual state. The stores take turns.
  for (let round = -2; round < ROUNDS; round++) {
    for (const [i, store] of stores.entries()) {
      const cost = await measureRound(store);
      if (round >= 0) costs[i]!.push(cost);
    }
  }
  for (const { redis } of stores) redis.disconnect();
  await started.stop();
  const [one, three] = costs.map((ofStore) => median(ofStore, ({ busiest_us }) => busiest_us)) as [
    Cost,
    Cost,
  ];
  const perSecond = ({ busiest_us }: Cost): number => 1e6 / busiest_us;
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

async function openStore(url: string, nodes: readonly Redis[]): Promise<Store> {
  const redis = connectRedis(url, createLog('bench', 'warn'));
  await whenReady(redis);
  const { rulesStore, queue } = createEngine({ redis, clock: systemClock, cells: CELLS });
  const file = parseConfigFile(
    await readFile(join(packageRoot(), 'bench', 'config.yaml'), 'utf8'),
    'bench/config.yaml',
  );
  const rules: Rules[] = [];
  for (let tenant = 1; tenant <= TENANTS; tenant++) {
    const { config } = planConfig(emptyConfig(tenant), file, systemClock.now());
    await publishRules(redis, { ...config, version: 1 }, CELLS, systemClock.now());
    rules.push(await rulesStore.load(tenant));
  }
  return { redis, nodes, queue, rules };
}

/** Records an event of each user. */
async function measureRound(store: Store): Promise<Cost> {
  const before = await readCpu(store.nodes);
  for (let from = 0; from < EVENTS; from += EVENTS_AT_ONCE) {
    await Promise.all(Array.from({ length: EVENTS_AT_ONCE }, (_, i) => record(store, from + i)));
  }
  const after = await readCpu(store.nodes);
  // No relay empties the outboxes.
  await Promise.all(allCells(CELLS).map((cell) => store.redis.xtrim(keys.outbox(cell), 'MAXLEN', 0)));
  const perEvent = after.map((us, i) => (us - before[i]!) / EVENTS);
  return { all_us: perEvent.reduce((sum, us) => sum + us, 0), busiest_us: Math.max(...perEvent) };
}

/** Records event `i` of a round. Neighbours belong to different tenants. */
function record({ queue, rules }: Store, i: number): Promise<void> {
  const user = userBody(Math.floor(i / TENANTS)) as { id: string };
  return new Promise((resolve, reject) => {
    queue.add(rules[i % TENANTS]!, {
      metricKey: 'lessons',
      request: { user, value: 1 },
      idempotencyKey: null,
      done: ({ status }) => (status === 'recorded' ? resolve() : reject(new Error(`an event was ${status}`))),
      fail: reject,
    });
  });
}

/** CPU time of each node since its start. */
function readCpu(nodes: readonly Redis[]): Promise<number[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const info = await node.info('cpu');
      const seconds = (name: string): number =>
        Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)![1]);
      return (seconds('sys') + seconds('user')) * 1e6;
    }),
  );
}
