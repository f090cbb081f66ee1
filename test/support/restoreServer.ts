import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { emptyRedis } from './redisData.ts';
import type { ServerUnderTest } from './useServer.ts';

/** Empties the Redis of a server and restores it, once the history has everything. */
export async function restoreServer(
  server: Pick<ServerUnderTest, 'pool' | 'redis' | 'clock' | 'relayed'>,
): Promise<void> {
  const { pool, redis } = server;
  await server.relayed();
  await foldRelayedStates(pool, { wait: true });
  const setting = await redis.get(keys.clock);
  await emptyRedis(redis);
  const now = server.clock.now();
  await restore({ pool, redis, now, progress: noProgress, replace: false, testClock: true });
  // A restore starts the test clock. That of a test goes on as it was, also for processes that start now.
  if (setting !== null) await redis.set(keys.clock, setting);
}
