import type { Redis } from 'ioredis';
import { publish } from '../../redis/connection/redisClient.ts';
import { keys } from '../../redis/state/redisKeys.ts';

/**
 * Has all servers read application keys again that were deleted with their user, or belong to a new id. A
 * server that misses the message reads all keys when its connection is back.
 */
export async function tellOfKeys(redis: Redis, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await publish(redis, keys.keyChanges, ids.join(','));
}
