import type { Redis } from 'ioredis';

const COMMANDS_PER_PIPELINE_MAX = 1_000;

export type RedisCommand = (string | number | Buffer)[];

/**
 * Runs many commands in few round trips, in order.
 * @returns the replies; errors that `mayFail` accepts are returned in place of their replies
 * @throws the first other error
 */
export async function runPipeline(
  redis: Redis,
  commands: readonly RedisCommand[],
  mayFail: (error: Error) => boolean = () => false,
): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (let at = 0; at < commands.length; at += COMMANDS_PER_PIPELINE_MAX) {
    const pipeline = redis.pipeline();
    for (const [name, ...args] of commands.slice(at, at + COMMANDS_PER_PIPELINE_MAX)) {
      pipeline.callBuffer(name as string, ...args);
    }
    for (const [error, reply] of (await pipeline.exec())!) {
      if (error && !mayFail(error)) throw error;
      replies.push(error ?? reply);
    }
  }
  return replies;
}
