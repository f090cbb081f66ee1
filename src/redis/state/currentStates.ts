import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import { USER_PART } from '../scripts/scriptConstants.ts';
import { keys } from './redisKeys.ts';
import { decodeUserState, type UserState } from './userState.ts';

/** The state of a user as Redis holds it; null for an unknown user. */
export async function readUserState(
  redis: Redis,
  cells: Cells,
  { tenant, userId }: { tenant: number; userId: string },
): Promise<UserState | null> {
  const key = keys.user(tenant, cellOf(tenant, userId, cells), userId);
  const [hot, cold] = await redis.hmgetBuffer(key, USER_PART.hot, USER_PART.cold);
  return hot && cold ? decodeUserState(hot, cold) : null;
}

/** The states of users, in the given order; null for unknown users. */
export function readUserStates(
  redis: Redis,
  tenant: number,
  cells: Cells,
  userIds: readonly string[],
): Promise<(UserState | null)[]> {
  return Promise.all(userIds.map((userId) => readUserState(redis, cells, { tenant, userId })));
}

/** Names of users, in the given order; null for users without a name and unknown users. */
export async function readUserNames(...args: Parameters<typeof readUserStates>): Promise<(string | null)[]> {
  return (await readUserStates(...args)).map((state) => state?.name || null);
}
