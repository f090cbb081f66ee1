import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { packageVersion } from '../../base/packageRoot.ts';
import { keys } from '../keys/redisKeys.ts';
import { readRecords } from '../layouts/recordLayout.ts';
import { SCORED } from '../layouts/reportLayout.ts';

/** Time between two signs of life of a process. */
const BEAT_MS = 5_000;
/** A running process gives a sign of life in this time. */
const ALIVE_MS = 1.5 * BEAT_MS;
/** A process that has been silent for longer is forgotten. */
const FORGOTTEN_AFTER_SECONDS = 300;

/** A running server or worker. */
interface ProcessFacts {
  kind: 'server' | 'worker';
  host: string;
  pid: number;
  version: string;
  /** Seconds since 1970, by the clock of Redis. */
  startedAt: number;
}
export interface SeenProcess extends ProcessFacts {
  /** Since its last sign of life. */
  silentSeconds: number;
}

const secondsOf = async (redis: Redis): Promise<number> => Number((await redis.time())[0]);

/** Tells all servers again and again that this process runs. @returns ends it */
export function startHeartbeat(redis: Redis, kind: ProcessFacts['kind']): () => Promise<void> {
  let member: string | null = null;
  const beat = async (): Promise<void> => {
    const now = await secondsOf(redis);
    const facts = { kind, host: hostname(), pid: process.pid, version: packageVersion(), startedAt: now };
    member ??= JSON.stringify(facts satisfies ProcessFacts);
    await redis.zadd(keys.processes, now, member);
    await redis.zremrangebyscore(keys.processes, '-inf', `(${now - FORGOTTEN_AFTER_SECONDS}`);
  };
  // A sign of life that is lost is followed by the next one.
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS);
  timer.unref();
  void beat().catch(() => {});
  return async () => {
    clearInterval(timer);
    if (member !== null) await redis.zrem(keys.processes, member).catch(() => {});
  };
}

/** Whether a server or worker runs, by its signs of life: also one whose last sign was lost with Redis. */
export async function hasProcesses(redis: Redis): Promise<boolean> {
  const isAnyAlive = async (): Promise<boolean> =>
    (await readProcesses(redis)).some(({ silentSeconds }) => silentSeconds * 1_000 <= ALIVE_MS);
  if (await isAnyAlive()) return true;
  await sleep(ALIVE_MS);
  return isAnyAlive();
}

/** All processes that were seen lately, servers first, each in the order in which they started. */
export async function readProcesses(redis: Redis): Promise<SeenProcess[]> {
  const now = await secondsOf(redis);
  const flat = await redis.zrange(keys.processes, '0', '-1', 'WITHSCORES');
  const seen = readRecords(SCORED, flat).map(({ member, score }) => ({
    ...(JSON.parse(member) as ProcessFacts),
    silentSeconds: Math.max(0, now - Number(score)),
  }));
  return seen.sort((a, b) => a.kind.localeCompare(b.kind) || a.startedAt - b.startedAt);
}
