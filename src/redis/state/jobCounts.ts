import type { Redis } from 'ioredis';

/** Prefix of BullMQ's keys. It is a hash tag, because BullMQ's scripts use several keys of a queue. */
export const JOBS_PREFIX = '{bull}';

/** Names of all queues of the workers. */
export const QUEUES = [
  ...['webhooks', 'email', 'push'],
  ...['schedules', 'sweep', 'review', 'activations', 'imports', 'leaderboards'],
] as const;
export type QueueName = (typeof QUEUES)[number];

export type JobState = 'waiting' | 'active' | 'delayed' | 'failed';

/**
 * Number of jobs of a queue in each state. Reads BullMQ's keys directly, so that servers need no connection
 * of BullMQ.
 */
export async function countJobs(redis: Redis, queue: string): Promise<Record<JobState, number>> {
  const key = (part: string): string => `${JOBS_PREFIX}:${queue}:${part}`;
  const [wait, prioritized, active, delayed, failed] = await Promise.all([
    redis.llen(key('wait')),
    redis.zcard(key('prioritized')),
    redis.llen(key('active')),
    redis.zcard(key('delayed')),
    redis.zcard(key('failed')),
  ]);
  return { waiting: wait + prioritized, active, delayed, failed };
}

/**
 * When the job was created that has waited longest in a queue, milliseconds since 1970; null if none waits.
 */
export async function readOldestWaiting(redis: Redis, queue: string): Promise<number | null> {
  const id = await redis.lindex(`${JOBS_PREFIX}:${queue}:wait`, -1);
  const created = id === null ? null : await redis.hget(`${JOBS_PREFIX}:${queue}:${id}`, 'timestamp');
  return created === null ? null : Number(created);
}
