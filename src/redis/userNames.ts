import type { Redis } from 'ioredis';
import { shardOf } from '../base/shards.ts';
import { keys } from './keys.ts';
import { decodeUserState } from './userState.ts';

/** The names of users, in the order given; null for who has none or is gone. */
export async function readUserNames(
  redis: Redis,
  tenant: number,
  shards: number,
  userIds: readonly string[],
): Promise<(string | null)[]> {
  const states = await Promise.all(
    userIds.map((userId) => redis.hmgetBuffer(keys.user(tenant, shardOf(userId, shards), userId), 'h', 'c')),
  );
  return states.map(([hot, cold]) => (hot && cold ? decodeUserState(hot, cold).name : null));
}
