import type { Redis } from 'ioredis';

/** Where the keys of BullMQ start. One hash tag, because its scripts touch several keys of a queue. */
export const JOBS_PREFIX = '{laurel}:jobs';

/** Every queue of the workers. */
export const QUEUES = [
  ...['webhooks', 'email', 'push'],
  ...['schedules', 'sweep', 'review', 'activations', 'leaderboards'],
] as const;

export type JobState = 'waiting' | 'active' | 'delayed' | 'failed';

/** How many jobs of a queue are in each state. Reads BullMQ's keys, so that servers need no queue. */
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
