import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRedis } from '../support/redisKind.ts';
import { RedisNode } from '../support/redisNode.ts';
import { startRedisWithSentinels } from '../support/redisSentinel.ts';
import type { Pausable } from './processes.ts';

/** A Redis of one world, which may be killed. */
export interface WorldRedis extends TestRedis {
  /** What servers need to lose nothing. */
  env: Record<string, string>;
  /** kill -9; resolves when it answers again, or when another one does in its place. */
  kill(): Promise<void>;
  /** Null where another one would take over. */
  pausable: Pausable | null;
}

/** Of a primary on a busy machine. */
const FAILURE_MS = 2_000;

/** @param hasReplica whether a replica takes over, instead of a new start that finds everything in its files */
export function startWorldRedis(hasReplica: boolean): Promise<WorldRedis> {
  return hasReplica ? startPair() : startOne();
}

async function startOne(): Promise<WorldRedis> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-world-'));
  const node = await RedisNode.start(home, {});
  return {
    url: `redis://127.0.0.1:${node.port}`,
    env: {},
    kill: async () => {
      await node.kill();
      await node.restart();
    },
    pausable: node,
    stop: async () => {
      await node.kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function startPair(): Promise<WorldRedis> {
  const { url, killPrimary, stop } = await startRedisWithSentinels(1, FAILURE_MS);
  return { url, env: { LAUREL_REDIS_WAIT_REPLICAS: '1' }, kill: killPrimary, pausable: null, stop };
}
