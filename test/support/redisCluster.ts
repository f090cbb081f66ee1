import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../src/embedded/commands.ts';
import { freePort } from './installation.ts';
import { RedisNode } from './redisNode.ts';
import { MACHINE_TIME } from './testTime.ts';
import { until } from './until.ts';

const PRIMARIES = 3;
const SLOTS = 16_384;

export interface RedisCluster {
  url: string;
  /** Primaries first, as the cluster was made. */
  nodes: RedisNode[];
  /** Adds a primary without slots at the end of `nodes`. */
  addPrimary(): Promise<RedisNode>;
  /** Moves a slot with all its keys to the primary at this index in `nodes`. */
  moveSlot(slot: number, to: number): Promise<void>;
  /**
   * Kills the node that has the slots of the primary at this index now, so that its replica takes over, and starts it
   * again; resolves when it is a replica that has everything.
   */
  killPrimary(index: number): Promise<void>;
  /** As `killPrimary`, but the node hangs until its replica has taken over, and then goes on. */
  hangPrimary(index: number, meanwhile?: () => void): Promise<void>;
  /** The port of the primary of a slot. */
  ownerOf(slot: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * A cluster of three primaries, each with `replicas` replicas. A node that is silent for `failureMs` has
 * failed.
 */
export async function startRedisCluster(replicas = 0, failureMs = 1_000): Promise<RedisCluster> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-test-cluster-'));
  const nodes: RedisNode[] = [];
  for (let i = 0; i < PRIMARIES * (1 + replicas); i++) nodes.push(await startNode(home, failureMs));
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const options = ['--cluster-replicas', String(replicas), '--cluster-yes'];
  await redisCli(['--cluster', 'create', ...hosts, ...options]);
  await until(async () => (await Promise.all(nodes.map(knowsAll))).every(Boolean));
  await until(async () => (await Promise.all(nodes.map(isCopied))).every(Boolean));
  const added: RedisNode[] = [];
  return {
    url: `redis+cluster://${hosts.slice(0, PRIMARIES).join(',')}`,
    nodes,
    addPrimary: async () => {
      const node = await startNode(home, failureMs);
      await redisCli(['--cluster', 'add-node', `127.0.0.1:${node.port}`, hosts[0]!]);
      await until(() => knowsAll(node));
      nodes.push(node);
      added.push(node);
      return node;
    },
    moveSlot: (slot, to) => moveSlot([...nodes.slice(0, PRIMARIES), ...added], slot, nodes[to]!),
    killPrimary: (index) =>
      replacePrimary(
        nodes,
        index,
        (node) => node.kill(),
        (node) => node.restart(),
      ),
    hangPrimary: (index, meanwhile) =>
      replacePrimary(
        nodes,
        index,
        (node) => {
          node.pause();
          meanwhile?.();
        },
        (node) => node.resume(),
      ),
    ownerOf: (slot) => portOfOwner(slot, nodes[0]!),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** With libfaketime it would wait for the cluster forever. */
const redisCli = (args: string[]) => run('redis-cli', args, { env: MACHINE_TIME });

async function startNode(home: string, failureMs: number): Promise<RedisNode> {
  return RedisNode.start(home, {
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'cluster-node-timeout': String(failureMs),
    'cluster-replica-validity-factor': '0',
  });
}

async function knowsAll(node: RedisNode): Promise<boolean> {
  const info = String(await node.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes('cluster_slots_ok:16384');
}

/** Whether a replica has the data set of its primary; true for a primary. */
export async function isCopied(node: RedisNode): Promise<boolean> {
  const info = String(await node.call('INFO', 'replication'));
  return info.includes('role:master') || info.includes('master_link_status:up');
}

/** Takes the primary of a shard away until its replica has taken over, as all other nodes know. */
async function replacePrimary(
  nodes: readonly RedisNode[],
  index: number,
  takeAway: (node: RedisNode) => void | Promise<void>,
  bringBack: (node: RedisNode) => void | Promise<void>,
): Promise<void> {
  const slot = Math.ceil((index * SLOTS) / PRIMARIES);
  const port = await portOfOwner(slot, nodes[0]!);
  const replaced = nodes.find((node) => node.port === port)!;
  const others = nodes.filter((node) => node !== replaced);
  await takeAway(replaced);
  for (const node of others)
    await until(async () => (await portOfOwner(slot, node)) !== port && (await knowsAll(node)));
  await bringBack(replaced);
  await until(async () => {
    const info = String(await replaced.call('INFO', 'replication'));
    return info.includes('role:slave') && info.includes('master_link_status:up');
  });
}

/** The port of the owner of a slot, as a node knows it. */
async function portOfOwner(slot: number, node: RedisNode): Promise<number> {
  const [, address] = (await ownerOf(slot, node)).split(' ');
  return Number(/:(\d+)@/.exec(address!)![1]);
}

/** The line of CLUSTER NODES of the owner of a slot, as a node knows it. */
async function ownerOf(slot: number, node: RedisNode): Promise<string> {
  const lines = String(await node.call('CLUSTER', 'NODES')).split('\n');
  return lines.find((line) => holdsSlot(line, slot))!;
}

/** As `redis-cli --cluster reshard` does it, key by key. */
async function moveSlot(primaries: RedisNode[], slot: number, to: RedisNode): Promise<void> {
  const ids = new Map<RedisNode, string>();
  for (const node of primaries) ids.set(node, String(await node.call('CLUSTER', 'MYID')));
  const owner = await ownerOf(slot, to);
  const from = primaries.find((node) => owner.startsWith(ids.get(node)!))!;
  if (from === to) return;
  await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids.get(from)!);
  await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids.get(to)!);
  for (;;) {
    const keys = (await from.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[];
    if (keys.length === 0) break;
    await from.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
  }
  for (const node of [to, from, ...primaries])
    await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', ids.get(to)!);
}

/** Whether a line of CLUSTER NODES is that of the owner of a slot. */
function holdsSlot(line: string, slot: number): boolean {
  return line
    .split(' ')
    .slice(8)
    .some((range) => {
      const [first, last = first] = range.split('-').map(Number);
      return slot >= first! && slot <= last!;
    });
}
