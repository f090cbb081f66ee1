import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisCluster } from '../support/redisCluster.ts';
import { isCluster, REDIS_KIND, type TestRedis } from '../support/redisKind.ts';
import { RedisNode } from '../support/redisNode.ts';
import { startRedisWithSentinels } from '../support/redisSentinel.ts';
import type { Pausable } from './processes.ts';

/** A Redis of one world, of which parts may be killed. */
export interface WorldRedis extends TestRedis {
  /** What servers need to lose nothing. */
  env: Record<string, string>;
  /** How many replicas must have each change. */
  waitReplicas: number;
  /** kill -9 of a primary; resolves when it answers again, or when another one does in its place. */
  kill(primary: number): Promise<void>;
  /** Null where another one would take over. */
  pausable: Pausable | null;
  /**
   * Lets a primary hang until another one has taken over; null without one. Changes find enough replicas then. What is
   * returned lets the replaced one go on.
   */
  hang: ((primary: number) => Promise<() => void>) | null;
}

/** Of a primary on a busy machine. */
const FAILURE_MS = 2_000;
const WAIT_REPLICAS = 1;
const WAITING = {
  waitReplicas: WAIT_REPLICAS,
  env: { LAUREL_REDIS_WAIT_REPLICAS: String(WAIT_REPLICAS) },
  pausable: null,
};

/**
 * @param hasReplica whether a replica takes over, instead of a new start that finds everything in its files
 * @returns null for a cluster without replicas, which other worlds use later
 */
export async function startWorldRedis(hasReplica: boolean): Promise<WorldRedis | null> {
  if (REDIS_KIND === 'single') return hasReplica ? startReplicated() : startOne();
  return isCluster && hasReplica ? startCluster() : null;
}

async function startOne(): Promise<WorldRedis> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-world-'));
  const node = await RedisNode.start(home, {});
  return {
    url: `redis://127.0.0.1:${node.port}`,
    env: {},
    waitReplicas: 0,
    kill: async () => {
      await node.kill();
      await node.restart();
    },
    pausable: node,
    hang: null,
    stop: async () => {
      await node.kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Two replicas: while the replaced primary hangs, the new one needs one of its own. */
async function startReplicated(): Promise<WorldRedis> {
  const { url, killPrimary, hangPrimary, areCopied, stop } = await startRedisWithSentinels(2, FAILURE_MS);
  return {
    ...WAITING,
    url,
    kill: async () => {
      await areCopied();
      await killPrimary();
    },
    hang: async () => {
      await areCopied();
      return hangPrimary();
    },
    stop,
  };
}

/** One replica of each primary: a replaced one goes on before changes are answered again. */
async function startCluster(): Promise<WorldRedis> {
  const { url, killPrimary, hangPrimary, stop } = await startRedisCluster(1, FAILURE_MS);
  return {
    ...WAITING,
    url,
    kill: killPrimary,
    hang: async (primary) => {
      await hangPrimary(primary);
      return () => {};
    },
    stop,
  };
}
