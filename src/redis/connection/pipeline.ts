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
    const some = commands.slice(at, at + COMMANDS_PER_PIPELINE_MAX);
    for (const [error, reply] of redis.isCluster
      ? await runEach(redis, some)
      : await runTogether(redis, some)) {
      if (error && !mayFail(error)) throw error;
      replies.push(error ?? reply);
    }
  }
  return replies;
}

type Result = [error: Error | null, reply?: unknown];

async function runTogether(redis: Redis, commands: readonly RedisCommand[]): Promise<Result[]> {
  const pipeline = redis.pipeline();
  for (const [name, ...args] of commands) pipeline.callBuffer(name as string, ...args);
  return (await pipeline.exec())!;
}

/** In a cluster, each command goes to the node of its key. Commands of one key stay in order. */
function runEach(redis: Redis, commands: readonly RedisCommand[]): Promise<Result[]> {
  return Promise.all(
    commands.map(([name, ...args]) =>
      redis.callBuffer(name as string, ...args).then(
        (reply): Result => [null, reply],
        (error: Error): Result => [error],
      ),
    ),
  );
}
