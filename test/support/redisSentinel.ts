import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCopied } from './redisCluster.ts';
import { RedisNode } from './redisNode.ts';
import { until } from './until.ts';

const NAME = 'main';
const SENTINELS = 3;
const QUORUM = 2;

export interface RedisWithSentinels {
  url: string;
  /** The primary first, as it was at the start. */
  nodes: RedisNode[];
  /** In the order in which connections ask them. */
  sentinels: RedisNode[];
  /** Whether a Sentinel names another primary than the first one. */
  namesAnother(sentinel: RedisNode): Promise<boolean>;
  /**
   * Has the Sentinels promote a replica while the primary lives on; resolves when they name the new primary.
   */
  failover(): Promise<void>;
  /**
   * Kills the primary, whichever it is, so that a replica takes over, and starts it again as a replica of that one;
   * resolves when it has everything.
   */
  killPrimary(): Promise<void>;
  /**
   * Lets the primary hang, whichever it is, until the Sentinels name another one that has a replica. What is returned
   * lets it go on, as a primary until the Sentinels change that.
   */
  hangPrimary(): Promise<() => void>;
  /** Resolves when all nodes but the primary are replicas that have everything. */
  areCopied(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A primary with replicas that have everything, watched by three Sentinels. A node that is silent for `failureMs` has
 * failed.
 */
export async function startRedisWithSentinels(
  replicas: number,
  failureMs = 500,
): Promise<RedisWithSentinels> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-test-sentinel-'));
  const primary = await RedisNode.start(home, {});
  const nodes = [primary];
  for (let i = 0; i < replicas; i++) {
    nodes.push(await RedisNode.start(home, { replicaof: `127.0.0.1 ${primary.port}` }));
  }
  const lines = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${failureMs}`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  const sentinels: RedisNode[] = [];
  for (let i = 0; i < SENTINELS; i++) sentinels.push(await RedisNode.startSentinel(home, lines));
  const watches = (sentinel: RedisNode) => async () => {
    const flat = (await sentinel.call('SENTINEL', 'MASTER', NAME)) as string[];
    const value = (name: string) => Number(flat[flat.indexOf(name) + 1]);
    return value('num-slaves') === replicas && value('num-other-sentinels') === SENTINELS - 1;
  };
  for (const sentinel of sentinels) await until(watches(sentinel));
  for (const node of nodes) await until(() => isCopied(node));
  const primaryBy = async (sentinel: RedisNode): Promise<RedisNode> => {
    const address = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[];
    return nodes.find(({ port }) => String(port) === address[1])!;
  };
  const namesAnother = async (sentinel: RedisNode): Promise<boolean> =>
    (await primaryBy(sentinel)) !== primary;
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://${hosts}/${NAME}`,
    nodes,
    sentinels,
    namesAnother,
    failover: async () => {
      await until(() => sentinels[0]!.call('SENTINEL', 'FAILOVER', NAME));
      for (const sentinel of sentinels) await until(() => namesAnother(sentinel));
    },
    killPrimary: async () => {
      const killed = await primaryBy(sentinels[0]!);
      await killed.kill();
      for (const sentinel of sentinels) await until(async () => (await primaryBy(sentinel)) !== killed);
      await killed.restart();
      await killed.call('REPLICAOF', '127.0.0.1', (await primaryBy(sentinels[0]!)).port);
      await until(() => isCopied(killed));
    },
    hangPrimary: async () => {
      const hanging = await primaryBy(sentinels[0]!);
      hanging.pause();
      for (const sentinel of sentinels) await until(async () => (await primaryBy(sentinel)) !== hanging);
      const next = await primaryBy(sentinels[0]!);
      await until(() => hasReplica(next));
      return () => hanging.resume();
    },
    areCopied: async () => {
      const now = await primaryBy(sentinels[0]!);
      for (const node of nodes) if (node !== now) await until(() => isReplicaOf(node, now));
    },
    stop: async () => {
      await Promise.all([...sentinels, ...nodes].map((node) => node.kill()));
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function hasReplica(node: RedisNode): Promise<boolean> {
  const info = String(await node.call('INFO', 'replication'));
  return info.includes('role:master') && info.includes('state=online');
}

async function isReplicaOf(node: RedisNode, primary: RedisNode): Promise<boolean> {
  const info = String(await node.call('INFO', 'replication'));
  return info.includes(`master_port:${primary.port}\r\n`) && info.includes('master_link_status:up');
}
