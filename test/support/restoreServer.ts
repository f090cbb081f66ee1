import { noProgress } from '../../src/base/progress.ts';
import type { Pool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { restore } from '../../src/restore/restore.ts';
import { emptyRedis, openRedis } from './redisData.ts';
import type { TestServer } from './server.ts';

/** Empties the Redis of a server and restores it, once the history has everything that a user did. */
export async function restoreServer(
  server: Pick<TestServer, 'call' | 'redisUrl' | 'clock'>,
  pool: Pool,
  userId: string,
): Promise<void> {
  // A read of history waits for the relay.
  await server.call('GET', `/admin/v1/users/${userId}/timeline`);
  await foldRelayedStates(pool, { wait: true });
  const redis = await openRedis(server.redisUrl);
  await emptyRedis(redis);
  const now = server.clock.now();
  await restore({ pool, redis, now, progress: noProgress, replace: false, testClock: true });
  redis.disconnect();
}
