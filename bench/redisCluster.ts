import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Log } from '../src/base/log.ts';
import { launch, type OwnedProcess, untilReady, waitUntil } from '../src/embedded/embeddedService.ts';
import { obtainRedis } from '../src/embedded/installRedis.ts';
import { REDIS_SETTINGS, redisArguments } from '../src/embedded/redis.ts';

const PRIMARIES = 3;
const SLOTS = 16_384;
const STOP_MS_MAX = 20_000;
const CLUSTER_MS_MAX = 30_000;

export interface RunningCluster {
  url: string;
  /** A connection to each primary. */
  nodes: Redis[];
  stop(): Promise<void>;
}

/** A Redis Cluster of three primaries on this machine, with the settings of a single Redis. */
export async function startRedisCluster(directory: string, log: Log): Promise<RunningCluster> {
  const command = await obtainRedis(log);
  const members: { server: OwnedProcess; node: Redis; port: number; busPort: number }[] = [];
  for (let i = 0; i < PRIMARIES; i++)
    members.push(await startPrimary(command, join(directory, `redis-${i}`)));
  const nodes = members.map(({ node }) => node);
  const share = SLOTS / PRIMARIES;
  for (const [i, { node }] of members.entries()) {
    const [first, last] = [Math.ceil(i * share), Math.ceil((i + 1) * share) - 1];
    await node.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
    await node.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
  }
  for (const { port, busPort } of members.slice(1)) {
    await nodes[0]!.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  const isWhole = async (): Promise<boolean> => (await Promise.all(nodes.map(knowsAll))).every(Boolean);
  await waitUntil(isWhole, CLUSTER_MS_MAX, 'the cluster');
  return {
    url: `redis+cluster://${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    stop: async () => {
      for (const node of nodes) node.disconnect();
      await Promise.all(members.map(({ server }) => server.stop()));
    },
  };
}

async function startPrimary(command: string, directory: string) {
  await mkdir(directory);
  const [port, busPort] = [await freePort(), await freePort()];
  const settings = {
    ...REDIS_SETTINGS,
    port: String(port),
    dir: directory,
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    // A node that has not yet been told its address would announce none.
    'cluster-announce-ip': '127.0.0.1',
  };
  const logFile = join(directory, 'redis.log');
  const server = launch({
    command,
    args: redisArguments(settings),
    env: { PATH: process.env.PATH },
    logFile,
    stopSignal: 'SIGTERM',
    stopMsMax: STOP_MS_MAX,
  });
  const node = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  node.on('error', () => {});
  await untilReady('Redis', server, logFile, async () => (await node.ping()) === 'PONG');
  return { server, node, port, busPort };
}

async function knowsAll(node: Redis): Promise<boolean> {
  const info = String(await node.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
