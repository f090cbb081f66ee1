import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisCluster } from './redisCluster.ts';
import type { RedisNode } from './redisNode.ts';
import { startRedisWithSentinels } from './redisSentinel.ts';

const KINDS = ['single', 'cluster', 'sentinel'] as const;

/**
 * What tests run on (LAUREL_TEST_REDIS): one Redis, a cluster of three primaries, or a primary with a replica
 * behind Sentinels.
 */
export const REDIS_KIND = KINDS.find((kind) => kind === (process.env.LAUREL_TEST_REDIS ?? 'single'))!;
if (REDIS_KIND === undefined) throw new Error(`LAUREL_TEST_REDIS must be one of ${KINDS.join(', ')}`);
export const isCluster = REDIS_KIND === 'cluster';

/** Long, because a loaded machine is not a failure. Tests of failovers start nodes of their own. */
const FAILURE_MS = 60_000;

export interface TestRedis {
  url: string;
  /** Gives it back. */
  stop(): Promise<void>;
}

interface Stores {
  url: string;
  nodes: RedisNode[];
}

/**
 * Nodes that no test of this process uses now. Starting others takes seconds, so they stay until the end of
 * the run.
 */
const free: Stores[] = [];

/** Empty nodes of the kind that LAUREL_TEST_REDIS names. */
export async function takeNodes(): Promise<TestRedis> {
  const stores = free.pop() ?? (await startNodes());
  return {
    url: stores.url,
    stop: async () => {
      const primaries = isCluster ? stores.nodes : stores.nodes.slice(0, 1);
      await Promise.all(primaries.map((node) => node.call('FLUSHALL')));
      free.push(stores);
    },
  };
}

async function startNodes(): Promise<Stores> {
  const { url, nodes, sentinels } = isCluster
    ? { ...(await startRedisCluster(0, FAILURE_MS)), sentinels: [] }
    : await startRedisWithSentinels(1, FAILURE_MS);
  await Promise.all(
    [...nodes, ...sentinels].map(({ pid }) =>
      writeFile(join(process.env.LAUREL_TEST_NODES!, String(pid)), ''),
    ),
  );
  return { url, nodes };
}

/**
 * Call this once before all tests.
 * @returns a function that ends all nodes that tests have taken
 */
export async function keepNodes(): Promise<() => void> {
  const directory = await mkdtemp(join(tmpdir(), 'laurel-test-nodes-'));
  process.env.LAUREL_TEST_NODES = directory;
  return () => {
    for (const pid of readdirSync(directory)) process.kill(Number(pid), 'SIGKILL');
    rmSync(directory, { recursive: true });
  };
}
