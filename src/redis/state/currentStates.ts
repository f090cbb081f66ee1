import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import { decodeUserState, type UserState } from '../decoding/userState.ts';
import { keys } from '../keys/redisKeys.ts';
import { USER_PART } from '../lua/scriptConstants.ts';
import { countUsers, sampleUsers } from './statistics.ts';

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

/** Random users of a tenant, and the number of all. */
export interface UserSample {
  users: number;
  sampled: { id: string; state: UserState }[];
}

/** About `count` random users; all users if there are no more. */
export async function sampleUserStates(
  redis: Redis,
  tenant: number,
  cells: Cells,
  count: number,
): Promise<UserSample> {
  const [users, ids] = await Promise.all([
    countUsers(redis, tenant, cells),
    sampleUsers(redis, tenant, cells, count),
  ]);
  const states = await readUserStates(redis, tenant, cells, ids);
  const sampled = ids.flatMap((id, i) => {
    const state = states[i];
    return state ? [{ id, state }] : [];
  });
  return { users, sampled };
}
